import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/simulator/json.ts'
import { handClock } from '../../support/clock.ts'
import {
  CORP,
  CORP_PATH,
  corp,
  GUEST_PATH,
  guest,
  HQ,
  NOBODY,
  simulate,
  WLANS
} from '../simulate.ts'

it('lists and reads the records as they are', async () => {
  const { get } = await simulate()
  expect((await get(WLANS)).body).toEqual([corp, guest])
  expect((await get(GUEST_PATH)).body).toEqual(guest)
})

it('answers an unknown site or WLAN with the strange documented body', async () => {
  const { get, put } = await simulate()
  const rows: [string, string][] = [
    [`/api/v1/sites/${NOBODY}/wlans`, NOBODY],
    [`/api/v1/sites/${NOBODY}/wlans/${CORP}`, NOBODY],
    [`${WLANS}/${NOBODY}`, NOBODY]
  ]
  for (const [path, id] of rows) expect((await get(path)).body).toEqual({ id })
  expect((await put(`${WLANS}/${NOBODY}`, {})).body).toEqual({ id: NOBODY })
})

describe('PUT', () => {
  it('replaces what the body has, keeps the rest, and answers the record', async () => {
    const clock = handClock()
    const { simulator, get, put } = await simulate({ clock })
    const answer = await put(GUEST_PATH, { auth: { type: 'open' } })
    const after = { ...guest, auth: { type: 'open' }, modified_time: 1_800_000_000 }
    expect(answer.body).toEqual(after)
    expect((await get(GUEST_PATH)).body).toEqual(after)
    expect(simulator.record(HQ, guest.id)).toEqual(after)
    expect(simulator.history).toEqual([
      {
        at: clock(),
        site: HQ,
        wlan: guest.id,
        body: { auth: { type: 'open' } },
        before: guest,
        after
      }
    ])
  })

  it('moves modified_time on each time, however fast', async () => {
    const { simulator, put } = await simulate({ clock: handClock() })
    for (const enabled of [true, false, true]) await put(CORP_PATH, { enabled })
    const times = simulator.history.map(write => write.after['modified_time'])
    expect(times).toEqual([1_800_000_000, 1_800_000_001, 1_800_000_002])
  })

  it('passes over identity and read-only fields', async () => {
    const { simulator, put } = await simulate({ clock: handClock() })
    const body = {
      ...corp,
      id: NOBODY,
      org_id: NOBODY,
      site_id: NOBODY,
      created_time: 1,
      vlan_id: 9
    }
    expect(await put(CORP_PATH, body)).toMatchObject({ status: 200 })
    const expected = { ...corp, vlan_id: 9, modified_time: 1_800_000_000 }
    expect(simulator.record(HQ, CORP)).toEqual(expected)
  })

  it('stores fields it does not know, __proto__ among them, and null', async () => {
    const { get, send } = await simulate()
    await send('PUT', CORP_PATH, '{"not_yet":{"a":1},"__proto__":{"b":2},"vlan_id":null}')
    const { body } = await get(CORP_PATH)
    expect(body).toMatchObject({ not_yet: { a: 1 }, vlan_id: null })
    expect(Object.getOwnPropertyDescriptor(body, '__proto__')?.value).toEqual({ b: 2 })
  })

  it('refuses a WLAN that comes from a template', async () => {
    const { simulator, put } = await simulate()
    simulator.edit(HQ, CORP, { template_id: NOBODY })
    const answer = await put(CORP_PATH, { ssid: 'New' })
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.any(String) } })
    expect(simulator.history).toEqual([])
  })

  const wrong: readonly [field: string, value: Json][] = [
    ['ssid', ''],
    ['ssid', 7],
    ['ssid', 'é'.repeat(17)],
    ['enabled', 'yes'],
    ['vlan_id', 0],
    ['vlan_id', 4095],
    ['vlan_id', 'none'],
    ['vlan_id', true],
    ['auth', 'psk'],
    ['auth', { psk: 'hush' }]
  ]
  it.each(wrong)('complains of %s %j by its name', async (field, value) => {
    const { simulator, put } = await simulate()
    const answer = await put(CORP_PATH, { [field]: value, limit_bcast: true })
    expect(answer).toMatchObject({ status: 400, body: { [field]: [expect.any(String)] } })
    expect(JSON.stringify(answer.body)).not.toContain('hush')
    expect(simulator.history).toEqual([])
  })

  const right: readonly [field: string, value: Json][] = [
    ['vlan_id', '4094'],
    ['vlan_id', '{{guest_vlan}}'],
    ['vlan_id', null],
    ['auth', { psk: '' }],
    ['auth', { psk: '********' }],
    ['ssid', 'é'.repeat(16)]
  ]
  it.each(right)('takes %s %j', async (field, value) => {
    const { simulator, put } = await simulate()
    expect(await put(CORP_PATH, { [field]: value })).toMatchObject({ status: 200 })
    expect(simulator.record(HQ, CORP)[field]).toEqual(value)
  })
})

it('shows what somebody edits or deletes by hand', async () => {
  const { simulator, get } = await simulate({ clock: handClock() })
  simulator.edit(HQ, CORP, { ssid: 'Edited', vlan_id: undefined })
  const { vlan_id: _, ...rest } = corp
  const edited = { ...rest, ssid: 'Edited', modified_time: 1_800_000_000 }
  expect((await get(CORP_PATH)).body).toEqual(edited)
  simulator.remove(HQ, CORP)
  expect((await get(WLANS)).body).toEqual([guest])
  expect(await get(CORP_PATH)).toMatchObject({ status: 404 })
  expect(simulator.history).toEqual([])
})
