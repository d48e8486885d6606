import { finding } from '../../core/model/finding.ts'
import type { Field } from '../../core/schema/field.ts'
import { asPointer, steps } from '../../core/values/pointer.ts'
import { expectText, itemsIn } from '../expect.ts'
import { at } from '../files/source.ts'
import type { Findings } from '../findings.ts'
import type { Entry, MapNode, Node } from '../yaml/tree.ts'
import { isReference } from './references.ts'

/**
 * Merges member by member at any depth. Lists, references, and objects that the schema compares as
 * a whole are single values: the upper one replaces the lower one.
 */
export function overlayBlocks(below: MapNode, above: MapNode, field: Field): MapNode {
  const entries = new Map(below.entries)
  for (const [name, entry] of covering(above, below, field).entries) entries.set(name, entry)
  return { ...above, entries }
}

export function covering(above: MapNode, below: MapNode, field: Field): MapNode {
  let entries: Map<string, Entry> | undefined
  for (const [name, entry] of above.entries) {
    const covered = below.entries.get(name)?.value
    if (covered?.kind !== 'map') continue
    const member = field.member(name)
    if (!isMergeable(covered, entry.value, member)) continue
    entries ??= new Map(above.entries)
    entries.set(name, { ...entry, value: overlayBlocks(covered, entry.value, member) })
  }
  return entries === undefined ? above : { ...above, entries }
}

function isMergeable(below: MapNode, above: Node, field: Field): above is MapNode {
  if (above.kind !== 'map' || field.compare === 'whole') return false
  return !isReference(below) && !isReference(above)
}

export function without(map: MapNode, isLeftOut: (name: string, entry: Entry) => boolean): MapNode {
  return {
    ...map,
    entries: new Map([...map.entries].filter(([name, entry]) => !isLeftOut(name, entry)))
  }
}

/** Without the fields in `$unset`, listed by name (`auth.psk`) or pointer (`/auth/psk`); warns of one that is not declared. */
export function unset(fields: MapNode, override: MapNode, findings: Findings): MapNode {
  const declared = override.entries.get('$unset')?.value
  const items = itemsIn(declared, findings)
  let left = fields
  for (const item of items) {
    const name = expectText(item, findings)
    if (name === undefined) continue
    const path = steps(asPointer(name))
    const result = removed(left, path)
    if (typeof result === 'object') left = result
    else if (result === 'in a list') findings.push(finding('UNSET_IN_LIST', at(item), name))
    else {
      const near = findings.near(path[0] ?? '', left.entries)
      const hint = near === path[0] ? undefined : near
      findings.push(finding('UNSET_UNDECLARED', at(item), name, hint))
    }
  }
  return left
}

/** The map without the member at a path, and without maps that become empty. */
function removed(map: MapNode, path: readonly string[]): MapNode | 'undeclared' | 'in a list' {
  const [name = '', ...others] = path
  const entry = map.entries.get(name)
  if (entry === undefined) return 'undeclared'
  const entries = new Map(map.entries)
  if (others.length === 0) entries.delete(name)
  else if (entry.value.kind === 'list') return 'in a list'
  else if (entry.value.kind !== 'map' || isReference(entry.value)) return 'undeclared'
  else {
    const inner = removed(entry.value, others)
    if (typeof inner === 'string') return inner
    if (inner.entries.size === 0) entries.delete(name)
    else entries.set(name, { ...entry, value: inner })
  }
  return { ...map, entries }
}
