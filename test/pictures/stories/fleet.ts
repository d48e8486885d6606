import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { generateFleet } from '../../../src/simulator/fleet/generate.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import type { Simulator } from '../../../src/simulator/server.ts'
import type { SimulatedSite } from '../../../src/simulator/store.ts'
import { simulate } from '../../simulator/simulate.ts'
import { type Ended, folder, PROGRAM, startCommand } from '../../support/program.ts'
import { stopped } from './clock.ts'

/** A fleet of shops, schools and hospitals, and the folder with its files. */
export interface Fleet {
  readonly simulator: Simulator
  readonly sites: readonly SimulatedSite[]
  readonly cwd: string
  /** Runs the program to its end, at a fixed time, which is also that of the service until the next run. */
  run(time: string, line: string): Promise<Ended>
  /** Edits the live WLANs with an SSID on these sites, by index from 0. */
  edit(sites: readonly number[], ssid: string, fields: JsonObject): void
  /** Deletes a live WLAN. */
  remove(site: number, ssid: string): void
  /** Removes the last WLAN of a site from its file. */
  forget(site: number): void
}

/** Imports the WLANs of 150 sites from the simulator on this port (0: any). */
export async function fleet(port: number): Promise<Fleet> {
  const sites = generateFleet({ sites: 150, wlans: 6, seed: 1 }).map(site => ({ ...site }))
  let now = '2026-11-09T06:00:00Z'
  const { simulator } = await simulate({ sites, port, clock: () => Date.parse(now) })
  const cwd = folder()
  const connection = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  const secrets: Record<string, string> = {}
  const run: Fleet['run'] = (time, line) => {
    now = time
    const argv = [...stopped(time), PROGRAM, ...line.split(' ')]
    return startCommand(process.execPath, argv, { cwd, env: { ...connection, ...secrets } }).ended
  }
  writeFileSync(join(cwd, 'ids'), sites.map(({ id, name }) => `${id} ${name}\n`).join(''))
  mkdirSync(join(cwd, 'reports'))
  await run(now, 'import --plain --from ids --secrets-out secrets.env')
  Object.assign(secrets, parseEnv(readFileSync(join(cwd, 'secrets.env'), 'utf8')))
  const wlanOf = (site: number, ssid: string) => {
    const wlan = sites[site]?.wlans.find(each => each.ssid === ssid)
    if (wlan === undefined) throw new Error(`site ${site} has no ${ssid}`)
    return [sites[site]?.id ?? '', wlan.id] as const
  }
  return {
    simulator,
    sites,
    cwd,
    run,
    edit(chosen, ssid, fields) {
      for (const site of chosen) simulator.edit(...wlanOf(site, ssid), fields)
    },
    remove: (site, ssid) => simulator.remove(...wlanOf(site, ssid)),
    forget: site =>
      rewrite(join(cwd, 'sites'), text =>
        text.includes(sites[site]?.id ?? '') ? text.replace(/\n {2}voice:[\s\S]*$/, '') : text
      )
  }
}

function rewrite(directory: string, change: (text: string) => string): void {
  for (const file of readdirSync(directory)) {
    const path = join(directory, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
}
