import type { Site } from '../../../core/model/desired.ts'
import { append, byCodeUnit } from '../../../core/values/collections.ts'
import type { Value, ValueObject } from '../../../core/values/value.ts'
import { flowText, itemLines, mapLines, memberLines } from '../../yaml-edit/write.ts'
import { keySlug, UniqueNames } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import { type ImportedFile, joinBlocks, type Pause, wlanBlocks } from '../site-files.ts'
import { hasOverride, type ProfileExtension } from './assign.ts'
import type { ProfileCandidate } from './families.ts'
import {
  ownVars,
  type SiteDifferences,
  type SiteGroup,
  type SiteVars,
  varsBlock
} from './groups.ts'
import { withImplied } from './implied.ts'
import { overrideBlock } from './leaves.ts'
import { type FactoredSite, listsOf, type SiteList } from './lists.ts'
import { type Block, overBase, type ProfileBlocks } from './profiles.ts'

/**
 * Writes the files of a factored fleet.
 *
 * | file                   | content                                                                        |
 * |------------------------|--------------------------------------------------------------------------------|
 * | `profiles.yaml`        | the common fields of WLANs                                                     |
 * | `groups.yaml`          | variables that sites share, such as a pair of RADIUS servers                   |
 * | `stores.yaml`          | sites with the same WLANs, with their variables and overrides                  |
 * | `stores-with-iot.yaml` | further WLANs of some of them                                                  |
 * | `store-0017.yaml`      | the WLANs of a single site                                                     |
 */
export class FactoredFileWriter {
  readonly #secrets: SecretCatalog
  readonly #names: UniqueNames
  readonly #vars: ReadonlyMap<ImportedSite, SiteVars>
  readonly #groups: readonly SiteGroup[]

  constructor(secrets: SecretCatalog, { vars, groups }: SiteDifferences, names: UniqueNames) {
    this.#secrets = secrets
    this.#vars = vars
    this.#groups = groups
    this.#names = names
  }

  async write(
    profiles: ProfileBlocks,
    sites: readonly FactoredSite[],
    pause: Pause
  ): Promise<ImportedFile[]> {
    const lists = listsOf(sites)
    const shared = lists.filter(list => list.sites.length > 1)
    const files = [this.#profilesFile(profiles), ...this.#groupsFile()]
    for (const list of shared) {
      await pause()
      files.push(this.#listFile(list))
    }
    for (const site of sites) {
      await pause()
      const alone = lists.filter(list => !shared.includes(list) && list.sites.includes(site))
      append(files, this.#siteFile(site, alone, shared, profiles.base))
    }
    return files
  }

  #profilesFile({ blocks }: ProfileBlocks): ImportedFile {
    const file = `${this.#names.take('profiles')}.yaml`
    return { file, text: renderBlocks('profiles', blocks), wlans: 0, profiles: blocks.length }
  }

  #groupsFile(): ImportedFile[] {
    if (this.#groups.length === 0) return []
    const groups = this.#groups.map(({ name, vars }): Block => {
      return [name, { vars: varsBlock(vars, value => this.#show(value)) }]
    })
    const file = `${this.#names.take('groups')}.yaml`
    return [{ file, text: renderBlocks('groups', groups), wlans: 0 }]
  }

  #listFile({ name, profiles, sites, isMain }: SiteList): ImportedFile {
    const wlans = profiles.map(profile => extending(profile))
    const listed = sites.map(site => this.#declaredSite(site, profiles, isMain))
    return {
      file: `${this.#names.take(name)}.yaml`,
      text: joinBlocks([...wlanBlocks(wlans), ['sites:', ...listed.flatMap(siteItem)]]),
      wlans: sites.length * wlans.length
    }
  }

  /** The file of a site that is in no list, or has WLANs outside of lists. */
  #siteFile(
    site: FactoredSite,
    alone: readonly SiteList[],
    shared: readonly SiteList[],
    base: Block | undefined
  ): ImportedFile[] {
    const profiles = alone.flatMap(list => list.profiles)
    const isMain = !shared.some(list => list.isMain && list.sites.includes(site))
    const amount = profiles.length + site.variants.length + site.own.length
    if (amount === 0 && !isMain) return []
    const inBlocks = site.extensions.filter(({ profile, override }) => {
      return profiles.includes(profile) && override.unset.length === 0
    })
    const declared = this.#declaredSite(
      { ...site, extensions: site.extensions.filter(each => !inBlocks.includes(each)) },
      profiles,
      isMain
    )
    const keys = new UniqueNames('-')
    for (const { profile } of site.extensions) keys.take(profile.family.key)
    const wlans = [
      ...profiles.map(profile => {
        const fields = inBlocks.find(each => each.profile === profile)?.override.fields ?? {}
        return extending(profile, this.#show(fields) as ValueObject)
      }),
      ...site.variants.map(each => this.#variant(each, keys)),
      ...site.own.map(wlan => this.#plainWlan({ ...wlan, key: keys.take(wlan.key) }, base))
    ]
    wlans.sort(([a], [b]) => byCodeUnit(a, b))
    const text = renderOwnSite(declared, wlans)
    return [{ file: `${site.requested.slug}.yaml`, text, wlans: wlans.length }]
  }

  #variant({ profile, override, member }: ProfileExtension, keys: UniqueNames): Block {
    const fields = this.#show(override.fields) as ValueObject
    return [keys.take(keySlug(member.wlan.ssid)), { $extends: profile.name, ...fields }]
  }

  #plainWlan({ key, id, fields, record }: ImportedWlan, base: Block | undefined): Block {
    const extended = base && overBase(withImplied(base[1], fields, record), base)
    const { $extends = undefined, ...own } = extended ?? fields
    const shown = this.#show(own) as ValueObject
    return [key, { ...($extends !== undefined && { $extends }), id, ...shown }]
  }

  #declaredSite(
    { imported, requested: { timezone }, extensions }: FactoredSite,
    profiles: readonly ProfileCandidate[],
    isMain: boolean
  ): DeclaredSite {
    const { id, name } = imported.site
    const wlans = extensions
      .filter(extension => hasOverride(extension) && profiles.includes(extension.profile))
      .map(({ profile, override }) => [profile.family.key, this.#show(overrideBlock(override))])
    const declared = { id, name, wlans: Object.fromEntries(wlans) }
    if (!isMain) return { ...declared, groups: [], vars: {} }
    const groups = this.#groups.filter(({ sites }) => sites.has(imported))
    const vars = ownVars(this.#vars.get(imported) ?? new Map(), groups)
    return {
      ...declared,
      groups: groups.map(group => group.name),
      vars: {
        ...(timezone !== undefined && { timezone }),
        ...varsBlock(vars, value => this.#show(value))
      }
    }
  }

  #show(value: Value): Value {
    return this.#secrets.replaceSecrets(value)
  }
}

function extending({ name, family }: ProfileCandidate, fields: ValueObject = {}): Block {
  return [family.key, { $extends: name, ...fields }]
}

/** The maximum width of a line in a list of sites, in columns. */
const MAX_WIDTH = 120

interface DeclaredSite extends Site {
  readonly groups: readonly string[]
  readonly vars: ValueObject
  readonly wlans: ValueObject
}

function renderBlocks(head: string, blocks: readonly Block[]): string {
  const [first = [], ...others] = blocks.map(([name, body]) => memberLines(name, body, 2))
  return joinBlocks([[`${head}:`, ...first], ...others])
}

function renderOwnSite(site: DeclaredSite, wlans: readonly Block[]): string {
  const members = membersOf(site)
  const line = `site: ${flowText(members)}`
  const head = line.length <= MAX_WIDTH ? [line] : ['site:', ...mapLines(members, 2)]
  return joinBlocks([head, ...wlanBlocks(wlans)])
}

/** A site on one line, or with its overrides on another one, or with a line for each value. */
function siteItem(site: DeclaredSite): string[] {
  const members = membersOf(site)
  const line = `  - ${flowText(members)}`
  if (line.length <= MAX_WIDTH) return [line]
  const [id = '', ...others] = Object.entries(members).map(([name, value]) => {
    return `${name}: ${flowText(value)}`
  })
  const lines = [`  - { ${id}`]
  for (const text of others) {
    const longer = `${lines.at(-1)}, ${text}`
    // Two columns are for the closing brace, or for a comma.
    if (longer.length + 2 <= MAX_WIDTH && !text.startsWith('wlans:')) lines.splice(-1, 1, longer)
    else lines.push(`      ${text}`)
  }
  const item = lines.map((each, n) => each + (n < lines.length - 1 ? ',' : ' }'))
  return item.every(({ length }) => length <= MAX_WIDTH) ? item : itemLines(members, 2)
}

function membersOf({ id, name, groups, vars, wlans }: DeclaredSite): ValueObject {
  return {
    id,
    name,
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(vars).length > 0 && { vars }),
    ...(Object.keys(wlans).length > 0 && { wlans })
  }
}
