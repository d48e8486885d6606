import type { LiveSite } from '../../../../src/core/model/live.ts'
import { commonFields } from '../../../../src/simulator/fleet/generate.ts'
import {
  type Random,
  randomInt,
  randomText,
  randomUuid,
  seededRandom
} from '../../../../src/simulator/fleet/random.ts'
import type { JsonObject } from '../../../../src/simulator/json.ts'
import { liveSite } from '../estates.ts'

export interface StoreFleet {
  readonly seed: number
  readonly sites: number
  /** The share of stores with a difference. */
  readonly exceptions: number
}

/**
 * The stores of a retailer: a staff network with RADIUS servers in each store, a guest network with the
 * number of the store in its name, and an IoT network with a key per store. A smaller fleet of a seed is a
 * prefix of a larger one.
 */
export function storeFleet({ seed, sites, exceptions }: StoreFleet): LiveSite[] {
  const brand = seededRandom(seed, 'brand')
  const radius = randomText(brand, 24)
  return Array.from({ length: sites }, (_, n) => {
    const random = seededRandom(seed, 'store', n)
    const wlans = [staff(n, radius, random), guest(n, random), things(random)]
    const made = random() < exceptions ? otherwise(wlans, random) : wlans
    const ids = made.map(() => randomUuid(random))
    const name = `store-${String(n + 1).padStart(4, '0')}`
    const site = { id: randomUuid(random), name }
    const records = made.map((fields, place) => ({
      ...commonFields,
      ...fields,
      id: ids[place],
      site_id: site.id
    }))
    return liveSite(site, records)
  })
}

function staff(n: number, secret: string, random: Random): JsonObject {
  const host = (last: number) => `10.${20 + (n >> 8)}.${n & 255}.${last}`
  return {
    ssid: 'Staff',
    auth: { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'] },
    vlan_enabled: true,
    vlan_id: 100 + randomInt(random, 3),
    auth_servers: [11, 12].map(last => ({ host: host(last), port: 1812, secret })),
    acct_servers: [{ host: host(11), port: 1813, secret }]
  }
}

function guest(n: number, random: Random): JsonObject {
  return {
    ssid: `Store ${String(n + 1).padStart(4, '0')} Guests`,
    vlan_enabled: true,
    vlan_id: 40,
    isolation: true,
    portal: { enabled: true, auth: 'password', expire: 480, password: randomText(random, 10) },
    wlan_limit_down_enabled: true
  }
}

function things(random: Random): JsonObject {
  return {
    ssid: 'Things',
    auth: { type: 'psk', psk: randomText(random, 20) },
    vlan_enabled: true,
    vlan_id: 60,
    bands: ['24'],
    hide_ssid: true
  }
}

/** A random difference of a store. */
function otherwise(wlans: readonly JsonObject[], random: Random): JsonObject[] {
  const [first = {}, second = {}, third = {}] = wlans
  switch (randomInt(random, 5)) {
    case 0:
      return [first, { ...second, vlan_id: 41, dtim: 1 }, third]
    case 1:
      return [first, second, { ...third, bands: ['24', '5'] }]
    case 2:
      return [first, second, third, { ...third, ssid: `Café ${randomText(random, 6)}` }]
    case 3:
      return [first, second]
    default:
      return [
        { ...first, auth: { type: 'psk', psk: randomText(random, 20) }, acct_servers: [] },
        second,
        third
      ]
  }
}
