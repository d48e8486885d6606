import type { Desired, DesiredWlan, Site } from '../../core/model/desired.ts'
import type { Location } from '../../core/model/finding.ts'
import { MAX_PLACED } from '../../core/model/plan.ts'
import type { Pointer } from '../../core/values/pointer.ts'

/** A declared WLAN; an imported one has no place. */
type PlacedWlan = Pick<DesiredWlan, 'key'> & Partial<Pick<DesiredWlan, 'place' | 'isLayered'>>

/** The places of findings: fields for the first `MAX_PLACED` findings, WLANs for the others. */
export class FieldPlaces {
  readonly #desired: Pick<Desired, 'placesOf' | 'layersOf'>
  #left = MAX_PLACED

  constructor(desired: Pick<Desired, 'placesOf' | 'layersOf'>) {
    this.#desired = desired
  }

  /**
   * The place of the first of these declared fields, or of the WLAN if there is none. What overrides others comes
   * first: of an isolation that one site turns off, and a type that a profile declares, the isolation.
   */
  placeOf(
    [first, ...others]: readonly Pointer[],
    { key, place, isLayered }: PlacedWlan,
    site: Site
  ): Location | undefined {
    if (first === undefined || this.#left === 0) return place
    this.#left -= 1
    const { placesOf, layersOf } = this.#desired
    const layers =
      isLayered && others.length > 0 ? layersOf?.(site, key, [first, ...others]) : undefined
    const layerOf = (field: Pointer) => layers?.[field] ?? 0
    const field = others.reduce((a, b) => (layerOf(b) > layerOf(a) ? b : a), first)
    return placesOf?.(site, key, [field], 'cwd')[field] ?? place
  }
}
