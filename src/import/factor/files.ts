import { byCodeUnit, groupBy } from '../../model/collections.ts'
import type { Site } from '../../model/desired.ts'
import type { ValueObject } from '../../model/value.ts'
import { textScalar } from '../../yaml-edit/scalar.ts'
import { flowText, memberLines } from '../../yaml-edit/write.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import { type ImportedFile, joinBlocks, type Pause, wlanBlocks } from '../site-files.ts'
import type { RequestedSite } from '../site-requests.ts'
import { hasNoOverrides, type ProfileExtension, siteVariables } from './assign.ts'
import type { ProfileCandidate } from './families.ts'
import { mapLeaves } from './leaves.ts'
import type { VariablePlace, VariablePlaces } from './variables.ts'

/** A site with its WLANs, those that extend profiles and the others. */
export interface FactoredSite {
  readonly imported: ImportedSite
  readonly requested: RequestedSite
  readonly extensions: readonly ProfileExtension[]
  /** WLANs that extend no profile. */
  readonly own: readonly ImportedWlan[]
}

/**
 * The files of a factored fleet.
 *
 * | file              | holds                                                                       |
 * |-------------------|-----------------------------------------------------------------------------|
 * | `profiles.yaml`   | the common fields of WLANs                                                  |
 * | `corp-guest.yaml` | the sites whose WLANs equal these profiles, with their variables            |
 * | `store-0017.yaml` | a site with overrides; for a listed site, only the WLANs of its own         |
 */
export class FactoredFileWriter {
  readonly #secrets: SecretCatalog
  readonly #places: VariablePlaces
  readonly #names: UniqueNames

  constructor(secrets: SecretCatalog, places: VariablePlaces, names: UniqueNames) {
    this.#secrets = secrets
    this.#places = places
    this.#names = names
  }

  async write(
    profiles: readonly ProfileCandidate[],
    sites: readonly FactoredSite[],
    pause: Pause
  ): Promise<ImportedFile[]> {
    const withoutOverrides = sites.filter(
      ({ extensions }) => extensions.length > 0 && hasNoOverrides(extensions)
    )
    const listed = [
      ...groupBy(withoutOverrides, ({ extensions }) => profilesIn(extensions).join('\n')).values()
    ]
      .filter(({ length }) => length > 1)
      .sort((a, b) => byCodeUnit(siteListName(a), siteListName(b)))
    const isListed = new Set(listed.flat())
    const files = [this.#profilesFile(profiles)]
    for (const list of listed) {
      await pause()
      files.push(this.#siteListFile(list))
    }
    for (const site of sites) {
      await pause()
      files.push(...this.#siteFile(site, isListed.has(site)))
    }
    return files
  }

  #profilesFile(profiles: readonly ProfileCandidate[]): ImportedFile {
    const blocks = profiles.map(profile => [profile.name, this.#profile(profile)] as const)
    const file = `${this.#names.take('profiles')}.yaml`
    return { file, text: renderProfiles(blocks), wlans: 0, profiles: profiles.length }
  }

  #profile(profile: ProfileCandidate): ValueObject {
    const places = this.#places.get(profile)
    return mapLeaves(profile.template, (_, at) => {
      const place = places?.get(at)
      if (place !== undefined) return reference(place)
      return this.#secrets.replaceSecrets(profile.shared.get(at) ?? null)
    })
  }

  #siteListFile(sites: readonly FactoredSite[]): ImportedFile {
    const [first] = sites
    const wlans = (first?.extensions ?? []).map(each => this.#extendingWlan(each))
    return {
      file: `${this.#names.take(siteListName(sites))}.yaml`,
      text: renderSiteList(
        wlans,
        sites.map(site => this.#declaredSite(site))
      ),
      wlans: sites.length * wlans.length
    }
  }

  /** The file of a site; for a listed site, only of the WLANs of its own, if there are any. */
  #siteFile(site: FactoredSite, isListed: boolean): ImportedFile[] {
    const { requested, imported } = site
    const extending = isListed ? [] : site.extensions
    if (isListed && site.own.length === 0) return []
    const { id, name } = imported.site
    const declared = isListed ? { id, name, vars: {} } : this.#declaredSite(site)
    const keys = new UniqueNames('-')
    for (const { profile } of site.extensions) keys.take(profile.family.key)
    const wlans = [
      ...extending.map(each => this.#extendingWlan(each)),
      ...site.own.map(wlan => this.#plainWlan({ ...wlan, key: keys.take(wlan.key) }))
    ]
    wlans.sort(([a], [b]) => byCodeUnit(a, b))
    return [
      { file: `${requested.slug}.yaml`, text: renderOwnSite(declared, wlans), wlans: wlans.length }
    ]
  }

  #extendingWlan({ profile, overrides }: ProfileExtension): readonly [string, ValueObject] {
    const fields = this.#secrets.replaceSecrets(overrides) as ValueObject
    return [profile.family.key, { $extends: profile.name, ...fields }]
  }

  #plainWlan({ key, id, fields }: ImportedWlan): readonly [string, ValueObject] {
    return [key, { id, ...(this.#secrets.replaceSecrets(fields) as ValueObject) }]
  }

  #declaredSite(site: FactoredSite): DeclaredSite {
    const vars = [...siteVariables(site.extensions)].map(([{ name }, value]) => {
      return [name, this.#secrets.replaceSecrets(value)] as const
    })
    vars.sort(([a], [b]) => byCodeUnit(a, b))
    const { id, name } = site.imported.site
    return { id, name, vars: Object.fromEntries(vars) }
  }
}

/** `{ $var: name }`, or a `$format` that contains it. */
function reference({ variable: { name }, format }: VariablePlace): ValueObject {
  if (format === undefined) return { $var: name }
  return { $format: `${format.prefix}{${name}}${format.suffix}` }
}

/** The most profiles in the name of a file. */
const MAX_NAMES = 3

function siteListName([first]: readonly FactoredSite[]): string {
  const names = profilesIn(first?.extensions ?? [])
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return slugOf(`${names.slice(0, MAX_NAMES).join(' ')}${more}`)
}

function profilesIn(extensions: readonly ProfileExtension[]): string[] {
  return extensions.map(({ profile }) => profile.name).sort(byCodeUnit)
}

/** The widest line of a list of sites, in columns. */
const MAX_WIDTH = 120

/** A site of a file with its variables. */
export interface DeclaredSite extends Site {
  readonly vars: ValueObject
}

type Blocks = readonly (readonly [key: string, ValueObject])[]

export function renderProfiles(profiles: Blocks): string {
  const blocks = profiles.map(([name, body], index) => [
    ...(index === 0 ? ['profiles:'] : []),
    ...memberLines(name, body, 2)
  ])
  return joinBlocks(blocks)
}

/** A file of sites that share these WLANs. */
export function renderSiteList(wlans: Blocks, sites: readonly DeclaredSite[]): string {
  return joinBlocks([...wlanBlocks(wlans), ['sites:', ...sites.flatMap(siteItem)]])
}

/** A file of one site. */
export function renderOwnSite({ id, name, vars }: DeclaredSite, wlans: Blocks): string {
  const site = ['site:', ...memberLines('id', id, 2), ...memberLines('name', name, 2)]
  const variables = memberTexts(vars)
  if (variables.length > 0) site.push(...wrapLines('  vars: { ', variables, ' }'))
  return joinBlocks([site, ...wlanBlocks(wlans)])
}

/** A site on one line, or with its variables on further lines. */
function siteItem({ id, name, vars }: DeclaredSite): string[] {
  const head = `  - { id: ${id}, name: ${textScalar(name)}`
  const variables = memberTexts(vars)
  if (variables.length === 0) return [`${head} }`]
  const line = `${head}, vars: { ${variables.join(', ')} } }`
  if (line.length <= MAX_WIDTH) return [line]
  return [`${head},`, ...wrapLines('      vars: { ', variables, ' } }')]
}

/** Members as `name: value`, plain values before references, which take a line each. */
function memberTexts(vars: ValueObject): string[] {
  const tokens = Object.entries(vars).map(
    ([name, value]) => `${textScalar(name)}: ${flowText(value)}`
  )
  return [...tokens.filter(token => !isLong(token)), ...tokens.filter(isLong)]
}

function isLong(token: string): boolean {
  return token.includes(': { ')
}

/** The tokens in lines of at most `MAX_WIDTH` columns, where they fit. */
function wrapLines(head: string, tokens: readonly string[], tail: string): string[] {
  const lines: string[] = []
  const indent = ' '.repeat(head.search(/\S/) + 2)
  let line = ''
  for (const [index, token] of tokens.entries()) {
    const next = index === tokens.length - 1 ? token + tail : `${token},`
    if (line === '') line = head + next
    else if (isLong(token) || `${line} ${next}`.length > MAX_WIDTH) {
      lines.push(line)
      line = indent + next
    } else line += ` ${next}`
  }
  return [...lines, line]
}
