import type { Where } from '../../model/finding.ts'
import { type Pointer, steps } from '../../model/pointer.ts'
import { atKey, at as atNode } from '../files/source.ts'
import { type Entry, type MapNode, type Node, textOf } from '../yaml/tree.ts'
import { isReference } from './references.ts'

/** Where in the files a field was declared. */
export interface SourceLocation {
  readonly at: Where
  /** Where its key is; of an item of a list, where the item is. */
  readonly atKey: Where
  /** The variable that gives the value, or something in the value. */
  readonly variable: string | undefined
}

/**
 * Finds what declared a field, or the nearest field above it. A variable's content is elsewhere, so
 * the way ends at the variable's use.
 */
export function sourceLocationOf(declared: MapNode, pointer: Pointer): SourceLocation {
  let node: Node = declared
  let key: Entry | undefined
  for (const step of steps(pointer)) {
    if (node.kind === 'map') {
      // A WLAN itself may hold `$extends`, and is no reference.
      if (node !== declared && isReference(node)) break
      const entry: Entry | undefined = node.entries.get(step)
      if (entry === undefined) break
      key = entry
      node = entry.value
    } else if (node.kind === 'list') {
      const item: Node | undefined = node.items[Number(step)]
      if (item === undefined) break
      key = undefined
      node = item
    }
  }
  const at = atNode(node)
  return {
    at,
    atKey: key === undefined ? at : atKey(key),
    variable: node.kind === 'map' ? textOf(node.entries.get('$var')?.value) : undefined
  }
}
