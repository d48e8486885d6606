import { sortBy } from '../model/collections.ts'
import type {
  Desired,
  DesiredWlan,
  ValueOrigins,
  ValuePlaces,
  ValueSource
} from '../model/desired.ts'
import {
  type Change,
  MAX_PLACED,
  MAX_TRACED,
  type Plan,
  type PlannedChange
} from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { PlannedSite } from './plan.ts'
import { changedField, type RelationPlaces } from './relations.ts'

/**
 * Finds the places of changes as they are in the plan; changes beyond the first `MAX_PLACED` have those of
 * their WLANs.
 */
export function placesInChanges(
  planned: readonly PlannedSite[],
  placesOf: ValuePlaces | undefined
): RelationPlaces {
  let changes: ReadonlyMap<string, PlannedChange & { readonly isPlaced: boolean }> | undefined
  return ({ site, wlan }, fields) => {
    changes ??= changesByAddress(planned)
    const found = changes.get(`${site}/${wlan}`)
    const path = found && changedField(found.change.patch, fields)
    if (found === undefined || path === undefined) return undefined
    const { desired, change, isPlaced } = found
    const places = isPlaced ? placesOf?.(change.site, desired.key, [path], 'cwd') : undefined
    return places?.[path] ?? desired.place
  }
}

function changesByAddress(planned: readonly PlannedSite[]) {
  const all = planned.flatMap(({ wlanPlans }) => wlanPlans)
  const changes = all.filter(wlanPlan => wlanPlan.status === 'changed')
  return new Map(
    sortBy(changes, ({ address }) => address).map((each, at) => [
      each.address,
      { ...each, isPlaced: at < MAX_PLACED }
    ])
  )
}

/** Adds the places of the changed values to the plan, and all declarations of those with several. */
export async function withDeclarations(
  plan: Plan,
  planned: readonly PlannedChange[],
  { placesOf, originsOf }: Pick<Desired, 'placesOf' | 'originsOf'>
): Promise<Plan> {
  const placed = placesOf ? withPlaces(plan, placesOf) : plan
  return originsOf ? withSources(placed, planned, originsOf) : placed
}

function withPlaces(plan: Plan, placesOf: ValuePlaces): Plan {
  const changes = plan.changes.map((change, at) => {
    if (at >= MAX_PLACED) return change
    const { address, site, patch } = change
    const pointers = patch.filter(({ op }) => op !== 'test').map(({ path }) => path)
    const places = placesOf(site, address.slice(site.name.length + 1), pointers)
    return Object.keys(places).length === 0 ? change : { ...change, places }
  })
  return { ...plan, changes }
}

async function withSources(
  plan: Plan,
  planned: readonly PlannedChange[],
  originsOf: ValueOrigins
): Promise<Plan> {
  const desired = new Map(planned.map(each => [each.address, each.desired]))
  const changes = [...plan.changes]
  for (const [at, change] of changes.slice(0, MAX_TRACED).entries()) {
    const wlan = desired.get(change.address)
    const sources = wlan && (await sourcesOf(change, wlan, originsOf))
    if (sources && Object.keys(sources).length > 0) changes[at] = { ...change, sources }
  }
  return { ...plan, changes }
}

/** The declarations of the changed fields that are declared in more than one place. */
async function sourcesOf(
  { site, places = {} }: Change,
  wlan: DesiredWlan,
  originsOf: ValueOrigins
): Promise<Record<Pointer, readonly ValueSource[]>> {
  const sources: Record<Pointer, readonly ValueSource[]> = {}
  for (const pointer of Object.keys(places)) {
    const [origin, ...others] = await originsOf(site, wlan, pointer, 'fleet')
    if (others.length === 0 && origin && origin.sources.length > 1)
      sources[pointer] = origin.sources
  }
  return sources
}
