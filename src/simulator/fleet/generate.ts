import type { WlanRecord } from '../json.ts'
import type { SimulatedSite } from '../store.ts'
import { type Random, randomInt, randomUuid, seededRandom } from './random.ts'
import { commonFields, type WlanTemplate, wlanTemplates } from './wlan-templates.ts'

export interface FleetSize {
  readonly sites: number
  /** WLANs on each site. */
  readonly wlans: number
  /** The same seed gives the same fleet, ids and secrets included. */
  readonly seed: number
}

/** The first day of the generated organisation, in seconds since 1970. */
const FOUNDED = 1_600_000_000
const YEAR = 365 * 24 * 3600

/**
 * A fleet that looks like a real one: shops, schools and hospitals that share a handful of WLANs.
 * A site's records are made when `wlans` is read, so that a large fleet costs little until then.
 * A smaller fleet is the beginning of a larger one of the same seed.
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
 * The nth WLAN of a site; where the families are used up they come again, numbered. The record's
 * own fields come first: V8 is ten times faster at that than at adding them to the common ones.
 */
function generateWlan(nth: number, site: number, owners: Owners, random: Random): WlanRecord {
  const family = wlanTemplates[nth % wlanTemplates.length] as WlanTemplate
  const round = Math.floor(nth / wlanTemplates.length)
  const created = FOUNDED + randomInt(random, YEAR)
  return {
    id: randomUuid(random),
    ssid: round === 0 ? family.ssid : `${family.ssid} ${round + 1}`,
    ...owners,
    created_time: created,
    modified_time: created + randomInt(random, YEAR),
    ...commonFields,
    ...family.fields({ site, random })
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

/** Of so many sites in a row all but the last are shops, as in the fleets of retailers. */
const SITES_PER_ROW = 4

/** The name of a fleet's nth site, from 0: `Store 0042 Harbour`, `Lakeside Hospital`. No two alike. */
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
