import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { PSK, stage } from '../support/stage.ts'
import { tablesIn } from '../support/tables.ts'

const eap = {
  auth: { type: 'eap' },
  auth_servers: [{ host: '10.0.0.1', port: 1812, secret: PSK }]
}
const guests = { auth: { type: 'open' }, portal: { enabled: true, auth: 'none' } }
const LIVE = {
  corp: { ssid: 'Corp', ...eap, vlan_enabled: true, vlan_id: 110 },
  guest: { ssid: 'Guest', ...guests, vlan_enabled: true, vlan_id: 40 }
}

interface Case {
  readonly live?: { readonly corp?: JsonObject; readonly guest?: JsonObject }
  /** What is declared beside the SSID. */
  readonly corp?: JsonObject
  readonly guest?: JsonObject
}

const tables = tablesIn<{
  readonly exposing: Readonly<Record<string, Case & { readonly field: string }>>
  readonly safe: Readonly<Record<string, Case>>
}>(import.meta.dirname, 'exposures.yaml')

async function planned({ live, corp, guest }: Case) {
  const wlans = [
    { id: CORP, ...LIVE.corp, ...live?.corp },
    { id: GUEST, ...LIVE.guest, ...live?.guest }
  ]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  const declared = JSON.stringify({
    ...(corp && { corp: { ssid: 'Corp', ...corp } }),
    ...(guest && { guest: { ssid: 'Guest', ...guest } })
  })
  made.write(
    'own/hq.yaml',
    `policy: { lint: { level: off } }
site: { id: ${HQ}, name: hq, vars: { staff: 110 } }
wlans: ${declared}
`
  )
  const { code } = await made.run('plan own --out plan.json')
  const plan = JSON.parse(made.read('plan.json')) as Plan
  return { ...made, code, downgrades: plan.changes.flatMap(change => change.downgrades ?? []) }
}

describe('a change needs the consent of a downgrade', () => {
  it.each(Object.entries(tables.exposing))('%s', async (_, { field, ...given }) => {
    const { code, downgrades } = await planned(given)
    expect({ code, downgrades: [...new Set(downgrades)] }).toEqual({ code: 4, downgrades: [field] })
  })

  it.each(Object.entries(tables.safe))('but not %s', async (_, given) => {
    const { code, downgrades } = await planned(given)
    expect({ code, downgrades }).toEqual({ code: 0, downgrades: [] })
  })

  it('and is sent with it', async () => {
    const { run, methods } = await planned({ guest: { vlan_id: 110 } })
    expect((await run('apply own --yes')).code).toBe(4)
    expect(methods()).not.toContain('PUT')
    const allowed = await run('apply own --yes --plan plan.json --allow-downgrade')
    expect(allowed.code).toBe(0)
  })

  it('sends nothing with a plan from before staff moved into the VLAN', async () => {
    const { run, simulator, methods } = await planned({ guest: { vlan_id: 50 } })
    simulator.edit(HQ, CORP, { vlan_id: 50 })
    const { code, stdout } = await run('apply own --yes --plan plan.json --allow-downgrade')
    expect(code).toBe(5)
    expect(stdout).toContain('the downgrade of vlan_id (high)')
    expect(methods()).not.toContain('PUT')
  })
})
