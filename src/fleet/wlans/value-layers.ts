import type { ValueLayers } from '../../core/model/desired.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import type { MapNode } from '../yaml/tree.ts'
import { isReference } from './references.ts'
import type { FleetParts } from './value-places.ts'

/** A reference counts as stronger than its layer, because a site can set the variable. */
const OF_REFERENCE = 0.5

/** Finds the layers that declare the values of fields, as of now. It stores nothing, like `valuePlaces`. */
export function valueLayers({ siteOf, profiles, declarationOf }: FleetParts): ValueLayers {
  return ({ id }, key, pointers) => {
    const declaration = declarationOf(siteOf(id.toLowerCase()), key)
    if (declaration === undefined) return {}
    const strongestLast = profiles.layersOf(declaration.block, declaration.override).reverse()
    const found = new Map<Pointer, number>()
    for (const [at, { block }] of strongestLast.entries()) {
      for (const pointer of pointers) {
        const kind = declaredIn(block, pointer)
        if (kind !== undefined) found.set(pointer, kind === 'value' ? at : at + OF_REFERENCE)
      }
    }
    return Object.fromEntries(found)
  }
}

/** How a block declares the value at a pointer, or one above it; undefined if it does not. */
function declaredIn(block: MapNode, pointer: Pointer): 'value' | 'reference' | undefined {
  let map = block
  for (const step of steps(pointer)) {
    const node = map.entries.get(step)?.value
    if (node === undefined) return undefined
    if (node.kind !== 'map') return 'value'
    if (isReference(node)) return 'reference'
    map = node
  }
  return 'value'
}
