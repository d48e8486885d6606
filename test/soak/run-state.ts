import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, randomInt } from '../../src/simulator/fleet/random.ts'
import type { CampaignSetup } from './campaign.ts'
import { laidOver, meaning } from './expected.ts'

/** Resolves at a random time of a run, after a random number of its requests. */
export async function afterRandomRequests(
  { simulator }: CampaignSetup,
  requests: number,
  random: Random,
  ended: Promise<unknown>
): Promise<void> {
  const from = simulator.requests.length
  const wanted = from + 1 + randomInt(random, requests)
  const over = ended.then(() => true)
  while (simulator.requests.length < wanted) {
    if (await Promise.race([over, sleep(1)])) return
  }
  await sleep(randomInt(random, 30))
}

/** The WLANs that differ from their declaration. */
export function unfinished({ fleet, simulator }: CampaignSetup): string[] {
  return [...fleet.cases].flatMap(([address, { site, wlan, declared }]) => {
    const record = simulator.record(site, wlan)
    return meaning(laidOver(record, declared)) === meaning(record) ? [] : address
  })
}

/** The WLANs that were written more than once. */
export function writtenTwice({ simulator }: CampaignSetup): string[] {
  const seen = new Set<string>()
  return simulator.history.flatMap(({ wlan }) => {
    if (seen.has(wlan)) return wlan
    seen.add(wlan)
    return []
  })
}
