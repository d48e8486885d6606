import type { Location } from '../../core/model/finding.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import type { FleetSite } from '../sites.ts'
import type { Profiles } from '../wlans/profiles.ts'
import { isReference } from '../wlans/references.ts'
import type { Entry, Node } from '../yaml/tree.ts'

/** Finds the place of the key that declares a field of a WLAN: in an override, in its block, or in a profile. */
export type KeyPlaces = (
  siteKey: string,
  wlanKey: string
) => (pointer: Pointer) => Location | undefined

/** The places of keys in a fleet, whose sites are given by id in lower case. */
export function keyPlaces(sites: ReadonlyMap<string, FleetSite>, profiles: Profiles): KeyPlaces {
  return (siteKey, wlanKey) => {
    const site = sites.get(siteKey)
    const block = site?.wlans().get(wlanKey)?.value
    if (site === undefined || block?.kind !== 'map') return () => undefined
    const declared = profiles.effective(block, site.overrides.get(wlanKey))
    return pointer => keyPlace(declared, pointer)
  }
}

/** The place of the key of a field, or of the key with the reference that contains it. */
function keyPlace(declared: Node, pointer: Pointer): Location | undefined {
  let entry: Entry | undefined
  let inner = declared
  for (const step of steps(pointer)) {
    if (inner.kind !== 'map' || (entry !== undefined && isReference(inner))) break
    entry = inner.entries.get(step)
    if (entry === undefined) return undefined
    inner = entry.value
  }
  return entry?.value.source.place(entry.offset)
}
