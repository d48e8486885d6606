import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import type { SimulatorOptions } from '../../src/simulator/server.ts'
import { type Stage, stage } from './stage.ts'

/** A fleet of many sites: how many, how many WLANs each has, and how many sites have one to change. */
export interface Many {
  readonly sites: number
  readonly wlans?: number
  readonly changes?: number
}

/** Sets the stage with many sites, declared in the folder `many`, and live as they are declared but for the changes. */
export async function manySites(
  { sites, wlans = 1, changes = 0 }: Many,
  options: Partial<SimulatorOptions> = {}
): Promise<Stage> {
  const live = generateFleet({ sites, wlans, seed: 1 })
  const made = await stage({ sites: live, ...options })
  for (const [at, { id, name }] of live.entries()) {
    const fields = at < changes ? ', isolation: true' : ''
    const declared = `site: { id: ${id}, name: ${name} }\nwlans: { corp: { ssid: Corp${fields} } }\n`
    made.write(`many/${String(at).padStart(5, '0')}.yaml`, declared)
  }
  return made
}
