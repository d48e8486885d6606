import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, PSK, stage } from '../support/stage.ts'

const declared = { auth: { type: 'psk', psk: { $env: 'WLAN_SECRET_GUEST' } } }
const before = { auth: { type: 'psk', psk: PSK }, vlan_enabled: false }

/** What `drift --since` and `diff` say after an edit of the live WLAN. */
async function afterEdit(edit: JsonObject) {
  const wlans = [{ id: CORP, ssid: 'Corp', site_id: HQ, ...before }]
  const { run, write, simulator } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  const wlan = JSON.stringify({ ssid: 'Corp', ...declared })
  write('own/hq.yaml', hqFile(`\n  corp: ${wlan}`))
  expect((await run('snapshot own --out before.json')).code).toBe(0)
  simulator.edit(HQ, CORP, edit)
  return { drift: await run('drift own --since before.json'), diff: await run('diff before.json') }
}

describe('a save in the web console without a change', () => {
  it.each<JsonObject>([
    { client_limit_down: 1000 },
    { portal: { enabled: false, privacy: true, auth: 'none' } },
    { auth: { ...before.auth, keys: ['', '', '', ''] } },
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
