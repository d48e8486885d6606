import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { PSK, stage } from '../support/stage.ts'

const eap = {
  auth: { type: 'eap' },
  auth_servers: [{ host: '10.0.0.1', port: 1812, secret: PSK }]
}
const guests = { auth: { type: 'open' }, portal: { enabled: true, auth: 'none' } }
const inVlan = (vlan: number | string) => ({ vlan_enabled: true, vlan_id: vlan })
const LIVE = {
  corp: { ssid: 'Corp', ...eap, ...inVlan(110) },
  guest: { ssid: 'Guest', ...guests, ...inVlan(40) }
}

interface Case {
  readonly live?: { readonly corp?: JsonObject; readonly guest?: JsonObject }
  /** What is declared beside the SSID. */
  readonly corp?: JsonObject
  readonly guest?: JsonObject
  readonly more?: string
}

async function planned({ live, corp, guest, more = '' }: Case) {
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
${more}wlans: ${declared}
`
  )
  const { code } = await made.run('plan own --out plan.json')
  const plan = JSON.parse(made.read('plan.json')) as Plan
  return { ...made, code, downgrades: plan.changes.flatMap(change => change.downgrades ?? []) }
}

const server = (host: string) => ({ host, port: 1812, secret: { $env: 'WLAN_SECRET_GUEST' } })

describe('a change needs the consent of a downgrade', () => {
  it.each<[what: string, given: Case, pointer: string]>([
    ['guests into a VLAN of staff', { guest: { vlan_id: 110 } }, '/vlan_id'],
    ['guests by a variable', { guest: { vlan_id: { $var: 'staff' } } }, '/vlan_id'],
    [
      'guests by a variable of the service',
      { live: { corp: inVlan('{{staff}}') }, guest: { vlan_id: '{{staff}}' } },
      '/vlan_id'
    ],
    ['guests into VLAN 1', { guest: { vlan_id: 1 } }, '/vlan_id'],
    ['guests by a pool', { guest: { vlan_pooling: true, vlan_ids: [40, 110] } }, '/vlan_ids'],
    [
      'guests by the switch of VLANs',
      { live: { guest: { vlan_enabled: false, vlan_id: 110 } }, guest: { vlan_enabled: true } },
      '/vlan_enabled'
    ],
    [
      'guests that are switched on in a VLAN of staff',
      { live: { guest: { enabled: false, vlan_id: 110 } }, guest: { enabled: true } },
      '/enabled'
    ],
    [
      'guests into a VLAN that another network gets with the same change',
      { corp: { vlan_id: 20 }, guest: { vlan_id: 20 } },
      '/vlan_id'
    ],
    ['staff into a VLAN of guests', { corp: { vlan_id: 40 } }, '/vlan_id'],
    [
      'RADIUS to a public address',
      { corp: { auth_servers: [server('203.0.113.9')] } },
      '/auth_servers'
    ],
    [
      'RADIUS to a public address behind the others',
      { corp: { auth_servers: [server('10.0.0.1'), server('2606:4700::1111')] } },
      '/auth_servers'
    ]
  ])('%s', async (_, given, pointer) => {
    const { run, code, downgrades, methods } = await planned(given)
    expect({ code, downgrades: [...new Set(downgrades)] }).toEqual({
      code: 4,
      downgrades: [pointer]
    })
    const refused = await run('apply own --yes')
    expect({ code: refused.code, sent: methods().includes('PUT') }).toEqual({
      code: 4,
      sent: false
    })
    const allowed = await run('apply own --yes --plan plan.json --allow-downgrade')
    expect({ code: allowed.code, out: allowed.stdout }).toMatchObject({ code: 0 })
  })

  it.each<[what: string, given: Case]>([
    ['guests into a VLAN of their own', { guest: { vlan_id: 41 } }],
    ['guests who were in the VLAN', { live: { guest: inVlan(110) }, guest: { isolation: true } }],
    ['staff into a VLAN of staff', { corp: { vlan_id: 1 } }],
    [
      'guests into a VLAN of a tunnel',
      { live: { corp: { interface: 'mxtunnel' } }, guest: { vlan_id: 110 } }
    ],
    ['RADIUS to a private address', { corp: { auth_servers: [server('10.0.0.9')] } }],
    [
      'RADIUS back among known public servers',
      {
        live: {
          corp: {
            auth_servers: [
              { ...server('10.0.0.1'), secret: PSK },
              { ...server('9.9.9.9'), secret: PSK }
            ]
          }
        },
        corp: { auth_servers: [server('9.9.9.9'), server('10.0.0.1')] }
      }
    ]
  ])('but not %s', async (_, given) => {
    const { code, downgrades, run } = await planned(given)
    expect({ code, downgrades }).toEqual({ code: 0, downgrades: [] })
    expect((await run('apply own --yes')).code).toBe(0)
  })

  it('sends nothing with a plan from before staff moved into the VLAN', async () => {
    const { run, simulator, methods } = await planned({ guest: { vlan_id: 50 } })
    simulator.edit(HQ, CORP, { vlan_id: 50 })
    const { code, stdout } = await run('apply own --yes --plan plan.json --allow-downgrade')
    expect(code).toBe(5)
    expect(stdout).toContain('the downgrade of /vlan_id (high)')
    expect(methods()).not.toContain('PUT')
  })
})
