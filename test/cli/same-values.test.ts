import { describe, expect, it, test } from 'vitest'
import type { Json, JsonObject, WlanRecord } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { GUEST } from '../support/ids.ts'
import { hqFile, PSK, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

type Fields = Readonly<Record<string, Json>>

interface Row {
  readonly before?: Fields
  readonly declared: object
  readonly after: Fields
}

const tables = tablesIn<Readonly<Record<'approved' | 'changed', Readonly<Record<string, Row>>>>>(
  import.meta.dirname,
  'same-values.yaml'
)

/** A plan of `declared` on a WLAN with these fields, which are then written differently; how apply treats the plan. */
async function applied({ before, declared, after }: Row) {
  const record = { id: GUEST, site_id: HQ, ssid: 'Staff', auth: { type: 'eap' }, ...before }
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [record as WlanRecord] }] })
  const staff = JSON.stringify({ ssid: 'Staff', ...declared })
  made.write('fleet/hq.yaml', hqFile(`\n  staff: ${staff}`))
  expect((await made.run('plan fleet --out plan.json')).code).toBe(0)
  const { digest } = JSON.parse(made.read('plan.json'))
  made.simulator.edit(HQ, GUEST, after)
  const line = `apply fleet --yes --plan plan.json --expect ${digest} --allow-downgrade --format json`
  const { code, stdout } = await made.run(line)
  return { code, status: stdout === '' ? undefined : JSON.parse(stdout).outcomes[0]?.status }
}

describe('an approval and a digest hold for a live value that is only written differently', () => {
  test.each(Object.entries(tables.approved))('%s', async (_, row) => {
    expect(await applied(row)).toEqual({ code: 0, status: 'applied' })
  })

  test.each(Object.entries(tables.changed))('but not for %s', async (_, row) => {
    expect(await applied(row)).toMatchObject({ code: 4 })
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
