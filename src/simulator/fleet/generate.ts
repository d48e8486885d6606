import type { WlanRecord } from '../json.ts'
import type { SimulatedSite } from '../service/store.ts'
import { commonFields } from './common.ts'
import { type Family, families } from './families.ts'
import { siteName } from './names.ts'
import { below, type Random, randomOf, uuid } from './random.ts'

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
  const organisation = uuid(randomOf(seed, 'organisation'))
  return Array.from({ length: sites }, (_, site) => {
    const id = uuid(randomOf(seed, 'site', site))
    return {
      id,
      name: siteName(site),
      get wlans() {
        const random = randomOf(seed, 'wlans', site)
        const owners = { org_id: organisation, site_id: id }
        return Array.from({ length: wlans }, (_, nth) => wlan(nth, site, owners, random))
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
function wlan(nth: number, site: number, owners: Owners, random: Random): WlanRecord {
  const family = families[nth % families.length] as Family
  const round = Math.floor(nth / families.length)
  const created = FOUNDED + below(random, YEAR)
  return {
    id: uuid(random),
    ssid: round === 0 ? family.ssid : `${family.ssid} ${round + 1}`,
    ...owners,
    created_time: created,
    modified_time: created + below(random, YEAR),
    ...commonFields,
    ...family.fields({ site, random })
  }
}
