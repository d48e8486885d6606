import { byCodeUnit } from '../../model/collections.ts'
import type { FleetData, SiteData } from './data.ts'
import { Shape } from './shape.ts'
import { type CellStatus, looks } from './status.ts'

/** A WLAN by the two parts of its address. */
export interface CellPosition {
  readonly site: string
  readonly key: string
}

/** The two parts of an address; no key of a WLAN holds a `/`, the name of a site may. */
export function cellPositionOf(address: string): CellPosition {
  const end = address.lastIndexOf('/')
  return { site: address.slice(0, Math.max(end, 0)), key: address.slice(end + 1) }
}

/** What is known of a site: its WLANs by their keys, and a letter for each. */
interface Known {
  /** Its name and a `/`: how the addresses of its WLANs begin. */
  readonly prefix: string
  shape: Shape
  letters: string[]
  /** Where the letter of each key is; made when a status is set, and complete from then on. */
  places?: Map<string, number>
}

/** Collects the statuses of WLANs, and writes them as short as they are read. */
export class FleetWriter {
  readonly #sites = new Map<string, Known>()
  readonly #noKeys = new Shape()
  #last: Known = { prefix: '/', shape: this.#noKeys, letters: [] }

  /** True for a site of which nothing but its name is known; from now on it is one of the fleet. */
  isBlank(site: string): boolean {
    return this.#site(site).shape.size === 0
  }

  /**
   * The first word on a WLAN. A large fleet has many of them: nobody looks whether there was one, and
   * where a WLAN follows that has followed before, nothing is looked up.
   */
  add(address: string, status: CellStatus): void {
    const usual = this.#last.shape.usual(address, this.#last.prefix)
    if (usual === undefined) {
      const from = address.lastIndexOf('/') + 1
      this.#last = this.#site(address.slice(0, Math.max(from - 1, 0)))
      this.#last.shape = this.#last.shape.with(address.slice(from))
    } else this.#last.shape = usual
    this.#last.letters.push(letters[status])
    const { places, letters: written } = this.#last
    places?.set(address.slice(address.lastIndexOf('/') + 1), written.length - 1)
  }

  /** The last word on a WLAN. */
  set({ site, key }: CellPosition, status: CellStatus): void {
    const known = this.#site(site)
    known.places ??= new Map(known.shape.keys.map((each, at) => [each, at]))
    const place = known.places.get(key) ?? known.letters.length
    if (place === known.letters.length) known.shape = known.shape.with(key)
    known.places.set(key, place)
    known.letters[place] = letters[status]
  }

  /** `unnamed`: how many WLANs are in sync beside those that were named. */
  data(unnamed: number): FleetData {
    const shapes = new Map<Shape, number>()
    const sites = [...this.#sites]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(
        ([name, known]): SiteData => [name, indexIn(shapes, known.shape), known.letters.join('')]
      )
    const columns = new Map<string, number>()
    const placed = [...shapes.keys()].map(({ keys }) => keys.map(key => indexIn(columns, key)))
    return {
      columns: [...columns.keys()],
      shapes: placed,
      sites,
      unnamed
    }
  }

  #site(name: string): Known {
    const known = this.#sites.get(name)
    if (known !== undefined) return known
    const made: Known = { prefix: `${name}/`, shape: this.#noKeys, letters: [] }
    this.#sites.set(name, made)
    return made
  }
}

const letters = Object.fromEntries(looks.map(({ status, letter }) => [status, letter])) as Readonly<
  Record<CellStatus, string>
>

function indexIn<T>(known: Map<T, number>, thing: T): number {
  const index = known.get(thing) ?? known.size
  known.set(thing, index)
  return index
}
