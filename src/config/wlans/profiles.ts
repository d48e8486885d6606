import { finding } from '../../model/finding.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import { expectMap, expectText } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import { type Budget, limits } from '../limits.ts'
import type { LoadContext } from '../load-context.ts'
import type { Entry, MapNode, Node } from '../yaml/tree.ts'
import { isReference } from './references.ts'

/** A part of what makes a WLAN: its own block, or a profile of that name. */
export interface Layer {
  readonly block: MapNode
  readonly profile?: string
}

/** The reusable parts of WLANs, laid over each other as `$extends` says. */
export class Profiles {
  readonly #declared: ReadonlyMap<string, Entry>
  readonly #run: LoadContext
  readonly #resolved = new Map<string, MapNode | undefined>()
  readonly #used = new Set<string>()
  readonly #owners = new Map<string, string | undefined>()
  readonly #pairs = new Map<MapNode, Map<MapNode, MapNode>>()

  constructor(declared: ReadonlyMap<string, Entry>, run: LoadContext) {
    this.#declared = declared
    this.#run = run
  }

  /** A WLAN's block laid over what it extends: later profiles win, the block wins last. */
  effective(block: MapNode): MapNode {
    return this.#over(block, [])
  }

  /** What a block extends, without the block: the same map for all that extend the same profiles. */
  base(block: MapNode): MapNode | undefined {
    return this.#base(block, [])
  }

  /** What a block is made of, the strongest first: itself, then what it extends, from the last one on. */
  layersOf(block: MapNode): Layer[] {
    return [{ block }, ...this.#extendedBy(block, [])]
  }

  /** Who answers for what a block extends: as with fields, the last profile with an owner wins. */
  ownerOf(block: MapNode): string | undefined {
    const extended = block.entries.get('$extends')
    if (extended === undefined) return undefined
    const names = namesIn(extended.value).flatMap(textIn)
    return names.map(name => this.#ownerOf(name)).findLast(owner => owner !== undefined)
  }

  /** The profiles that no block has extended so far, each laid over what it extends itself. */
  unused(): MapNode[] {
    return [...this.#declared.keys()].flatMap(name =>
      this.#used.has(name) ? [] : (this.#resolve(name, []) ?? [])
    )
  }

  /** `trail` names the profiles that are being resolved, the outermost first. */
  #over(block: MapNode, trail: readonly string[]): MapNode {
    const base = this.#base(block, trail)
    return base === undefined ? block : overlay(base, block, wlanField, this.#run.budget)
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

  /** Two profiles, one over the other; many WLANs extend the same ones. */
  #joined(below: MapNode, above: MapNode): MapNode {
    const joined = this.#pairs.get(below) ?? new Map<MapNode, MapNode>()
    this.#pairs.set(below, joined)
    const known = joined.get(above) ?? overlay(below, above, wlanField, this.#run.budget)
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

  #ownerOf(name: string): string | undefined {
    if (this.#owners.has(name)) return this.#owners.get(name)
    // A profile that extends itself is an error, which is found elsewhere.
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
    const profile = block && stripped(this.#over(block, [...trail, name]))
    this.#resolved.set(name, profile)
    return profile
  }

  /** Of the instructions to wlanctl, a profile may hold only `$extends` and `owner`. */
  #checkKeys(block: MapNode): void {
    for (const [name, entry] of block.entries) {
      if (name === 'owner') expectText(entry.value, this.#run.findings)
      if (!name.startsWith('$') || name === '$extends') continue
      this.#run.findings.push(finding('PROFILE_KEY', atKey(entry), name))
    }
  }
}

/** The fields of a profile, without instructions to wlanctl. */
function stripped(profile: MapNode): MapNode {
  const entries = new Map(profile.entries)
  for (const name of profile.entries.keys()) {
    if (name.startsWith('$') || name === 'owner') entries.delete(name)
  }
  return { ...profile, entries }
}

/** The text that a node is; nothing where it is none, which is a finding of its own. */
function textIn(node: Node | undefined): string[] {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? [node.value] : []
}

/** The names in an `$extends`: one, or a list of them. */
export function namesIn(node: Node): readonly Node[] {
  return node.kind === 'list' ? node.items : [node]
}

/**
 * Lays one map over another, member by member at any depth. Lists, references, and objects that the
 * schema compares as a whole are one value: the upper one replaces the lower.
 */
export function overlay(below: MapNode, above: MapNode, field: Field, budget: Budget): MapNode {
  if (!budget.spend(below.entries.size + above.entries.size)) return above
  const entries = new Map(below.entries)
  for (const [name, entry] of covering(above, below, field, budget).entries)
    entries.set(name, entry)
  return { ...above, entries }
}

/** The members of the upper map alone, each laid over the one that it covers. */
export function covering(above: MapNode, below: MapNode, field: Field, budget: Budget): MapNode {
  let entries: Map<string, Entry> | undefined
  for (const [name, entry] of above.entries) {
    const covered = below.entries.get(name)?.value
    if (covered?.kind !== 'map') continue
    const member = field.member(name)
    if (!isMergeable(covered, entry.value, member)) continue
    entries ??= new Map(above.entries)
    entries.set(name, { ...entry, value: overlay(covered, entry.value, member, budget) })
  }
  return entries === undefined ? above : { ...above, entries }
}

function isMergeable(below: MapNode, above: Node, field: Field): above is MapNode {
  if (above.kind !== 'map' || field.compare === 'whole') return false
  return !isReference(below) && !isReference(above)
}
