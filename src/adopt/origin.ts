import type { Layer } from '../config/wlans/profiles.ts'
import { isReference, piecesOf } from '../config/wlans/references.ts'
import { type Entry, type MapNode, type Node, textOf } from '../config/yaml/tree.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { type Field, wlanField } from '../schema/field.ts'

/** What declares a field of a WLAN. */
export interface Origin {
  readonly pointer: Pointer
  /** The key and its value; the value may be an alias of something elsewhere. */
  readonly entry: Entry
  /** Where the entry stands: in the WLAN's own block, or in a profile. */
  readonly layer: Layer
  /** True for an object whose members are fields of their own. */
  readonly open: boolean
}

/**
 * Everything that the layers of a WLAN declare together, objects and what is in them: of each the entry
 * that wins. A list, a reference or another single value covers what is below it, as in `Profiles`.
 */
export function originsIn(layers: readonly Layer[]): Origin[] {
  const sheets = layers.map(layer => ({ layer, map: layer.block }))
  return originsBelow(sheets, wlanField, '').filter(({ pointer }) => !pointer.startsWith('/$'))
}

/** A map that a layer lays over those of the layers behind it. */
interface Sheet {
  readonly layer: Layer
  readonly map: MapNode
}

function originsBelow(sheets: readonly Sheet[], field: Field, at: Pointer): Origin[] {
  const names = new Set(sheets.flatMap(({ map }) => [...map.entries.keys()]))
  return [...names].flatMap(name => {
    const pointer = child(at, name)
    const inner = field.member(name)
    const declared = sheets.flatMap(({ layer, map }) => {
      const entry = map.entries.get(name)
      return entry === undefined
        ? []
        : [{ pointer, entry, layer, open: isOpen(entry.value, inner) }]
    })
    const closed = declared.findIndex(({ open }) => !open)
    const above = closed === -1 ? declared : declared.slice(0, closed)
    const below = above.map(({ entry, layer }) => ({ layer, map: entry.value as MapNode }))
    return [...declared.slice(0, 1), ...originsBelow(below, inner, pointer)]
  })
}

/** True for a map whose members are fields of their own. */
function isOpen(node: Node, field: Field): node is MapNode {
  return node.kind === 'map' && !isReference(node) && field.compare !== 'whole'
}

/** The variable that a value is, as a whole; undefined for any other. */
export function variableIn(node: Node): string | undefined {
  return node.kind === 'map' && isReference(node)
    ? textOf(node.entries.get('$var')?.value)
    : undefined
}

/** Every variable that is used in a value, at any depth. */
export function variablesIn(node: Node): string[] {
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap(variablesIn)
  const variable = textOf(node.entries.get('$var')?.value)
  if (variable !== undefined) return [variable]
  const format = textOf(node.entries.get('$format')?.value)
  if (format !== undefined) {
    return (piecesOf(format) ?? []).flatMap(piece => ('variable' in piece ? piece.variable : []))
  }
  return [...node.entries.values()].flatMap(({ value }) => variablesIn(value))
}
