import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, stage } from '../support/stage.ts'

const TUNNEL = '5497967e-905a-4263-8331-d66e531c40dc'

/** Live values under an older name, and the same fact under its name of today. */
const older: [what: string, field: string, live: JsonObject, declared: object][] = [
  ['5 GHz', 'bands', { band: '5' }, { bands: ['5'] }],
  ['2.4 GHz', 'bands', { band: '24', bands: null }, { bands: ['24'] }],
  ['both', 'bands', { band: 'both', bands: [] }, { bands: ['24', '5'] }],
  [
    'a tunnel',
    'mxtunnel_ids',
    { interface: 'mxtunnel', mxtunnel_id: TUNNEL },
    { interface: 'mxtunnel', mxtunnel_ids: [TUNNEL] }
  ],
  [
    'a VLAN for all others',
    'dynamic_vlan.default_vlan_ids',
    { dynamic_vlan: { enabled: true, default_vlan_id: 1 }, auth: { type: 'eap' } },
    { dynamic_vlan: { enabled: true, default_vlan_ids: [1] }, auth: { type: 'eap' } }
  ],
  [
    'a CoA server',
    'coa_servers',
    {
      coa_server: { ip: '10.0.0.1' },
      auth: { type: 'open' },
      cisco_cwa: { enabled: true },
      auth_servers: [{ host: '10.0.0.1', secret: 'a-radius-secret-1' }]
    },
    {
      coa_servers: [{ ip: '10.0.0.1', secret: { $env: 'WLAN_SECRET_GUEST' } }],
      auth: { type: 'open' },
      cisco_cwa: { enabled: true }
    }
  ]
]

it.each(older)('%s under an older name counts as it is', async (_, field, live, declared) => {
  const wlan = { id: CORP, ssid: 'Corp', site_id: HQ, ...live }
  const { run, read, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [wlan] }] })
  write('names.txt', `${HQ} hq\n`)
  const block = JSON.stringify({ ssid: 'Corp', ...declared })
  write('fleet/hq.yaml', hqFile(`\n  corp: ${block}`))

  // It is not imported as the default, and a plan after the import is empty.
  expect(await run('import --from names.txt')).toMatchObject({ code: 0 })
  expect(read('sites/hq.yaml')).not.toContain(field.split('.').at(-1))
  expect((await run('plan sites --detailed-exitcode')).code).toBe(0)

  // Declared under the name of today it is a change without an impact.
  const [change] = JSON.parse((await run('plan fleet --format json')).stdout).changes
  const at = `/${field.replaceAll('.', '/')}`
  expect(change.patch.map(({ path }: { path: string }) => path)).toContain(at)
  for (const name of ['impact', 'downgrades', 'resets_radio'])
    expect(change).not.toHaveProperty(name)

  const listed = await run(`list ${HQ} --live --columns ${field} --format json`)
  expect(listed.stdout).not.toContain('24')
  const audit = await run(`audit ${HQ} --format json`)
  expect(JSON.parse(audit.stdout).networks[0].variants[0].bands).toBe(
    field === 'bands' ? 'unknown' : '24, 5, 6'
  )
  write('bare/hq.yaml', hqFile('\n  corp: { ssid: Corp }'))
  write('bare/policy.yaml', 'policy: { unwatched: drift }\n')
  expect((await run('drift bare')).stdout).not.toContain(field)
})
