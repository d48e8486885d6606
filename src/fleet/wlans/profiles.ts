import { finding } from '../../core/model/finding.ts'
import { wlanField } from '../../core/schema/field.ts'
import { append, getOrInsert } from '../../core/values/collections.ts'
import { checkInstructions, expectMap, expectText } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import { limits, NODES_OF_ENTRY } from '../limits.ts'
import type { Usage } from '../usage.ts'
import { type Entry, type MapNode, type Node, textOf } from '../yaml/tree.ts'
import { overlayBlocks, unset, without } from './layers.ts'
import { ssidOfMatch } from './validate.ts'

/** One of the declarations of a WLAN: its block, a profile with its name, or the override of a site. */
export interface Layer {
  readonly block: MapNode
  readonly profile?: string
  readonly isOverride?: true
}

/** The keys with `$` that a WLAN inherits from its profiles: those of the last profile with one. */
const INHERITED = ['$match', '$protect']

export interface Extended {
  /** The merged fields: the same map for all blocks that extend the same profiles. */
  readonly fields: MapNode
  /** The inherited keys with `$`, each from the last profile with one. */
  readonly keys: ReadonlyMap<string, Entry>
}

const NO_KEYS: ReadonlyMap<string, Entry> = new Map()

interface Merging {
  readonly findings: Findings
  readonly usage: Usage
}

export class Profiles {
  readonly #declared: ReadonlyMap<string, Entry>
  readonly #run: Merging
  readonly #resolved = new Map<string, Extended | undefined>()
  readonly #used = new Set<string>()
  /** Cache of what blocks extend, by its names, so that they share the fields. Bound: the blocks that extend others. */
  readonly #extendedBy = new Map<string, Extended>()
  /** Cache of the fields below overrides, by block; weak keys bound it. */
  readonly #below = new WeakMap<MapNode, MapNode>()

  constructor(declared: ReadonlyMap<string, Entry>, run: Merging) {
    this.#declared = declared
    this.#run = run
  }

  /**
   * The effective fields of a WLAN: later profiles take precedence over earlier ones, then the block, then
   * the override of the site. With an override, the result contains only fields.
   */
  effective(block: MapNode, override?: MapNode): MapNode {
    if (override === undefined) return this.#over(block, this.extended(block))
    const below = this.below(block, override)
    return overlayBlocks(below, fieldsOf(override, override), wlanField)
  }

  /** The fields of a WLAN without the override of a site, and without the fields that the override unsets. */
  below(block: MapNode, override: MapNode): MapNode {
    const below = getOrInsert(this.#below, block, () =>
      this.#kept(fieldsOf(this.#over(block, this.extended(block)), block))
    )
    return override.entries.has('$unset') ? unset(below, override, this.#run.findings) : below
  }

  /** The block with the `id` and the `$` keys that it gets from its profiles and its override. */
  identity(block: MapNode, extended: Extended | undefined, override: MapNode | undefined): MapNode {
    const inherited = extended?.keys ?? NO_KEYS
    if (inherited.size === 0 && override === undefined) return block
    const entries = new Map([...inherited, ...block.entries])
    for (const [name, entry] of override?.entries ?? []) {
      if (name.startsWith('$') || name === 'id') entries.set(name, entry)
    }
    return { ...block, entries }
  }

  extended(block: MapNode): Extended | undefined {
    return this.#extended(block, [])
  }

  /**
   * The declarations of a WLAN in descending precedence: the override of the site, the block, then its
   * profiles from the last to the first, each once, at its strongest place.
   */
  layersOf(block: MapNode, override?: MapNode): Layer[] {
    const layers: Layer[] = override === undefined ? [] : [{ block: override, isOverride: true }]
    layers.push({ block })
    const seen = new Set<string>()
    const left = extendedNames(block)
    for (let profile = left.pop(); profile !== undefined; profile = left.pop()) {
      const below = this.#declared.get(profile)?.value
      if (seen.has(profile) || below?.kind !== 'map') continue
      seen.add(profile)
      layers.push({ block: below, profile })
      append(left, extendedNames(below))
    }
    return layers
  }

  /** The profiles that no block has extended so far, each merged over the profiles that it extends. */
  unused(): MapNode[] {
    return [...this.#declared.keys()].flatMap(name =>
      this.#used.has(name) ? [] : (this.#resolve(name, [])?.fields ?? [])
    )
  }

  #kept(map: MapNode): MapNode {
    this.#run.usage.add('nodes', map.entries.size * NODES_OF_ENTRY)
    return map
  }

  #over(block: MapNode, extended: Extended | undefined): MapNode {
    return extended === undefined ? block : overlayBlocks(extended.fields, block, wlanField)
  }

  /** `trail`: the names of the profiles that are being resolved, the outermost first. */
  #extended(block: MapNode, trail: readonly string[]): Extended | undefined {
    const declared = block.entries.get('$extends')?.value
    if (declared === undefined) return undefined
    const nodes = namesIn(declared)
    const key = JSON.stringify(nodes.map(textOf))
    const known = this.#extendedBy.get(key)
    if (known !== undefined) return known
    const { pushes } = this.#run.findings
    const extended = this.#merged(nodes, trail)
    // Each block with findings reports them at its place.
    const isValid = extended !== undefined && pushes === this.#run.findings.pushes
    if (isValid) {
      this.#kept(extended.fields)
      this.#extendedBy.set(key, extended)
    }
    return extended
  }

  #merged(nodes: readonly Node[], trail: readonly string[]): Extended | undefined {
    this.#reportTwice(nodes)
    let merged: Extended | undefined
    for (const node of nodes) {
      this.#run.usage.time.check()
      const profile = this.#named(node, trail)
      if (profile === undefined) continue
      merged = merged === undefined ? profile : this.#joined(merged, profile)
    }
    return merged
  }

  #reportTwice(nodes: readonly Node[]): void {
    const names = new Set<string>()
    for (const node of nodes) {
      const name = textOf(node)
      if (name === undefined) continue
      if (names.has(name)) this.#run.findings.push(finding('EXTENDS_TWICE', at(node), name))
      names.add(name)
    }
  }

  #joined(below: Extended, above: Extended): Extended {
    return {
      fields: overlayBlocks(below.fields, above.fields, wlanField),
      keys: new Map([...below.keys, ...above.keys])
    }
  }

  #named(node: Node, trail: readonly string[]): Extended | undefined {
    const name = expectText(node, this.#run.findings)
    if (name === undefined) return undefined
    if (!this.#declared.has(name)) {
      const near = this.#run.findings.near(name, this.#declared)
      this.#run.findings.push(finding('NAME_UNKNOWN', at(node), 'profile', name, near))
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

  #resolve(name: string, trail: readonly string[]): Extended | undefined {
    if (this.#resolved.has(name)) return this.#resolved.get(name)
    const entry = this.#declared.get(name)
    const block = entry && expectMap(entry.value, this.#run.findings)
    const profile = block && this.#profile(block, [...trail, name])
    this.#resolved.set(name, profile)
    return profile
  }

  #profile(block: MapNode, trail: readonly string[]): Extended {
    this.#checkKeys(block)
    const extended = this.#extended(block, trail)
    const { keys = NO_KEYS } = extended ?? {}
    const own = [...block.entries].filter(([name]) => INHERITED.includes(name))
    return {
      fields: this.#kept(without(this.#over(block, extended), name => name.startsWith('$'))),
      keys: own.length === 0 ? keys : new Map([...keys, ...own])
    }
  }

  #checkKeys(block: MapNode): void {
    const match = block.entries.get('$match')
    if (match !== undefined) ssidOfMatch(match, this.#run.findings)
    checkInstructions(block, 'a profile', this.#run.findings)
  }
}

/** The fields of a block or an override; an `id` from a profile is an invalid field. */
function fieldsOf(map: MapNode, own: MapNode): MapNode {
  const id = own.entries.get('id')
  return without(map, (name, entry) => name.startsWith('$') || entry === id)
}

export function extendedNames({ entries }: MapNode): string[] {
  const declared = entries.get('$extends')
  return declared === undefined ? [] : namesIn(declared.value).flatMap(node => textOf(node) ?? [])
}

function namesIn(node: Node): readonly Node[] {
  return node.kind === 'list' ? node.items : [node]
}
