import type { Desired, DesiredWlan, Site } from '../../core/model/desired.ts'
import type { Location } from '../../core/model/finding.ts'
import { MAX_PLACED } from '../../core/model/plan.ts'
import type { Pointer } from '../../core/values/pointer.ts'

/** A declared WLAN; an imported one has no place. */
type PlacedWlan = Pick<DesiredWlan, 'key'> & Partial<Pick<DesiredWlan, 'place'>>

/** The places of findings: fields for the first `MAX_PLACED` findings, WLANs for the others. */
export class FieldPlaces {
  readonly #placesOf: Desired['placesOf']
  #left = MAX_PLACED

  constructor({ placesOf }: Pick<Desired, 'placesOf'>) {
    this.#placesOf = placesOf
  }

  /** The place of a field, or of the WLAN if no field is given. */
  placeOf(
    field: Pointer | undefined,
    { key, place }: PlacedWlan,
    site: Site
  ): Location | undefined {
    if (field === undefined || this.#left === 0) return place
    this.#left -= 1
    return this.#placesOf?.(site, key, [field], 'cwd')[field] ?? place
  }
}
