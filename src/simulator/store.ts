import { member } from '../core/values/value.ts'
import type { Json, JsonObject, WlanRecord } from './json.ts'
import type { Now } from './rate-limiter.ts'

/** A site and its WLANs. `wlans` is read once, at the first request for the site. */
export interface SimulatedSite {
  readonly id: string
  readonly name: string
  /** The id of its organization. Default: `DEFAULT_ORG`. */
  readonly org?: string
  /** Its IANA time zone. */
  readonly timezone?: string
  readonly wlans: readonly WlanRecord[]
}

/** The organization of sites and records that name none. */
export const DEFAULT_ORG = '00000000-0000-4000-8000-000000000000'

/** A stored PUT, whether or not the client received its response. */
export interface StoredPut {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly site: string
  readonly wlan: string
  readonly body: JsonObject
  readonly before: WlanRecord
  readonly after: WlanRecord
}

interface Slot {
  readonly stored: WlanRecord
  readonly shown: WlanRecord
  readonly visibleAt: number
}

type Slots = Map<string, Slot>

/** The records of the service. They are replaced, never changed in place; ids are case-insensitive. */
export class WlanStore {
  readonly history: StoredPut[] = []
  readonly #clock: Now
  readonly #sites: ReadonlyMap<string, SimulatedSite>
  readonly #slots = new Map<string, Slots>()

  constructor(sites: readonly SimulatedSite[], clock: Now) {
    this.#clock = clock
    this.#sites = new Map(sites.map(site => [site.id.toLowerCase(), site]))
  }

  /** The sites of an organization as records; undefined for one without a site. */
  sitesOf(org: string): readonly JsonObject[] | undefined {
    const sites = Array.from(this.#sites.values()).filter(
      site => idKey(site.org ?? DEFAULT_ORG) === idKey(org)
    )
    if (sites.length === 0) return undefined
    return sites.map(({ id, name, org: org_id = DEFAULT_ORG, timezone }) => ({
      ...{ id, name, org_id },
      ...(timezone !== undefined && { timezone })
    }))
  }

  hasSite(site: string): boolean {
    return this.#slotsOf(site) !== undefined
  }

  /**
   * The records of a site, undefined for an unknown one. A stale read returns those before a PUT
   * until its `staleFor` is over.
   */
  list(site: string, isStale: boolean): readonly WlanRecord[] | undefined {
    const slots = this.#slotsOf(site)
    if (slots === undefined) return undefined
    return Array.from(slots.values(), slot => (isStale ? this.#visible(slot) : slot.stored))
  }

  /** A record as `list` returns it, or undefined. */
  read(site: string, wlan: string, isStale: boolean): WlanRecord | undefined {
    const slot = this.#slotOf(site, wlan)
    return slot === undefined || !isStale ? slot?.stored : this.#visible(slot)
  }

  /** Stores the result of a PUT; for `staleFor` milliseconds reads return the previous record. */
  put(
    site: string,
    wlan: string,
    body: JsonObject,
    next: WlanRecord,
    staleFor: number
  ): WlanRecord {
    const slot = this.#existingSlot(site, wlan)
    const now = this.#clock()
    const after = withModifiedTime(next, slot.stored, now)
    const shown = this.#visible(slot)
    this.#slotsOf(site)?.set(idKey(wlan), {
      ...slot,
      stored: after,
      shown,
      visibleAt: now + staleFor
    })
    this.history.push({ at: now, site, wlan, body, before: slot.stored, after })
    return after
  }

  record(site: string, wlan: string): WlanRecord {
    return this.#existingSlot(site, wlan).stored
  }

  edit(site: string, wlan: string, fields: Readonly<Record<string, Json | undefined>>): void {
    const slot = this.#existingSlot(site, wlan)
    const merged = Object.entries({ ...slot.stored, ...fields })
    const edited = Object.fromEntries(merged.filter(([, value]) => value !== undefined))
    const stored = withModifiedTime(edited as WlanRecord, slot.stored, this.#clock())
    this.#slotsOf(site)?.set(idKey(wlan), { ...slot, stored })
  }

  remove(site: string, wlan: string): void {
    this.#existingSlot(site, wlan)
    this.#slotsOf(site)?.delete(idKey(wlan))
  }

  #visible(slot: Slot): WlanRecord {
    return this.#clock() < slot.visibleAt ? slot.shown : slot.stored
  }

  #slotOf(site: string, wlan: string): Slot | undefined {
    return this.#slotsOf(site)?.get(idKey(wlan))
  }

  #existingSlot(site: string, wlan: string): Slot {
    const slot = this.#slotOf(site, wlan)
    if (slot === undefined) throw new Error(`the simulator has no WLAN ${wlan} on site ${site}`)
    return slot
  }

  #slotsOf(site: string): Slots | undefined {
    const known = this.#slots.get(idKey(site))
    if (known !== undefined) return known
    const records = this.#sites.get(idKey(site))?.wlans
    if (records === undefined) return undefined
    const slots = new Map(records.map(record => [idKey(record.id), initialSlot(record)]))
    this.#slots.set(idKey(site), slots)
    return slots
  }
}

function initialSlot(record: WlanRecord): Slot {
  return { stored: record, shown: record, visibleAt: Number.NEGATIVE_INFINITY }
}

/** The record with `modified_time` (seconds) set to now, or later: it always increases. */
function withModifiedTime(record: WlanRecord, before: WlanRecord, now: number): WlanRecord {
  const last = member(before, 'modified_time')
  const modified = Math.max(Math.floor(now / 1000), typeof last === 'number' ? last + 1 : 0)
  return { ...record, modified_time: modified }
}

function idKey(id: string): string {
  return id.toLowerCase()
}
