import type { ValuePlaces } from '../../model/desired.ts'
import type { Location } from '../../model/finding.ts'
import { type Pointer, steps } from '../../model/pointer.ts'
import { RunBudget } from '../limits.ts'
import type { LoadContext } from '../load-context.ts'
import type { FleetSite } from '../sites.ts'
import { type Entry, type MapNode, type Node, textOf } from '../yaml/tree.ts'
import { Profiles } from './profiles.ts'
import { isReference } from './references.ts'

/**
 * Finds where the values of fields are written, of a fleet without errors. Holds no place: a file whose tree
 * was released is parsed again, so ask for the WLANs of a site together.
 */
export function valuePlaces(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  run: LoadContext
): ValuePlaces {
  // Once it is used up, the places of values in profiles are omitted.
  const budget = new RunBudget().resolving
  let index: { readonly sites: ReadonlyMap<string, FleetSite>; readonly profiles: Profiles }
  return ({ id }, key, pointers, relativeTo = 'fleet') => {
    index ??= {
      sites: new Map(sites.map(site => [site.id.toLowerCase(), site])),
      profiles: new Profiles(profiles, { ...run, budget })
    }
    const site = index.sites.get(id.toLowerCase())
    const block = site?.wlans().get(key)?.value
    if (site === undefined || block?.kind !== 'map') return {}
    const declared = index.profiles.effective(block)
    return Object.fromEntries(
      pointers.flatMap(pointer => {
        const node = valueNode(declared, pointer, site.vars)
        return node === undefined ? [] : [[pointer, placeOf(node, relativeTo)] as const]
      })
    )
  }
}

/** The value at a pointer, or the nearest value above it; undefined where its top-level field is undeclared. */
function valueNode(declared: MapNode, pointer: Pointer, vars: FleetSite['vars']): Node | undefined {
  const [field = '', ...others] = steps(pointer)
  const top = declared.entries.get(field)?.value
  let node = top && throughVariable(top, vars)
  for (const step of others) {
    const below = node && memberOf(node, step)
    if (below === undefined) break
    node = throughVariable(below, vars)
  }
  return node
}

function memberOf(node: Node, step: string): Node | undefined {
  if (node.kind === 'list') return node.items[Number(step)]
  return node.kind === 'map' && !isReference(node) ? node.entries.get(step)?.value : undefined
}

/** The value of a variable in the place of its use; any other node itself. */
function throughVariable(node: Node, vars: FleetSite['vars']): Node {
  if (node.kind !== 'map' || !isReference(node)) return node
  const variable = textOf(node.entries.get('$var')?.value)
  return (variable === undefined ? undefined : vars.get(variable)) ?? node
}

function placeOf({ source, offset }: Node, relativeTo: 'fleet' | 'cwd'): Location {
  const place = source.place(offset)
  return relativeTo === 'cwd' ? place : { ...place, file: source.inFleet }
}
