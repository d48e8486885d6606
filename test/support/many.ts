import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import type { SimulatorOptions } from '../../src/simulator/server.ts'
import type { SimulatedSite } from '../../src/simulator/store.ts'
import { type Stage, stage } from './stage.ts'

/** The size of a fleet: sites, WLANs per site, and sites with a change. */
export interface Many {
  readonly sites: number
  readonly wlans?: number
  readonly changes?: number
}

/**
 * Sets up a stage with many sites, declared in the folder `many`; the live state differs only by the changes.
 */
export async function manySites(
  { sites, wlans = 1, changes = 0 }: Many,
  options: Partial<SimulatorOptions> = {}
): Promise<Stage> {
  const live = generateFleet({ sites, wlans, seed: 1 })
  const made = await stage({ sites: live, ...options })
  const declare = (file: string, declared: readonly SimulatedSite[], fields: string) => {
    const list = declared.map(({ id, name }) => `  - { id: ${id}, name: ${name} }\n`).join('')
    if (list !== '') made.write(`many/${file}`, `sites:\n${list}wlans: { corp: ${fields} }\n`)
  }
  declare('changed.yaml', live.slice(0, changes), '{ ssid: Corp, isolation: true }')
  declare('unchanged.yaml', live.slice(changes), '{ ssid: Corp }')
  return made
}
