import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/simulator/json.ts'
import { consoleObjects } from '../../src/simulator/put.ts'
import { CORP, CORP_PATH, corp, HQ, simulate } from './simulate.ts'

const rows: readonly [field: string, sent: Json, stored: Json | undefined][] = [
  ['vlan_id', 20, '20'],
  ['vlan_id', '20', 20],
  ['vlan_id', '{{vlan}}', '{{vlan}}'],
  ['vlan_id', null, ''],
  ['vlan_ids', '10, 20', ['10', '20']],
  ['vlan_ids', ['10', '20'], '10,20'],
  ['bands', ['5', '24'], ['24', '5']],
  ['roam_mode', 'NONE', 'none'],
  ['roam_mode', 'none', 'NONE'],
  ['ap_ids', null, undefined],
  ['ap_ids', [], undefined],
  ['auth_servers', [], undefined],
  ['wxtunnel_id', null, ''],
  ['wxtunnel_id', '', null],
  ['dynamic_psk', null, undefined],
  [
    'auth',
    { type: 'eap', pairwise: ['wpa3', 'wpa2-ccmp'] },
    { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'] }
  ],
  [
    'auth_servers',
    [
      { host: 'b', port: 1812 },
      { host: 'a', port: '1' }
    ],
    [
      { host: 'b', port: '1812' },
      { host: 'a', port: 1 }
    ]
  ],
  ['app_limit', { apps: { netflix: 60 } }, { apps: { netflix: 60 } }],
  ['ssid', '20', '20'],
  ['not_known', '', ''],
  ['not_known', [3, 1], [3, 1]]
]

describe('normalise', () => {
  it.each(rows)('%s: %j is stored as %j', async (field, sent, stored) => {
    const { simulator, put } = await simulate({ switches: { normalise: true } })
    expect(await put(CORP_PATH, { [field]: sent })).toMatchObject({ status: 200 })
    expect(simulator.record(HQ, CORP)[field]).toEqual(stored)
  })

  it('adds the missing objects of the console, and keeps the others', async () => {
    const { simulator, put } = await simulate({ switches: { normalise: true } })
    simulator.edit(HQ, CORP, { portal: { enabled: true } })
    await put(CORP_PATH, { limit_bcast: true })
    const { modified_time: _, ...record } = simulator.record(HQ, CORP)
    const { modified_time: __, ...before } = corp
    const added = { ...consoleObjects, portal: { enabled: true } }
    expect(record).toEqual({ ...before, limit_bcast: true, ...added })
  })

  it('can be combined with merge', async () => {
    const { simulator, put } = await simulate({ switches: { normalise: true, merge: true } })
    await put(CORP_PATH, { auth: { owe: 'disabled' }, vlan_id: 20 })
    const expected = { auth: { type: 'eap', owe: 'disabled' }, vlan_id: '20' }
    expect(simulator.record(HQ, CORP)).toMatchObject(expected)
  })
})
