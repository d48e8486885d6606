import type { DesiredWlan, FieldPlace, Site } from '../../model/desired.ts'
import type { Location } from '../../model/finding.ts'
import type { Pointer } from '../../model/pointer.ts'
import type { LoadContext } from '../load-context.ts'
import type { FleetSite } from '../sites.ts'
import type { Entry } from '../yaml/tree.ts'
import { Profiles } from './profiles.ts'
import { placeIn } from './references.ts'

/** Finds the places of declared fields, on request: it reads the files of a site again. */
export function fieldPlaces(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  run: LoadContext
): FieldPlace {
  const byId = new Map(sites.map(site => [site.id.toLowerCase(), site]))
  let layers: Profiles | undefined
  return (wlan: DesiredWlan, { id }: Site, pointer: Pointer): Location | undefined => {
    const block = byId.get(id.toLowerCase())?.wlans().get(wlan.key)?.value
    if (block?.kind !== 'map') return undefined
    layers ??= new Profiles(profiles, run)
    const profile = layers.base(block)
    return placeIn(block, pointer) ?? (profile && placeIn(profile, pointer))
  }
}
