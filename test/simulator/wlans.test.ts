import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import { secretMaskings } from '../../src/simulator/switches.ts'
import { manualClock } from '../support/clock.ts'
import {
  CORP,
  CORP_PATH,
  corp,
  GUEST,
  GUEST_PATH,
  guest,
  HQ,
  simulate,
  UNKNOWN_ID,
  WLANS
} from './simulate.ts'

it('lists and reads the records unchanged', async () => {
  const { get } = await simulate()
  expect((await get(WLANS)).body).toEqual([corp, guest])
  expect((await get(GUEST_PATH)).body).toEqual(guest)
})

it('responds to an unknown site or WLAN with the documented body', async () => {
  const { get, put } = await simulate()
  const rows: [string, string][] = [
    [`/api/v1/sites/${UNKNOWN_ID}/wlans`, UNKNOWN_ID],
    [`/api/v1/sites/${UNKNOWN_ID}/wlans/${CORP}`, UNKNOWN_ID],
    [`${WLANS}/${UNKNOWN_ID}`, UNKNOWN_ID]
  ]
  for (const [path, id] of rows) expect((await get(path)).body).toEqual({ id })
  expect((await put(`${WLANS}/${UNKNOWN_ID}`, {})).body).toEqual({ id: UNKNOWN_ID })
})

describe('PUT', () => {
  it('replaces the fields of the body, keeps the rest, and returns the record', async () => {
    const clock = manualClock()
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

  it('increases modified_time every time, however fast', async () => {
    const { simulator, put } = await simulate({ clock: manualClock() })
    for (const enabled of [true, false, true]) await put(CORP_PATH, { enabled })
    const times = simulator.history.map(write => write.after['modified_time'])
    expect(times).toEqual([1_800_000_000, 1_800_000_001, 1_800_000_002])
  })

  it('ignores identity and read-only fields', async () => {
    const { simulator, put } = await simulate({ clock: manualClock() })
    const body = {
      ...corp,
      id: UNKNOWN_ID,
      org_id: UNKNOWN_ID,
      site_id: UNKNOWN_ID,
      created_time: 1,
      vlan_id: 9
    }
    expect(await put(CORP_PATH, body)).toMatchObject({ status: 200 })
    const expected = { ...corp, vlan_id: 9, modified_time: 1_800_000_000 }
    expect(simulator.record(HQ, CORP)).toEqual(expected)
  })

  it('stores unknown fields, including __proto__ and null', async () => {
    const { get, send } = await simulate()
    await send('PUT', CORP_PATH, '{"not_yet":{"a":1},"__proto__":{"b":2},"vlan_id":null}')
    const { body } = await get(CORP_PATH)
    expect(body).toMatchObject({ not_yet: { a: 1 }, vlan_id: null })
    expect(Object.getOwnPropertyDescriptor(body, '__proto__')?.value).toEqual({ b: 2 })
  })

  it('rejects a WLAN that belongs to a template', async () => {
    const { simulator, put } = await simulate()
    simulator.edit(HQ, CORP, { template_id: UNKNOWN_ID })
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
  it.each(wrong)('rejects %s %j by its name', async (field, value) => {
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
  it.each(right)('accepts %s %j', async (field, value) => {
    const { simulator, put } = await simulate()
    expect(await put(CORP_PATH, { [field]: value })).toMatchObject({ status: 200 })
    expect(simulator.record(HQ, CORP)[field]).toEqual(value)
  })
})

it('manual edits and deletions are visible', async () => {
  const { simulator, get } = await simulate({ clock: manualClock() })
  simulator.edit(HQ, CORP, { ssid: 'Edited', vlan_id: undefined })
  const { vlan_id: _, ...rest } = corp
  const edited = { ...rest, ssid: 'Edited', modified_time: 1_800_000_000 }
  expect((await get(CORP_PATH)).body).toEqual(edited)
  simulator.remove(HQ, CORP)
  expect((await get(WLANS)).body).toEqual([guest])
  expect(await get(CORP_PATH)).toMatchObject({ status: 404 })
  expect(simulator.history).toEqual([])
})

const shown = {
  no: { psk: 'test-psk-123', password: 'seesam', secrets: ['radius-one', 'radius-two'] },
  masked: { psk: '********', password: '********', secrets: ['********', '********'] },
  partly: { psk: 'te*****23', password: '*****', secrets: ['ra*****ne', 'ra*****wo'] },
  empty: { psk: '', password: '', secrets: ['', ''] },
  absent: { psk: undefined, password: undefined, secrets: [undefined, undefined] }
}

function secretsOf(corp: JsonObject, guest: JsonObject) {
  const servers = corp['auth_servers'] as readonly JsonObject[]
  const auth = guest['auth'] as JsonObject
  const portal = guest['portal'] as JsonObject
  return {
    psk: auth['psk'],
    password: portal['password'],
    secrets: servers.map(server => server['secret'])
  }
}

describe('hiddenSecrets', () => {
  it.each(secretMaskings)(
    '%s: masked in lists, reads and the response to a PUT',
    async hiddenSecrets => {
      const { simulator, get, put } = await simulate({ switches: { hiddenSecrets } })
      const list = (await get(WLANS)).body as JsonObject[]
      expect(secretsOf(list[0] ?? {}, list[1] ?? {})).toEqual(shown[hiddenSecrets])
      const read = (await get(GUEST_PATH)).body as JsonObject
      const answer = (await put(CORP_PATH, { ssid: 'New' })).body as JsonObject
      expect(secretsOf(answer, read)).toEqual(shown[hiddenSecrets])
      expect(secretsOf(corp, simulator.record(HQ, GUEST))).toEqual(shown.no)
    }
  )

  it('keeps everything else, including an empty secret', async () => {
    const { simulator, get } = await simulate({ switches: { hiddenSecrets: 'masked' } })
    simulator.edit(HQ, GUEST, { auth: { type: 'open', psk: '' }, portal: { enabled: true } })
    const expected = simulator.record(HQ, GUEST)
    expect((await get(GUEST_PATH)).body).toEqual(expected)
    expect(expected).toMatchObject({ ssid: guest.ssid })
  })

  it('masks secrets in lists of secrets', async () => {
    const { simulator, get } = await simulate({ switches: { hiddenSecrets: 'masked' } })
    simulator.edit(HQ, GUEST, { auth: { type: 'wep', keys: ['0123456789', ''] } })
    expect((await get(GUEST_PATH)).body).toMatchObject({ auth: { keys: ['********', ''] } })
  })

  it('stores masks that are written back, which destroys the secret', async () => {
    const { simulator, get, put } = await simulate({ switches: { hiddenSecrets: 'masked' } })
    const { auth } = (await get(GUEST_PATH)).body as { auth: JsonObject }
    await put(GUEST_PATH, { auth })
    expect(simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: '********' } })
  })
})
