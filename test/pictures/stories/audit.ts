import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateFleet } from '../../../src/simulator/fleet/generate.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import { simulate } from '../../simulator/simulate.ts'
import { folder, PROGRAM, startCommand } from '../../support/program.ts'
import { stopped } from './clock.ts'

/** The problems of the fleet: the indexes of the sites, the SSID, and the fields. */
const mistakes: readonly (readonly [sites: readonly number[], ssid: string, fields: JsonObject])[] =
  [
    // A guest network on the VLAN of the tills, without client isolation.
    [[17, 63], 'Guest', { vlan_enabled: false, isolation: false, portal: { enabled: false } }],
    // The company network with a shared password at two sites.
    [
      [5, 88],
      'Corp',
      { auth: { type: 'psk', pairwise: ['wpa2-ccmp'], psk: 'Welcome2019' }, auth_servers: [] }
    ],
    // 802.1X without a server: no client can log in.
    [[41], 'Staff', { auth_servers: [], acct_servers: [], coa_servers: [] }],
    // A look-alike SSID.
    [[102], 'Voice', { ssid: 'Voice ' }],
    [[120, 121, 122], 'IoT', { bands: ['24', '5'] }]
  ]

/** The page of `audit` on 150 sites, with the simulator on this port (0: any). */
export async function auditPage(port: number): Promise<string> {
  const sites = generateFleet({ sites: 150, wlans: 5, seed: 1 })
  const { simulator } = await simulate({ sites, port })
  const cwd = folder()
  for (const [chosen, ssid, fields] of mistakes) {
    for (const at of chosen) {
      const site = sites[at]
      const wlan = site?.wlans.find(each => each.ssid === ssid)
      if (site === undefined || wlan === undefined) throw new Error(`site ${at} has no ${ssid}`)
      simulator.edit(site.id, wlan.id, fields)
    }
  }
  writeFileSync(join(cwd, 'ids'), sites.map(({ id, name }) => `${id} ${name}\n`).join(''))
  const env = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }
  const line = 'audit --from ids --report html=audit.html'
  const argv = [...stopped('2026-11-20T08:00:00Z'), PROGRAM, ...line.split(' ')]
  const { code, stderr } = await startCommand(process.execPath, argv, { cwd, env }).ended
  if (code !== 2) throw new Error(`audit ended with ${code}: ${stderr}`)
  return readFileSync(join(cwd, 'audit.html'), 'utf8')
}
