import { finding } from '../../model/finding.ts'
import { wlanField } from '../../schema/field.ts'
import { expectMap, expectText } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import { limits } from '../limits.ts'
import type { LoadContext } from '../load-context.ts'
import type { Entry, MapNode, Node } from '../yaml/tree.ts'
import { overlayBlocks, unset, without } from './layers.ts'
import { ssidOfMatch } from './validate.ts'

/**
 * One of the declarations that are merged to a WLAN: its block, a profile with its name, or the override of a
 * site.
 */
export interface Layer {
  readonly block: MapNode
  readonly profile?: string
  readonly isOverride?: true
}

/** The key with `$` that a WLAN inherits from its profiles. */
const INHERITED = '$match'

/** The reusable parts of WLANs, merged in the order of `$extends`. */
export class Profiles {
  readonly #declared: ReadonlyMap<string, Entry>
  readonly #run: LoadContext
  readonly #resolved = new Map<string, MapNode | undefined>()
  readonly #used = new Set<string>()
  readonly #owners = new Map<string, string | undefined>()
  readonly #pairs = new Map<MapNode, Map<MapNode, MapNode>>()
  /** Cache of the fields below overrides, by block; weak keys bound it. */
  readonly #below = new WeakMap<MapNode, MapNode>()

  constructor(declared: ReadonlyMap<string, Entry>, run: LoadContext) {
    this.#declared = declared
    this.#run = run
  }

  /**
   * The effective fields of a WLAN: later profiles take precedence over earlier ones, then the block, then
   * the override of the site. With an override, the result contains only fields.
   */
  effective(block: MapNode, override?: MapNode): MapNode {
    if (override === undefined) return this.#over(block, [])
    const below = this.below(block, override)
    return overlayBlocks(below, fieldsOf(override, override), wlanField, this.#run.budget)
  }

  /** The fields of a WLAN without the override of a site, and without the fields that the override unsets. */
  below(block: MapNode, override: MapNode): MapNode {
    const below = this.#below.get(block) ?? fieldsOf(this.#over(block, []), block)
    this.#below.set(block, below)
    return override.entries.has('$unset') ? unset(below, override, this.#run) : below
  }

  /** The block with the `id` and the `$` keys that it gets from its profiles and its override. */
  identity(block: MapNode, override: MapNode | undefined): MapNode {
    const inherited = block.entries.has(INHERITED) ? undefined : this.#inherited(block)
    if (inherited === undefined && override === undefined) return block
    const entries = new Map(block.entries)
    if (inherited !== undefined) entries.set(INHERITED, inherited)
    for (const [name, entry] of override?.entries ?? []) {
      if (name.startsWith('$') || name === 'id') entries.set(name, entry)
    }
    return { ...block, entries }
  }

  /** The merged profiles that a block extends: the same map for all blocks that extend the same profiles. */
  base(block: MapNode): MapNode | undefined {
    return this.#base(block, [])
  }

  /**
   * The declarations of a WLAN in descending precedence: the override of the site, the block, then its
   * profiles from the last to the first.
   */
  layersOf(block: MapNode, override?: MapNode): Layer[] {
    const layers: Layer[] = [{ block }, ...this.#extendedBy(block, [])]
    return override === undefined ? layers : [{ block: override, isOverride: true }, ...layers]
  }

  /** The owner that a block gets from its profiles: as with fields, the last profile with an owner counts. */
  ownerOf(block: MapNode): string | undefined {
    const extended = block.entries.get('$extends')
    if (extended === undefined) return undefined
    const names = namesIn(extended.value).flatMap(textIn)
    return names.map(name => this.#ownerOf(name)).findLast(owner => owner !== undefined)
  }

  /** The profiles that no block has extended so far, each merged over the profiles that it extends. */
  unused(): MapNode[] {
    return [...this.#declared.keys()].flatMap(name =>
      this.#used.has(name) ? [] : (this.#resolve(name, []) ?? [])
    )
  }

  /** `trail`: the names of the profiles that are being resolved, the outermost first. */
  #over(block: MapNode, trail: readonly string[]): MapNode {
    const base = this.#base(block, trail)
    return base === undefined ? block : overlayBlocks(base, block, wlanField, this.#run.budget)
  }

  #base(block: MapNode, trail: readonly string[]): MapNode | undefined {
    const extended = block.entries.get('$extends')
    if (extended === undefined) return undefined
    let base: MapNode | undefined
    for (const node of namesIn(extended.value)) {
      const profile = this.#named(node, trail)
      if (profile === undefined) continue
      base = base === undefined ? profile : this.#joined(base, profile)
    }
    return base
  }

  /** Merges two profiles. Cached, because many WLANs extend the same ones. */
  #joined(below: MapNode, above: MapNode): MapNode {
    const joined = this.#pairs.get(below) ?? new Map<MapNode, MapNode>()
    this.#pairs.set(below, joined)
    const known = joined.get(above) ?? overlayBlocks(below, above, wlanField, this.#run.budget)
    joined.set(above, known)
    return known
  }

  #extendedBy(block: MapNode, trail: readonly string[]): Layer[] {
    const extended = block.entries.get('$extends')
    const names = extended === undefined ? [] : namesIn(extended.value).flatMap(textIn)
    return names.reverse().flatMap(profile => {
      const below = this.#declared.get(profile)?.value
      if (below?.kind !== 'map' || trail.includes(profile)) return []
      return [{ block: below, profile }, ...this.#extendedBy(below, [...trail, profile])]
    })
  }

  /** The `$match` of the last profile with one. */
  #inherited(block: MapNode): Entry | undefined {
    if (!block.entries.has('$extends')) return undefined
    const layers = this.#extendedBy(block, [])
    return layers
      .map(layer => layer.block.entries.get(INHERITED))
      .find(entry => entry !== undefined)
  }

  #ownerOf(name: string): string | undefined {
    if (this.#owners.has(name)) return this.#owners.get(name)
    // A circular profile is an error that another check reports.
    this.#owners.set(name, undefined)
    const block = this.#declared.get(name)?.value
    if (block?.kind !== 'map') return undefined
    const owner = [block.entries.get('owner')?.value].flatMap(textIn)[0] ?? this.ownerOf(block)
    this.#owners.set(name, owner)
    return owner
  }

  #named(node: Node, trail: readonly string[]): MapNode | undefined {
    const name = expectText(node, this.#run.findings)
    if (name === undefined) return undefined
    if (!this.#declared.has(name)) {
      const near = this.#run.suggestions.nearKey(name, this.#declared)
      this.#run.findings.push(finding('PROFILE_UNKNOWN', at(node), name, near))
    } else if (trail.includes(name)) {
      const cycle = [...trail.slice(trail.indexOf(name)), name]
      this.#run.findings.push(finding('PROFILE_CYCLE', at(node), cycle))
    } else if (trail.length >= limits.extends) {
      this.#run.findings.push(finding('PROFILE_TOO_DEEP', at(node), limits.extends))
    } else {
      this.#used.add(name)
      return this.#resolve(name, trail)
    }
    return undefined
  }

  #resolve(name: string, trail: readonly string[]): MapNode | undefined {
    if (this.#resolved.has(name)) return this.#resolved.get(name)
    const entry = this.#declared.get(name)
    const block = entry && expectMap(entry.value, this.#run.findings)
    if (block !== undefined) this.#checkKeys(block)
    const profile = block && fieldsOfProfile(this.#over(block, [...trail, name]))
    this.#resolved.set(name, profile)
    return profile
  }

  /** Reports keys with `$` except `$extends` and `$match`. */
  #checkKeys(block: MapNode): void {
    for (const [name, entry] of block.entries) {
      if (name === 'owner') expectText(entry.value, this.#run.findings)
      if (name === INHERITED) ssidOfMatch(entry, this.#run.findings)
      if (!name.startsWith('$') || name === '$extends' || name === INHERITED) continue
      this.#run.findings.push(finding('PROFILE_KEY', atKey(entry), name))
    }
  }
}

/** The fields of a profile, without `$` keys. */
function fieldsOfProfile(profile: MapNode): MapNode {
  return without(profile, name => name.startsWith('$') || name === 'owner')
}

/** The fields of a block or an override; an `id` from a profile is an invalid field. */
function fieldsOf(map: MapNode, own: MapNode): MapNode {
  const id = own.entries.get('id')
  return without(map, (name, entry) => name.startsWith('$') || entry === id)
}

/** The string of a node as a list; empty for other nodes, which another check reports. */
function textIn(node: Node | undefined): string[] {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? [node.value] : []
}

/** The names in `$extends`: one name or a list. */
export function namesIn(node: Node): readonly Node[] {
  return node.kind === 'list' ? node.items : [node]
}
