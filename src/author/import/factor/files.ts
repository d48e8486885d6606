import { UniqueNames } from '../../../core/audit/slug.ts'
import { append, byCodeUnit, sortBy } from '../../../core/values/collections.ts'
import { fromEntries, type ValueObject } from '../../../core/values/value.ts'
import { textScalar } from '../../yaml-edit/scalar.ts'
import { mapLines, memberLines } from '../../yaml-edit/write.ts'
import { keySlug } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { ImportedSite, ImportedWlan, RequestedImport } from '../site.ts'
import {
  type Block,
  type ImportedFile,
  joinBlocks,
  type Pause,
  siteItem,
  siteMembers,
  wlanBlocks
} from '../site-files.ts'
import type { ExtendedKind } from './extensions.ts'
import { ownVars, type SiteGroup, type SiteVars } from './groups.ts'
import { overrideBlock, overrideFor } from './overrides.ts'
import type { ProfileBlocks } from './profile-blocks.ts'

/** A fleet in layers. */
export interface Layers extends ProfileBlocks {
  readonly groups: readonly SiteGroup[]
  readonly kinds: readonly ExtendedKind[]
  readonly vars: ReadonlyMap<RequestedImport, SiteVars>
}

/** The maximum number of sites in a file. */
const MAX_SITES = 5000

/**
 * Writes the files of a factored fleet.
 *
 * | file            | content                                                                    |
 * |-----------------|----------------------------------------------------------------------------|
 * | `profiles.yaml` | the common fields of WLANs                                                 |
 * | `groups.yaml`   | variables that sites share, such as a pair of RADIUS servers               |
 * | `stores.yaml`   | the sites of a kind, with their variables, overrides and WLANs of their own |
 * | `hq.yaml`       | a site that is alone                                                       |
 */
export class LayerWriter {
  readonly #layers: Layers
  readonly #secrets: SecretCatalog
  readonly #names = new UniqueNames('-')

  constructor(layers: Layers, secrets: SecretCatalog) {
    this.#layers = layers
    this.#secrets = secrets
  }

  /** The files of these sites, those of single sites in their order. */
  async write(sites: readonly RequestedImport[], pause: Pause): Promise<ImportedFile[]> {
    for (const { slug } of sites) this.#names.take(slug)
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
    for (const extended of kinds) {
      await pause()
      const [first, ...others] = extended.kind.sites
      if (first !== undefined && others.length === 0) files.push(this.#siteFile(extended, first))
      for (let at = 0; at < others.length; at += MAX_SITES) {
        files.push(this.#kindFile(extended, extended.kind.sites.slice(at, at + MAX_SITES)))
      }
    }
    return files
  }

  #blocksFile(head: 'profiles' | 'groups', blocks: readonly Block[]): ImportedFile {
    const [first = [], ...others] = blocks.map(([name, body]) => memberLines(name, body, 2))
    const text = joinBlocks([[`${head}:`, ...first], ...others])
    return { file: `${this.#names.take(head)}.yaml`, text, wlans: 0 }
  }

  #kindFile(extended: ExtendedKind, sites: readonly RequestedImport[]): ImportedFile {
    const { kind, blocks, extensions } = extended
    let amount = 0
    const items = sites.flatMap(site => {
      const overrides = [...blocks.keys()].flatMap((profile): Block[] => {
        const found = extensions.get(site)?.find(each => each.profile === profile && !each.isCopy)
        if (found !== undefined) amount += 1
        const block = found === undefined ? { $managed: false } : overrideBlock(found.override)
        return Object.keys(block).length === 0 ? [] : [[profile.family.key, this.#show(block)]]
      })
      const own = this.#ownWlans(extended, site)
      amount += own.length
      return siteItem(this.#site(site, [...overrides, ...own]))
    })
    const wlans = [...blocks].map(
      ([{ family }, block]): Block => [family.key, { $extends: family.key, ...this.#show(block) }]
    )
    const text = joinBlocks([...wlanBlocks(wlans), ['sites:', ...items]])
    return { file: `${this.#names.take(kind.name)}.yaml`, text, wlans: amount }
  }

  /** The file of a site that is alone. */
  #siteFile(extended: ExtendedKind, site: RequestedImport): ImportedFile {
    const wlans = this.#ownWlans(extended, site)
    const parts = [['site:', ...mapLines(this.#site(site, []), 2)], ...wlanBlocks(wlans)]
    if (site.inherited.length > 0) parts.push(inheritedComment(site.inherited))
    return { file: `${site.slug}.yaml`, text: joinBlocks(parts), wlans: wlans.length }
  }

  /** The WLANs that a site has beyond those of its kind; all WLANs of a site that is alone. */
  #ownWlans({ kind, blocks, extensions }: ExtendedKind, site: RequestedImport): Block[] {
    const isAlone = kind.sites.length === 1
    const extending = extensions.get(site) ?? []
    const keys = new UniqueNames('-')
    const families = new Set([...blocks.keys(), ...extending.map(({ profile }) => profile)])
    for (const { family } of families) keys.take(family.key)
    const others = extending.filter(
      ({ profile, isCopy }) => isAlone || isCopy || !blocks.has(profile)
    )
    const wlans = others.map(({ profile, wlan, isCopy, override }): Block => {
      const { key } = profile.family
      // In a list of sites, a WLAN with an SSID is one of the site, and another one an override.
      const ssid = isAlone ? {} : { ssid: wlan.ssid }
      const fields = { $extends: key, ...ssid, ...this.#show(override.fields) }
      return [isCopy ? keys.take(keySlug(wlan.ssid)) : key, fields]
    })
    const extended = new Set(extending.map(({ wlan }) => wlan))
    const alone = site.wlans.filter(wlan => !extended.has(wlan))
    append(
      wlans,
      alone.map(wlan => this.#ownWlan(wlan, keys.take(wlan.key)))
    )
    return wlans.sort(([a], [b]) => byCodeUnit(a, b))
  }

  #ownWlan(wlan: ImportedWlan, key: string): Block {
    const { base } = this.#layers
    const override = base && overrideFor(base[1], wlan)
    const isOver = base !== undefined && override?.unset.length === 0
    const fields = isOver ? override.fields : wlan.fields
    return [key, { ...(isOver && { $extends: base[0] }), id: wlan.id, ...this.#show(fields) }]
  }

  /** A site with its groups and variables. */
  #site(site: RequestedImport, overrides: readonly Block[]): ValueObject {
    const { timezone } = site
    const groups = this.#layers.groups.filter(({ sites }) => sites.has(site))
    const vars = this.#vars(ownVars(this.#layers.vars.get(site) ?? new Map(), groups))
    return siteMembers(site, {
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

function inheritedComment(inherited: ImportedSite['inherited']): string[] {
  const lines = inherited.map(({ id, ssid }) => `#   ${id}  ${textScalar(ssid)}`)
  return ['# WLANs of the organization, which a site cannot update:', ...lines]
}
