import { byCodeUnit } from '../../model/identity.ts'
import type { FleetData, SiteData } from './data.ts'
import { type CellStatus, lookOf } from './status.ts'

/** A WLAN by the two parts of its address. */
export interface Spot {
  readonly site: string
  readonly key: string
}

/** The two parts of an address; no key of a WLAN holds a `/`, the name of a site may. */
export function spotOf(address: string): Spot {
  const end = address.lastIndexOf('/')
  return { site: address.slice(0, Math.max(end, 0)), key: address.slice(end + 1) }
}

/** What is known of a site: the keys of its WLANs, each with a `/` behind it, and a letter for each. */
interface Known {
  readonly name: string
  keys: string
  letters: string
}

/** Collects the statuses of WLANs, and writes them as short as they are read. */
export class FleetWriter {
  readonly #sites = new Map<string, Known>()
  #last: Known | undefined

  /** True for a site of which nothing but its name is known; from now on it is one of the fleet. */
  isBlank(site: string): boolean {
    return this.#site(site).keys === ''
  }

  /** The first word on a WLAN. A large fleet has many of them: nobody looks whether there was one. */
  add({ site, key }: Spot, status: CellStatus): void {
    const known = this.#site(site)
    known.keys += `${key}/`
    known.letters += lookOf(status).letter
  }

  /** The last word on a WLAN. */
  set(spot: Spot, status: CellStatus): void {
    const known = this.#site(spot.site)
    const at = keysIn(known.keys).indexOf(spot.key)
    if (at < 0) this.add(spot, status)
    else {
      const { letters } = known
      known.letters = letters.slice(0, at) + lookOf(status).letter + letters.slice(at + 1)
    }
  }

  /** `unchanged`: how many WLANs are as declared, be they named or not. */
  data(unchanged: number): FleetData {
    const shapes = new Map<string, number>()
    const sites = [...this.#sites]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([name, { keys, letters }]): SiteData => [name, indexIn(shapes, keys), letters])
    const columns = new Map<string, number>()
    const placed = [...shapes.keys()].map(keys => keysIn(keys).map(key => indexIn(columns, key)))
    const named = sites.reduce((sum, [, , letters]) => sum + letters.replace(CHANGED, '').length, 0)
    return {
      columns: [...columns.keys()],
      shapes: placed,
      sites,
      unnamed: Math.max(0, unchanged - named)
    }
  }

  /** The WLANs of a site come one after the other: the last site is found without a look into the map. */
  #site(name: string): Known {
    if (name === this.#last?.name) return this.#last
    this.#last = this.#sites.get(name) ?? { name, keys: '', letters: '' }
    this.#sites.set(name, this.#last)
    return this.#last
  }
}

/** Every letter but those of WLANs that are as declared. */
const CHANGED = new RegExp(`[^${lookOf('sync').letter}${lookOf('uncompared').letter}]+`, 'g')

function keysIn(keys: string): string[] {
  return keys.split('/').slice(0, -1)
}

function indexIn(known: Map<string, number>, text: string): number {
  const index = known.get(text) ?? known.size
  known.set(text, index)
  return index
}
