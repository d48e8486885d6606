import type { WlanRecord } from '../json.ts'
import type { SimulatedSite } from '../store.ts'
import { type Random, randomInt, randomUuid, seededRandom } from './random.ts'
import { commonFields, type WlanTemplate, wlanTemplates } from './wlan-templates.ts'

export interface FleetSize {
  readonly sites: number
  /** WLANs on each site. */
  readonly wlans: number
  /** The same seed gives the same fleet, with the same ids and secrets. */
  readonly seed: number
}

/** The earliest `created_time`, in seconds since 1970. */
const EARLIEST = 1_600_000_000
const YEAR = 365 * 24 * 3600

/**
 * Generates a realistic fleet: shops, schools and hospitals that share a few WLANs. The records of a site are
 * generated when `wlans` is read, which keeps large fleets cheap. With the same seed, a smaller fleet is a
 * prefix of a larger one.
 */
export function generateFleet({ sites, wlans, seed }: FleetSize): SimulatedSite[] {
  const organisation = randomUuid(seededRandom(seed, 'organisation'))
  return Array.from({ length: sites }, (_, site) => {
    const id = randomUuid(seededRandom(seed, 'site', site))
    return {
      id,
      name: siteName(site),
      get wlans() {
        const random = seededRandom(seed, 'wlans', site)
        const owners = { org_id: organisation, site_id: id }
        return Array.from({ length: wlans }, (_, nth) => generateWlan(nth, site, owners, random))
      }
    }
  })
}

interface Owners {
  readonly org_id: string
  readonly site_id: string
}

/**
 * The nth WLAN of a site; after the last template they repeat, numbered. The record's own fields come
 * first: V8 is ten times faster at that than at adding them to the common ones.
 */
function generateWlan(nth: number, site: number, owners: Owners, random: Random): WlanRecord {
  const template = wlanTemplates[nth % wlanTemplates.length] as WlanTemplate
  const round = Math.floor(nth / wlanTemplates.length)
  const created = EARLIEST + randomInt(random, YEAR)
  return {
    id: randomUuid(random),
    ssid: round === 0 ? template.ssid : `${template.ssid} ${round + 1}`,
    ...owners,
    created_time: created,
    modified_time: created + randomInt(random, YEAR),
    ...commonFields,
    ...template.fields({ site, random })
  }
}

const places = [
  'Harbour',
  'Lakeside',
  'Northgate',
  'Old Mill',
  'Riverside',
  'Station Road',
  'Market Square',
  'Hillcrest',
  'Elm Park',
  'Castle View',
  'Airport',
  'Westfield',
  'Chapel Street',
  'Docklands',
  'Meadow Lane',
  'Kingsway',
  'Orchard',
  'Quarry Hill',
  'Saint Anne',
  'University'
] as const

const siteKinds = [
  'Hospital',
  'Primary School',
  'Clinic',
  'High School',
  'Office',
  'Library'
] as const

/** Every fourth site is not a shop, as in the fleets of retailers. */
const SITES_PER_ROW = 4

/** The unique name of a fleet's nth site, from 0: `Store 0042 Harbour`, `Lakeside Hospital`. */
export function siteName(nth: number): string {
  const row = Math.floor(nth / SITES_PER_ROW)
  if (nth % SITES_PER_ROW < SITES_PER_ROW - 1) {
    const number = String(nth + 1).padStart(4, '0')
    return `Store ${number} ${places[nth % places.length]}`
  }
  const place = places[row % places.length]
  const kind = siteKinds[Math.floor(row / places.length) % siteKinds.length]
  const round = Math.floor(row / (places.length * siteKinds.length))
  return round === 0 ? `${place} ${kind}` : `${place} ${kind} ${round + 1}`
}
