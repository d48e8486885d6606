import { join } from 'node:path'
import { build } from 'rolldown'

/** WLANs on each site. */
export const WLANS = 10

/**
 * The sites of `wlanctl simulate --sites N --wlans 10` with their records, from the simulator's own
 * generator. It is TypeScript, and bundled first.
 * @param {number} count
 */
export async function simulatedSites(count) {
  const { output } = await build({
    input: join(import.meta.dirname, '../../../src/simulator/fleet/generate.ts'),
    platform: 'node',
    write: false
  })
  const code = Buffer.from(output[0].code).toString('base64')
  const { generateFleet } = await import(`data:text/javascript;base64,${code}`)
  return generateFleet({ sites: count, wlans: WLANS, seed: 1 })
}
