import type {
  Desired,
  DesiredWlan,
  ValueOrigins,
  ValuePlaces,
  ValueSource
} from '../model/desired.ts'
import type { Location } from '../model/finding.ts'
import {
  type Change,
  MAX_PLACED,
  MAX_TRACED,
  type PatchOperation,
  type PlannedChange,
  patchedPointers
} from '../model/plan.ts'
import { compact } from '../values/collections.ts'
import { overlap, type Pointer } from '../values/pointer.ts'

/** Returns the place of the change that causes a new finding on a declared WLAN; undefined if its change does not. */
export type ChangePlaces = (
  declared: { readonly site: string; readonly wlan: string },
  fields: readonly Pointer[]
) => Location | undefined

/** Finds the places of changes as planned; those beyond `MAX_PLACED` have those of their WLANs. */
export function placesInChanges(
  changes: readonly PlannedChange[],
  placesOf: ValuePlaces | undefined
): ChangePlaces {
  let found: ReadonlyMap<string, readonly [PlannedChange, nth: number]> | undefined
  return ({ site, wlan }, fields) => {
    found ??= new Map(changes.map((each, nth) => [each.change.address, [each, nth]]))
    const entry = found.get(`${site}/${wlan}`)
    if (entry === undefined) return undefined
    const [{ change, desired }, nth] = entry
    const path = changedField(change.patch, fields)
    if (path === undefined) return undefined
    const places =
      nth < MAX_PLACED ? placesOf?.(change.site, desired.key, [path], 'cwd') : undefined
    return places?.[path] ?? desired.place
  }
}

/** The path of the patch operation that changes the first of the fields, or `enabled`. */
export function changedField(
  patch: readonly PatchOperation[],
  fields: readonly Pointer[]
): Pointer | undefined {
  const paths = patchedPointers(patch)
  for (const field of [...fields, '/enabled']) {
    const path = paths.find(each => overlap(each, field))
    if (path !== undefined) return path
  }
  return undefined
}

/**
 * The changes with their places, and with all declarations where there are several; those beyond
 * `MAX_PLACED` and `MAX_TRACED` are as planned.
 */
export function placedChanges(
  planned: readonly PlannedChange[],
  { placesOf, originsOf }: Pick<Desired, 'placesOf' | 'originsOf'>
): readonly Change[] {
  const changes: Change[] = []
  for (const [at, { change, desired }] of planned.entries()) {
    const places = at < MAX_PLACED ? placesIn(change, desired, placesOf) : undefined
    const sources =
      places && at < MAX_TRACED ? sourcesOf(change, desired, places, originsOf) : undefined
    changes.push({ ...change, ...compact({ places, sources }) })
  }
  return changes
}

function placesIn(
  { site, patch }: Change,
  { key }: DesiredWlan,
  placesOf: ValuePlaces | undefined
) {
  return unlessEmpty(placesOf?.(site, key, patchedPointers(patch)))
}

function sourcesOf(
  { site }: Change,
  wlan: DesiredWlan,
  places: NonNullable<Change['places']>,
  originsOf: ValueOrigins | undefined
): Change['sources'] {
  if (originsOf === undefined) return undefined
  const sources: Record<Pointer, readonly ValueSource[]> = {}
  for (const pointer of Object.keys(places)) {
    const [origin, ...others] = originsOf(site, wlan, pointer, 'fleet')
    if (others.length === 0 && origin && origin.sources.length > 1)
      sources[pointer] = origin.sources
  }
  return unlessEmpty(sources)
}

function unlessEmpty<T extends object>(members: T | undefined): T | undefined {
  return members && Object.keys(members).length > 0 ? members : undefined
}
