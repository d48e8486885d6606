import { describe, expect, it, test } from 'vitest'
import type { Json, JsonObject, WlanRecord } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { GUEST } from '../support/ids.ts'
import { hqFile, PSK, stage } from '../support/stage.ts'

type Fields = Readonly<Record<string, Json>>

/** A plan of `declared` on a WLAN with these fields, which are then written differently; how apply treats the plan. */
async function applied(before: Fields, declared: string, after: Fields) {
  const record = { id: GUEST, site_id: HQ, ssid: 'Staff', auth: { type: 'eap' }, ...before }
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [record as WlanRecord] }] })
  made.write('fleet/hq.yaml', hqFile(`\n  staff: { ssid: Staff, ${declared} }`))
  expect((await made.run('plan fleet --out plan.json')).code).toBe(0)
  const { digest } = JSON.parse(made.read('plan.json'))
  made.simulator.edit(HQ, GUEST, after)
  const line = `apply fleet --yes --plan plan.json --expect ${digest} --allow-downgrade --format json`
  const { code, stdout, stderr } = await made.run(line)
  const status = stdout === '' ? undefined : JSON.parse(stdout).outcomes[0]?.status
  return { code, status, stderr }
}

describe('an approval and a digest hold for a live value that is only written differently', () => {
  test.each<[what: string, before: Fields, declared: string, after: Fields]>([
    ['a number as a text', { vlan_id: 30 }, 'vlan_id: 31', { vlan_id: '30' }],
    ['a set in another order', { bands: ['24', '5'] }, 'bands: ["5"]', { bands: ['5', '24'] }],
    [
      'a set within an object',
      { auth: { type: 'eap', pairwise: ['wpa3', 'wpa2-ccmp'] } },
      'auth: { pairwise: [wpa3] }',
      { auth: { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'] } }
    ],
    ['another case', { roam_mode: 'none' }, 'roam_mode: OKC', { roam_mode: 'NONE' }],
    ['a list as a text', { vlan_ids: '10,20' }, 'vlan_ids: [10, 30]', { vlan_ids: [10, 20] }],
    [
      'a port of a list of objects',
      { auth_servers: [{ host: '10.0.0.1', port: 1812, secret: 'radius-one' }] },
      'auth_servers: [{ host: 10.0.0.1, port: 1813 }]',
      { auth_servers: [{ host: '10.0.0.1', port: '1812', secret: 'radius-one' }] }
    ],
    ['null for nothing', {}, 'vlan_id: 31', { vlan_id: null }],
    ['an empty list for nothing', {}, 'bands: ["24", "5"]', { bands: [] }],
    [
      'null for an object',
      {},
      'schedule: { enabled: true, hours: { mon: "08:00-12:00" } }',
      { schedule: null }
    ],
    [
      'an empty object for nothing',
      {},
      'schedule: { enabled: true, hours: { mon: "08:00-12:00" } }',
      { schedule: {} }
    ],
    ['a default for nothing', {}, 'dtim: 3', { dtim: 2 }],
    [
      'an empty member',
      { schedule: { enabled: false } },
      'schedule: { enabled: true, hours: { mon: "08:00-12:00" } }',
      { schedule: { enabled: false, hours: {} } }
    ],
    ['another field', { vlan_id: 30 }, 'vlan_id: 31', { limit_probe_response: null }]
  ])('%s', async (_, before, declared, after) => {
    expect(await applied(before, declared, after)).toMatchObject({ code: 0, status: 'applied' })
  })

  test.each<[what: string, before: Fields, declared: string, after: Fields]>([
    ['another number', { vlan_id: 30 }, 'vlan_id: 31', { vlan_id: '32' }],
    ['a smaller set', { bands: ['24', '5', '6'] }, 'bands: ["5"]', { bands: ['5', '24'] }],
    ['a value for nothing', {}, 'dtim: 3', { dtim: 1 }],
    ['another list', { vlan_ids: '10,20' }, 'vlan_ids: [10, 30]', { vlan_ids: [20, 21] }]
  ])('but not for %s', async (_, before, declared, after) => {
    const { code } = await applied(before, declared, after)
    expect(code).toBe(4)
  })
})

const DECLARED = { auth: { type: 'psk', psk: { $env: 'WLAN_SECRET_GUEST' } } }
const BEFORE = { auth: { type: 'psk', psk: PSK }, vlan_enabled: false }

/** What `drift --since` and `diff` say after an edit of the live WLAN. */
async function afterEdit(edit: JsonObject) {
  const wlans = [{ id: CORP, ssid: 'Corp', site_id: HQ, ...BEFORE }]
  const { run, write, simulator } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  const wlan = JSON.stringify({ ssid: 'Corp', ...DECLARED })
  write('own/hq.yaml', hqFile(`\n  corp: ${wlan}`))
  expect((await run('snapshot own --out BEFORE.json')).code).toBe(0)
  simulator.edit(HQ, CORP, edit)
  return { drift: await run('drift own --since BEFORE.json'), diff: await run('diff BEFORE.json') }
}

describe('a save in the web console without a change', () => {
  it.each<JsonObject>([
    { client_limit_down: 1000 },
    { portal: { enabled: false, privacy: true, auth: 'none' } },
    { auth: { ...BEFORE.auth, keys: ['', '', '', ''] } },
    { acct_servers: [{}], auth_servers: [{ host: null, secret: '' }], coa_servers: [{}, null] },
    { schedule: { enabled: false, hours: { mon: '08:00-09:00' } } }
  ])('is neither drift nor a difference: %j', async edit => {
    const { drift, diff } = await afterEdit(edit)
    expect(drift.stdout).not.toContain('UNDECLARED_CHANGED')
    expect(drift.code).toBe(0)
    expect({ code: diff.code, stdout: diff.stdout.includes('Corp') }).toEqual({
      code: 0,
      stdout: false
    })
  })

  it.each<[text: string, edit: JsonObject]>([
    ['client_limit_down', { client_limit_down_enabled: true, client_limit_down: 1000 }],
    ['max_num_clients', { max_num_clients: 1 }]
  ])('is shown where it has an effect: %s', async (text, edit) => {
    const { drift, diff } = await afterEdit(edit)
    expect(drift.stdout).toContain(text.split('.')[0])
    expect(drift.code).toBe(2)
    expect({ code: diff.code, stdout: diff.stdout.includes(text) }).toEqual({
      code: 2,
      stdout: true
    })
    expect(drift.stdout + diff.stdout).not.toContain('"(secret)", "(secret)"')
  })
})
