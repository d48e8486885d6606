import { source } from '../source.js'

/** WLANs on each site. */
export const WLANS = 10

/**
 * The sites of `wlanctl simulate` with the seed `{ "sites": N, "wlans": 10 }` with their records, from the simulator's own
 * generator.
 * @param {number} count
 */
export async function simulatedSites(count) {
  const { generateFleet } = await source('simulator/fleet/generate.ts')
  return generateFleet({ sites: count, wlans: WLANS, seed: 1 })
}

/**
 * The sites with SSIDs that no other site has.
 * @template {{ readonly wlans: readonly { readonly ssid: string }[] }} Site
 * @param {readonly Site[]} sites
 */
export function ownSsids(sites) {
  return sites.map((site, nth) => ({
    ...site,
    wlans: site.wlans.map(wlan => ({ ...wlan, ssid: `${wlan.ssid} ${nth}` }))
  }))
}
