import { byCodeUnit } from '../../core/values/collections.ts'
import { type CellStatus, statusInfos } from './cell-status.ts'
import type { FleetData, SiteData } from './page-data.ts'

/** The two parts of the address of a WLAN. */
export interface CellPosition {
  readonly site: string
  readonly key: string
}

/** Splits an address at its last `/`: site names may contain one, but keys of WLANs do not. */
export function cellPositionOf(address: string): CellPosition {
  const end = address.lastIndexOf('/')
  return { site: address.slice(0, Math.max(end, 0)), key: address.slice(end + 1) }
}

interface SiteStatuses {
  /** The site's name and a `/`. */
  readonly prefix: string
  keys: KeySet
  /** One for each key. */
  letters: string[]
  /** The index of each key in `letters`; created by the first `set`, complete from then on. */
  indexes?: Map<string, number>
}

/** Collects the statuses of WLANs and encodes them as `FleetData`. */
export class FleetEncoder {
  readonly #sites = new Map<string, SiteStatuses>()
  readonly #noKeys = new KeySet()
  #last: SiteStatuses = { prefix: '/', keys: this.#noKeys, letters: [] }

  /** Adds a site if it is new; true if it has no WLANs so far. */
  addSite(site: string): boolean {
    return this.#site(site).keys.size === 0
  }

  /**
   * Adds a WLAN that was not added before (not checked). Fast if all sites have the same keys in the same
   * order.
   */
  add(address: string, status: CellStatus): void {
    const next = this.#last.keys.successorFor(address, this.#last.prefix)
    if (next === undefined) {
      const { site, key } = cellPositionOf(address)
      this.#last = this.#site(site)
      this.#last.keys = this.#last.keys.with(key)
    } else this.#last.keys = next
    this.#last.letters.push(letters[status])
    const { indexes, letters: written } = this.#last
    indexes?.set(cellPositionOf(address).key, written.length - 1)
  }

  /** Sets the status of a WLAN, which may be new. */
  set({ site, key }: CellPosition, status: CellStatus): void {
    const found = this.#site(site)
    found.indexes ??= new Map(found.keys.list.map((each, at) => [each, at]))
    const index = found.indexes.get(key) ?? found.letters.length
    if (index === found.letters.length) found.keys = found.keys.with(key)
    found.indexes.set(key, index)
    found.letters[index] = letters[status]
  }

  /** `unnamed`: the number of WLANs in sync that were not added. */
  encode(unnamed: number): FleetData {
    const keySets = new Map<KeySet, number>()
    const sites = [...this.#sites]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(
        ([name, { keys, letters }]): SiteData => [name, indexIn(keySets, keys), letters.join('')]
      )
    const columns = new Map<string, number>()
    const encodedSets = [...keySets.keys()].map(({ list }) =>
      list.map(key => indexIn(columns, key))
    )
    return { columns: [...columns.keys()], keySets: encodedSets, sites, unnamed }
  }

  #site(name: string): SiteStatuses {
    const known = this.#sites.get(name)
    if (known !== undefined) return known
    const added: SiteStatuses = { prefix: `${name}/`, keys: this.#noKeys, letters: [] }
    this.#sites.set(name, added)
    return added
  }
}

const letters = Object.fromEntries(
  statusInfos.map(({ status, letter }) => [status, letter])
) as Readonly<Record<CellStatus, string>>

/** The index of an item in a map; adds the item if it is new. */
function indexIn<T>(indexes: Map<T, number>, item: T): number {
  const index = indexes.get(item) ?? indexes.size
  indexes.set(item, index)
  return index
}

/** The ordered keys of a site's WLANs: a trie node that sites with the same keys share. */
class KeySet {
  readonly #key: string
  readonly #parent: KeySet | undefined
  readonly size: number
  #children: Map<string, KeySet> | undefined
  /** The child that `with` returned most recently. */
  #lastChild: KeySet | undefined

  constructor(key = '', parent?: KeySet) {
    this.#key = key
    this.#parent = parent
    this.size = parent === undefined ? 0 : parent.size + 1
  }

  /** The set with an additional key. */
  with(key: string): KeySet {
    this.#children ??= new Map()
    const found = this.#children.get(key) ?? new KeySet(key, this)
    this.#children.set(key, found)
    this.#lastChild = found
    return found
  }

  /**
   * The set with the key of an address, if `with` returned it most recently; saves a look-up for each WLAN.
   */
  successorFor(address: string, prefix: string): KeySet | undefined {
    const child = this.#lastChild
    if (child === undefined || address.length !== prefix.length + child.#key.length)
      return undefined
    return address.startsWith(prefix) && address.endsWith(child.#key) ? child : undefined
  }

  get list(): readonly string[] {
    const keys: string[] = []
    for (let at: KeySet = this; at.#parent !== undefined; at = at.#parent) keys.push(at.#key)
    return keys.reverse()
  }
}
