import { UniqueNames } from '../../../core/audit/slug.ts'
import { append, byCodeUnit } from '../../../core/values/collections.ts'
import { fromEntries, type Value, type ValueObject } from '../../../core/values/value.ts'
import { mapLines, memberLines, shortItem } from '../../yaml-edit/write.ts'
import { keySlug } from '../names.ts'
import type { SecretCatalog } from '../secrets.ts'
import type { ImportedWlan, RequestedImport } from '../site.ts'
import {
  type Block,
  type ImportedFile,
  type Pause,
  siteMembers,
  varsMember
} from '../site-files.ts'
import type { ExtendedKind } from './extensions.ts'
import type { SiteGroup } from './groups.ts'
import { overrideFor } from './overrides.ts'
import type { ProfileBlocks } from './profiles.ts'

/** A fleet in layers. */
export interface Layers extends ProfileBlocks {
  readonly groups: readonly SiteGroup[]
  readonly kinds: readonly ExtendedKind[]
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
    const shared = base === undefined ? profiles : [base, ...profiles]
    const files = [
      ...this.#blocksFile('profiles', shared).map(file => ({ ...file, profiles: shared.length })),
      ...this.#blocksFile(
        'groups',
        groups.map(({ name, vars }) => [name, varsMember(fromEntries(vars))])
      )
    ]
    for (const extended of kinds) {
      await pause()
      const { sites: all } = extended.kind
      const [first, second] = all
      if (first !== undefined && second === undefined) files.push(this.#siteFile(extended, first))
      else {
        for (let at = 0; at < all.length; at += MAX_SITES) {
          files.push(this.#kindFile(extended, all.slice(at, at + MAX_SITES)))
        }
      }
    }
    return files
  }

  #blocksFile(head: 'profiles' | 'groups', blocks: readonly Block[]): ImportedFile[] {
    if (blocks.length === 0) return []
    const [first = [], ...others] = this.#lines(blocks)
    const text = joinBlocks([[`${head}:`, ...first], ...others])
    return [{ file: `${this.#names.take(head)}.yaml`, text, wlans: 0 }]
  }

  #kindFile(extended: ExtendedKind, sites: readonly RequestedImport[]): ImportedFile {
    const { kind, blocks, extensions } = extended
    const items = sites.flatMap(site => {
      const overrides = [...blocks.keys()].flatMap((profile): Block[] => {
        const found = extensions.get(site)?.find(each => each.profile === profile && !each.isCopy)
        const block = found?.override ?? { $managed: false }
        return Object.keys(block).length === 0 ? [] : [[profile.family.key, block]]
      })
      const own = this.#ownWlans(extended, site)
      return shortItem(this.#site(extended, site, [...overrides, ...own]), 'wlans')
    })
    const wlans = [...blocks].map(
      ([{ family }, block]): Block => [family.key, { $extends: family.key, ...block }]
    )
    const text = joinBlocks([...this.#wlans(wlans), ['sites:', ...items]])
    return { file: `${this.#names.take(kind.name)}.yaml`, text, wlans: countWlans(sites) }
  }

  /** The file of a site that is alone. */
  #siteFile(extended: ExtendedKind, site: RequestedImport): ImportedFile {
    const head = ['site:', ...mapLines(this.#site(extended, site), 2)]
    const text = joinBlocks([head, ...this.#wlans(this.#ownWlans(extended, site))])
    return { file: `${site.slug}.yaml`, text, wlans: site.wlans.length }
  }

  /** The WLANs that a site has beyond those of its kind. */
  #ownWlans({ kind, blocks, extensions }: ExtendedKind, site: RequestedImport): Block[] {
    const extending = extensions.get(site) ?? []
    const keys = new UniqueNames('-')
    const profiles = new Set([...blocks.keys(), ...extending.map(({ profile }) => profile)])
    for (const { family } of profiles) keys.take(family.key)
    const others = extending.filter(each => each.isCopy || !blocks.has(each.profile))
    const wlans = others.map(({ profile: { family }, wlan, isCopy, override }): Block => {
      // In a list of sites, a WLAN with an SSID is one of the site, and another one an override.
      const ssid = kind.sites.length === 1 ? {} : { ssid: wlan.ssid }
      const fields = { $extends: family.key, ...ssid, ...override }
      return [isCopy ? keys.take(keySlug(wlan.ssid)) : family.key, fields]
    })
    const extended = new Set(extending.map(({ wlan }) => wlan))
    for (const wlan of site.wlans) {
      if (!extended.has(wlan)) wlans.push([keys.take(wlan.key), this.#ownWlan(wlan)])
    }
    return wlans.sort(([a], [b]) => byCodeUnit(a, b))
  }

  /** A WLAN over the base, if that needs no `$unset`, which is for overrides. */
  #ownWlan(wlan: ImportedWlan): ValueObject {
    const own = { id: wlan.id, ...wlan.fields }
    const [name, fields] = this.#layers.base ?? []
    const override = fields && overrideFor(fields, wlan)
    if (name === undefined || !override || Object.hasOwn(override, '$unset')) return own
    return { $extends: name, id: wlan.id, ...override }
  }

  /** A site with its groups, and with the variables that it needs and that no group sets for it. */
  #site(
    { extensions }: ExtendedKind,
    site: RequestedImport,
    overrides: readonly Block[] = []
  ): ValueObject {
    const groups = this.#layers.groups.filter(({ sites }) => sites.has(site))
    const needed = extensions.get(site)?.flatMap(({ variables }) => [...variables]) ?? []
    const vars = new Map<string, Value | undefined>([['timezone', site.timezone]])
    for (const { name, values } of needed) vars.set(name, values.get(site))
    const own = [...vars].flatMap(([name, value]) => {
      const isSet = value === undefined || groups.some(each => each.vars.get(name) === value)
      return isSet ? [] : [[name, value] as const]
    })
    const layers = { groups: groups.map(({ name }) => name), vars: fromEntries(own), overrides }
    return this.#secrets.replaceSecrets(siteMembers(site, layers)) as ValueObject
  }

  #lines(blocks: readonly Block[]): string[][] {
    return blocks.map(([name, body]) => memberLines(name, this.#secrets.replaceSecrets(body), 2))
  }

  /** The `wlans` of a file, each as a block; single lines share a block. */
  #wlans(wlans: readonly Block[]): string[][] {
    const blocks: string[][] = []
    for (const lines of this.#lines(wlans)) {
      const last = blocks.at(-1)
      if (last === undefined) blocks.push(['wlans:', ...lines])
      else if (lines.length === 1 && last.at(-1)?.startsWith('   ') === false) append(last, lines)
      else blocks.push(lines)
    }
    return blocks
  }
}

/** Joins blocks of lines to a file, separated by empty lines. */
function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

function countWlans(sites: readonly RequestedImport[]): number {
  return sites.reduce((sum, { wlans }) => sum + wlans.length, 0)
}
