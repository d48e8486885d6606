import { byCodeUnit } from '../../model/collections.ts'
import type { Site } from '../../model/desired.ts'
import type { Pointer } from '../../model/pointer.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import { textScalar } from '../../yaml-edit/scalar.ts'
import { flowText, memberLines } from '../../yaml-edit/write.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { SecretReferencer } from '../secrets.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import { type ImportedFile, joinBlocks, type Pause, wlanBlocks } from '../site-files.ts'
import type { RequestedSite } from '../site-requests.ts'
import { hasNoOverrides, type ProfileExtension, siteVariables } from './assign.ts'
import { groups, type ProfileCandidate } from './families.ts'
import { comparisonKey, mapLeaves } from './leaves.ts'
import type { VariablePlace, VariablePlaces } from './variables.ts'

/** A site, and what of its WLANs comes from profiles. */
export interface FactoredSite {
  readonly imported: ImportedSite
  readonly requested: RequestedSite
  readonly assigned: readonly ProfileExtension[]
  /** WLANs that extend nothing. */
  readonly own: readonly ImportedWlan[]
}

/**
 * The files of a factored fleet.
 *
 * | file              | holds                                                                       |
 * |-------------------|-----------------------------------------------------------------------------|
 * | `profiles.yaml`   | what WLANs have in common                                                    |
 * | `corp-guest.yaml` | the sites that have these WLANs as their profiles are, with their variables |
 * | `store-0017.yaml` | a site that has other ones; or beside such a list, WLANs that it alone has  |
 */
export class FactoredFileWriter {
  readonly #references: SecretReferencer
  readonly #places: VariablePlaces
  readonly #names: UniqueNames

  constructor(references: SecretReferencer, uses: VariablePlaces, names: UniqueNames) {
    this.#references = references
    this.#places = uses
    this.#names = names
  }

  async write(
    kinds: readonly ProfileCandidate[],
    placed: readonly FactoredSite[],
    pause: Pause
  ): Promise<ImportedFile[]> {
    const regular = placed.filter(({ assigned }) => assigned.length > 0 && hasNoOverrides(assigned))
    const listed = [...groups(regular, ({ assigned }) => profilesIn(assigned).join('\n')).values()]
      .filter(({ length }) => length > 1)
      .sort((a, b) => byCodeUnit(siteListName(a), siteListName(b)))
    const isListed = new Set(listed.flat())
    const files = [this.#profilesFile(kinds)]
    for (const sites of listed) {
      await pause()
      files.push(this.#siteListFile(sites))
    }
    for (const site of placed) {
      await pause()
      files.push(...this.#siteFile(site, isListed.has(site)))
    }
    return files
  }

  #profilesFile(kinds: readonly ProfileCandidate[]): ImportedFile {
    const blocks = kinds.map(kind => [kind.name, this.#profile(kind)] as const)
    const file = `${this.#names.take('profiles')}.yaml`
    return { file, text: renderProfiles(blocks), wlans: 0, profiles: kinds.length }
  }

  #profile(kind: ProfileCandidate): ValueObject {
    const uses = this.#places.get(kind)
    const of = { slug: kind.name, key: '', address: `profiles.${kind.name}` }
    const referred = new Map<unknown, Value>()
    return mapLeaves(kind.template, (_, at) => {
      const use = uses?.get(at)
      if (use !== undefined) return reference(use)
      // The secret of several servers is one, as are their variables where it varies.
      const value = kind.shared.get(at) ?? null
      const made =
        referred.get(comparisonKey(value)) ?? this.#references.replaceSecrets(value, at, of)
      referred.set(comparisonKey(value), made)
      return made
    })
  }

  #siteListFile(sites: readonly FactoredSite[]): ImportedFile {
    const [first] = sites
    const wlans = (first?.assigned ?? []).map(each => this.#extendingWlan(each, first))
    return {
      file: `${this.#names.take(siteListName(sites))}.yaml`,
      text: renderSiteList(
        wlans,
        sites.map(site => this.#declaredSite(site))
      ),
      wlans: sites.length * wlans.length
    }
  }

  /** The file of a site that has WLANs of its own; beside a list, of these alone. */
  #siteFile(placed: FactoredSite, isListed: boolean): ImportedFile[] {
    const { requested, imported } = placed
    const extending = isListed ? [] : placed.assigned
    if (isListed && placed.own.length === 0) return []
    const { id, name } = imported.site
    const site = isListed ? { id, name, vars: {} } : this.#declaredSite(placed)
    const keys = new UniqueNames('-')
    for (const { profile: kind } of placed.assigned) keys.take(kind.family.key)
    const wlans = [
      ...extending.map(each => this.#extendingWlan(each, placed)),
      ...placed.own.map(wlan => this.#plainWlan({ ...wlan, key: keys.take(wlan.key) }, placed))
    ]
    wlans.sort(([a], [b]) => byCodeUnit(a, b))
    return [
      { file: `${requested.slug}.yaml`, text: renderOwnSite(site, wlans), wlans: wlans.length }
    ]
  }

  #extendingWlan(
    { profile: kind, overrides: over }: ProfileExtension,
    site: FactoredSite | undefined
  ): readonly [string, ValueObject] {
    const { key } = kind.family
    const laid = site === undefined ? over : this.#withReferences(over, '', key, site)
    return [key, { $extends: kind.name, ...(laid as ValueObject) }]
  }

  #plainWlan(
    { key, id, fields }: ImportedWlan,
    site: FactoredSite
  ): readonly [string, ValueObject] {
    return [key, { id, ...(this.#withReferences(fields, '', key, site) as ValueObject) }]
  }

  #declaredSite(placed: FactoredSite): DeclaredSite {
    const vars = [...siteVariables(placed.assigned)].map(([{ name, kind, at }, value]) => {
      return [name, this.#withReferences(value, at, kind.family.key, placed)] as const
    })
    vars.sort(([a], [b]) => byCodeUnit(a, b))
    const { id, name } = placed.imported.site
    return { id, name, vars: Object.fromEntries(vars) }
  }

  #withReferences(
    value: Value,
    at: Pointer,
    key: string,
    { requested, imported }: FactoredSite
  ): Value {
    const address = `${imported.site.name}/${key}`
    return this.#references.replaceSecrets(value, at, { slug: requested.slug, key, address })
  }
}

/** `{ $var: name }`, or a `$format` with it. */
function reference({ variable: { name }, format }: VariablePlace): ValueObject {
  if (format === undefined) return { $var: name }
  return { $format: `${format.prefix}{${name}}${format.suffix}` }
}

/** More profiles than these do not make the name of a file. */
const MAX_NAMES = 3

function siteListName([first]: readonly FactoredSite[]): string {
  const names = profilesIn(first?.assigned ?? [])
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return slugOf(`${names.slice(0, MAX_NAMES).join(' ')}${more}`)
}

function profilesIn(assigned: readonly ProfileExtension[]): string[] {
  return assigned.map(({ profile: kind }) => kind.name).sort(byCodeUnit)
}

/** Columns of a list of sites: the more of a site stands on its line, the more it is like a table. */
const MAX_WIDTH = 120

/** A site of a file, and its variables. */
export interface DeclaredSite extends Site {
  readonly vars: ValueObject
}

type Blocks = readonly (readonly [key: string, ValueObject])[]

export function renderProfiles(profiles: Blocks): string {
  const blocks = profiles.map(([name, body], place) => [
    ...(place === 0 ? ['profiles:'] : []),
    ...memberLines(name, body, 2)
  ])
  return joinBlocks(blocks)
}

/** A file of sites that share these WLANs. */
export function renderSiteList(wlans: Blocks, sites: readonly DeclaredSite[]): string {
  return joinBlocks([...wlanBlocks(wlans), ['sites:', ...sites.flatMap(siteItem)]])
}

/** A file of one site with WLANs of its own. */
export function renderOwnSite({ id, name, vars }: DeclaredSite, wlans: Blocks): string {
  const site = ['site:', ...memberLines('id', id, 2), ...memberLines('name', name, 2)]
  const variables = memberTexts(vars)
  if (variables.length > 0) site.push(...wrapLines('  vars: { ', variables, ' }'))
  return joinBlocks([site, ...wlanBlocks(wlans)])
}

/** A site on one line, or its variables on lines of their own. */
function siteItem({ id, name, vars }: DeclaredSite): string[] {
  const head = `  - { id: ${id}, name: ${textScalar(name)}`
  const variables = memberTexts(vars)
  if (variables.length === 0) return [`${head} }`]
  const line = `${head}, vars: { ${variables.join(', ')} } }`
  if (line.length <= MAX_WIDTH) return [line]
  return [`${head},`, ...wrapLines('      vars: { ', variables, ' } }')]
}

/** Short values first; a reference has a line of its own. */
function memberTexts(vars: ValueObject): string[] {
  const tokens = Object.entries(vars).map(
    ([name, value]) => `${textScalar(name)}: ${flowText(value)}`
  )
  return [...tokens.filter(token => !isLong(token)), ...tokens.filter(isLong)]
}

function isLong(token: string): boolean {
  return token.includes(': { ')
}

/** As many of the tokens on a line as it takes. */
function wrapLines(head: string, tokens: readonly string[], tail: string): string[] {
  const lines: string[] = []
  const indent = ' '.repeat(head.search(/\S/) + 2)
  let line = ''
  for (const [place, token] of tokens.entries()) {
    const next = place === tokens.length - 1 ? token + tail : `${token},`
    if (line === '') line = head + next
    else if (isLong(token) || `${line} ${next}`.length > MAX_WIDTH) {
      lines.push(line)
      line = indent + next
    } else line += ` ${next}`
  }
  return [...lines, line]
}
