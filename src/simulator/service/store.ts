import { type Json, type JsonObject, memberOf, type WlanRecord } from '../json.ts'
import type { Clock } from './tokens.ts'

/** A site and its WLANs. `wlans` is asked for once, when the site is first called for. */
export interface SimulatedSite {
  readonly id: string
  readonly name: string
  readonly wlans: readonly WlanRecord[]
}

/** A PUT that was stored, whether or not its answer reached anybody. */
export interface Write {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly site: string
  readonly wlan: string
  readonly body: JsonObject
  readonly before: WlanRecord
  readonly after: WlanRecord
}

/** A stored record, and the older one that reads show until the service has caught up. */
interface Slot {
  readonly stored: WlanRecord
  readonly shown: WlanRecord
  readonly caughtUp: number
}

type Slots = Map<string, Slot>

/** The records of the service. They are replaced, never changed in place; ids are case-blind. */
export class Store {
  readonly history: Write[] = []
  readonly #clock: Clock
  readonly #sites: ReadonlyMap<string, SimulatedSite>
  readonly #slots = new Map<string, Slots>()

  constructor(sites: readonly SimulatedSite[], clock: Clock) {
    this.#clock = clock
    this.#sites = new Map(sites.map(site => [site.id.toLowerCase(), site]))
  }

  /** The records of a site as reads show them; undefined for an unknown site. */
  list(site: string): readonly WlanRecord[] | undefined {
    const slots = this.#slotsOf(site)
    return slots === undefined ? undefined : Array.from(slots.values(), slot => this.#show(slot))
  }

  /** A record as reads show it, or undefined. */
  read(site: string, wlan: string): WlanRecord | undefined {
    const slot = this.#slotOf(site, wlan)
    return slot === undefined ? undefined : this.#show(slot)
  }

  /** A record as it is stored, or undefined. */
  stored(site: string, wlan: string): WlanRecord | undefined {
    return this.#slotOf(site, wlan)?.stored
  }

  /** Stores what a PUT makes of a record; for `staleFor` milliseconds reads show the former one. */
  put(
    site: string,
    wlan: string,
    body: JsonObject,
    next: WlanRecord,
    staleFor: number
  ): WlanRecord {
    const slot = this.#knownSlot(site, wlan)
    const now = this.#clock()
    const after = stamped(next, slot.stored, now)
    const shown = this.#show(slot)
    this.#slotsOf(site)?.set(key(wlan), { stored: after, shown, caughtUp: now + staleFor })
    this.history.push({ at: now, site, wlan, body, before: slot.stored, after })
    return after
  }

  /** A record as it is stored. Throws where there is none. */
  known(site: string, wlan: string): WlanRecord {
    return this.#knownSlot(site, wlan).stored
  }

  /** Somebody edits fields in the console; an undefined one is taken away. */
  edit(site: string, wlan: string, fields: Readonly<Record<string, Json | undefined>>): void {
    const slot = this.#knownSlot(site, wlan)
    const merged = Object.entries({ ...slot.stored, ...fields })
    const edited = Object.fromEntries(merged.filter(([, value]) => value !== undefined))
    const stored = stamped(edited as WlanRecord, slot.stored, this.#clock())
    this.#slotsOf(site)?.set(key(wlan), { ...slot, stored })
  }

  /** Somebody deletes a WLAN in the console. */
  remove(site: string, wlan: string): void {
    this.#knownSlot(site, wlan)
    this.#slotsOf(site)?.delete(key(wlan))
  }

  #show(slot: Slot): WlanRecord {
    return this.#clock() < slot.caughtUp ? slot.shown : slot.stored
  }

  #slotOf(site: string, wlan: string): Slot | undefined {
    return this.#slotsOf(site)?.get(key(wlan))
  }

  #knownSlot(site: string, wlan: string): Slot {
    const slot = this.#slotOf(site, wlan)
    if (slot === undefined) throw new Error(`the simulator has no WLAN ${wlan} on site ${site}`)
    return slot
  }

  #slotsOf(site: string): Slots | undefined {
    const known = this.#slots.get(key(site))
    if (known !== undefined) return known
    const records = this.#sites.get(key(site))?.wlans
    if (records === undefined) return undefined
    const slots = new Map(records.map(record => [key(record.id), unwritten(record)]))
    this.#slots.set(key(site), slots)
    return slots
  }
}

function unwritten(record: WlanRecord): Slot {
  return { stored: record, shown: record, caughtUp: Number.NEGATIVE_INFINITY }
}

/** The record with a `modified_time` (seconds) that is now, and later than it was in any case. */
function stamped(record: WlanRecord, before: WlanRecord, now: number): WlanRecord {
  const last = memberOf(before, 'modified_time')
  const modified = Math.max(Math.floor(now / 1000), typeof last === 'number' ? last + 1 : 0)
  return { ...record, modified_time: modified }
}

function key(id: string): string {
  return id.toLowerCase()
}
