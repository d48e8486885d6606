import { append, byCodeUnit, sortBy } from '../../../core/values/collections.ts'
import { fromEntries, type ValueObject } from '../../../core/values/value.ts'
import { flowText, itemLines, memberLines } from '../../yaml-edit/write.ts'
import { keySlug, UniqueNames } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import {
  type Block,
  type ImportedFile,
  joinBlocks,
  type Pause,
  siteFile,
  siteMembers,
  wlanBlocks
} from '../site-files.ts'
import type { RequestedImport } from '../site-requests.ts'
import type { ExtendedKind } from './extensions.ts'
import { ownVars, type SiteGroup, type SiteVars } from './groups.ts'
import { overrideBlock, overrideFor } from './overrides.ts'
import type { ProfileBlocks } from './profile-blocks.ts'

/** A fleet in layers. */
export interface Layers extends ProfileBlocks {
  readonly groups: readonly SiteGroup[]
  readonly kinds: readonly ExtendedKind[]
  readonly vars: ReadonlyMap<ImportedSite, SiteVars>
}

/** The maximum number of sites in a file. */
const MAX_SITES = 5000

/**
 * Writes the files of a factored fleet.
 *
 * | file              | content                                                                              |
 * |-------------------|--------------------------------------------------------------------------------------|
 * | `profiles.yaml`   | the common fields of WLANs                                                           |
 * | `groups.yaml`     | variables that sites share, such as a pair of RADIUS servers                         |
 * | `stores.yaml`     | the sites of a kind, with their variables and overrides                              |
 * | `store-0017.yaml` | the WLANs that a site has beyond those of its kind; all WLANs of a site that is alone |
 */
export class LayerWriter {
  readonly #layers: Layers
  readonly #secrets: SecretCatalog
  readonly #names = new UniqueNames('-')

  /** `slugs` are the names of the files of single sites. */
  constructor(layers: Layers, secrets: SecretCatalog, slugs: readonly string[]) {
    this.#layers = layers
    this.#secrets = secrets
    for (const slug of slugs) this.#names.take(slug)
  }

  async write(pause: Pause): Promise<ImportedFile[]> {
    const { base, profiles, groups, kinds } = this.#layers
    const files: ImportedFile[] = []
    if (profiles.length > 0) {
      const blocks = [...(base === undefined ? [] : [base]), ...profiles]
      files.push({ ...this.#blocksFile('profiles', blocks), profiles: blocks.length })
    }
    if (groups.length > 0) {
      const blocks = groups.map(({ name, vars }): Block => {
        return [name, vars.size === 0 ? {} : { vars: this.#vars(vars) }]
      })
      files.push(this.#blocksFile('groups', blocks))
    }
    const alone: ImportedFile[] = []
    for (const extended of kinds) {
      await pause()
      const { sites } = extended.kind
      for (let at = 0; at < sites.length && sites.length > 1; at += MAX_SITES) {
        files.push(this.#kindFile(extended, sites.slice(at, at + MAX_SITES)))
      }
      for (const site of sites) {
        await pause()
        append(alone, this.#siteFile(extended, site))
      }
    }
    return [...files, ...alone.sort((a, b) => byCodeUnit(a.file, b.file))]
  }

  #blocksFile(head: 'profiles' | 'groups', blocks: readonly Block[]): ImportedFile {
    const [first = [], ...others] = blocks.map(([name, body]) => memberLines(name, body, 2))
    const text = joinBlocks([[`${head}:`, ...first], ...others])
    return { file: `${this.#names.take(head)}.yaml`, text, wlans: 0 }
  }

  #kindFile(
    { kind, blocks, extensions }: ExtendedKind,
    sites: readonly RequestedImport[]
  ): ImportedFile {
    let amount = 0
    const items = sites.flatMap(site => {
      const own = extensions.get(site[1])?.filter(({ isCopy }) => !isCopy)
      const overrides = [...blocks.keys()].flatMap((profile): Block[] => {
        const found = own?.find(each => each.profile === profile)
        if (found !== undefined) amount += 1
        const block = found === undefined ? { $managed: false } : overrideBlock(found.override)
        return Object.keys(block).length === 0 ? [] : [[profile.family.key, this.#show(block)]]
      })
      return siteItem(this.#site(site, overrides))
    })
    const wlans = [...blocks].map(
      ([{ family }, block]): Block => [family.key, { $extends: family.key, ...this.#show(block) }]
    )
    const text = joinBlocks([...wlanBlocks(wlans), ['sites:', ...items]])
    return { file: `${this.#names.take(kind.name)}.yaml`, text, wlans: amount }
  }

  /** The file of a site that is alone, or has WLANs that its kind lacks. */
  #siteFile({ kind, blocks, extensions }: ExtendedKind, site: RequestedImport): ImportedFile[] {
    const [requested, imported] = site
    const isAlone = kind.sites.length === 1
    const extending = extensions.get(imported) ?? []
    const keys = new UniqueNames('-')
    const families = new Set([...blocks.keys(), ...extending.map(({ profile }) => profile)])
    for (const { family } of families) keys.take(family.key)
    const overrides: Block[] = []
    const wlans = extending.flatMap(({ profile, wlan, isCopy, override }): Block[] => {
      if (!isAlone && !isCopy && blocks.has(profile)) return []
      const { key } = profile.family
      const fields = { $extends: key, ...this.#show(override.fields) }
      const { unset } = override
      if (unset.length > 0) overrides.push([key, overrideBlock({ fields: {}, unset })])
      return [[isCopy ? keys.take(keySlug(wlan.ssid)) : key, fields]]
    })
    const declared = new Set(extending.map(({ wlan }) => wlan))
    const own = imported.wlans.filter(wlan => !declared.has(wlan))
    append(
      wlans,
      own.map(wlan => this.#ownWlan(wlan, keys.take(wlan.key)))
    )
    if (!isAlone && wlans.length === 0) return []
    wlans.sort(([a], [b]) => byCodeUnit(a, b))
    const inherited = isAlone ? imported.inherited : []
    const members = isAlone
      ? this.#site(site, overrides)
      : siteMembers(imported.site, { overrides })
    return [siteFile(requested, members, wlans, inherited)]
  }

  #ownWlan(wlan: ImportedWlan, key: string): Block {
    const { base } = this.#layers
    const override = base && overrideFor(base[1], wlan)
    const isOver = base !== undefined && override?.unset.length === 0
    const fields = isOver ? override.fields : wlan.fields
    return [key, { ...(isOver && { $extends: base[0] }), id: wlan.id, ...this.#show(fields) }]
  }

  /** A site with its groups and variables. */
  #site([{ timezone }, imported]: RequestedImport, overrides: readonly Block[]): ValueObject {
    const groups = this.#layers.groups.filter(({ sites }) => sites.has(imported))
    const vars = this.#vars(ownVars(this.#layers.vars.get(imported) ?? new Map(), groups))
    return siteMembers(imported.site, {
      groups: groups.map(({ name }) => name),
      vars: timezone === undefined ? vars : { timezone, ...vars },
      overrides
    })
  }

  #vars(vars: SiteVars): ValueObject {
    const members = [...vars].map(([{ name }, value]) => [name, value] as const)
    return this.#show(fromEntries(sortBy(members, ([name]) => name)))
  }

  #show(block: ValueObject): ValueObject {
    return this.#secrets.replaceSecrets(block) as ValueObject
  }
}

/** The maximum width of a line in a list of sites, in columns. */
const MAX_WIDTH = 120

/** A site on one line, or with its overrides on another one, or with a line for each value. */
function siteItem(site: ValueObject): string[] {
  const line = `  - ${flowText(site)}`
  if (line.length <= MAX_WIDTH) return [line]
  const [id = '', ...others] = Object.entries(site).map(([name, value]) => {
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
  return item.every(({ length }) => length <= MAX_WIDTH) ? item : itemLines(site, 2)
}
