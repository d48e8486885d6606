import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/core/values/secret.ts'
import { json, raw } from '../support/server.ts'
import { apiError, clients, nth, SITE, scripted, WLAN } from './support.ts'

/** The service's id for "none", on a WLAN of the organization. */
const NIL = '00000000-0000-0000-0000-000000000000'

/** Reads the only WLAN, with this JSON text. */
async function read(text: string) {
  const server = await scripted(raw(text, { 'content-type': 'application/json' }))
  return clients(server.url).reader.readWlan(SITE, WLAN)
}

const record = (members: object) => JSON.stringify({ id: WLAN, ...members })

describe('a live WLAN', () => {
  test('has a record, an id and an SSID', async () => {
    const asked = performance.now()
    const wlan = await read(record({ ssid: 'Corp', vlan_id: 20, bands: ['5'] }))
    expect(wlan).toEqual({
      id: WLAN,
      ssid: 'Corp',
      record: { id: WLAN, ssid: 'Corp', vlan_id: 20, bands: ['5'] },
      readAt: expect.any(Number)
    })
    expect(wlan.readAt).toBeGreaterThanOrEqual(asked)
    expect(wlan.readAt).toBeLessThanOrEqual(performance.now())
  })

  test.each([{}, { ssid: null }, { ssid: 7 }, { ssid: '' }])(
    'may have no SSID: %j',
    async members => {
      expect((await read(record(members))).ssid).toBe('')
    }
  )

  test.each([
    {},
    { site_id: SITE.id },
    { site_id: SITE.id.toUpperCase() },
    { site_id: null },
    { site_id: NIL }
  ])('may have the site_id %j', async members => {
    expect((await read(record(members))).id).toBe(WLAN)
  })

  test.each([{ site_id: nth(1) }, { site_id: '' }, { site_id: 7 }, { site_id: [SITE.id] }])(
    'is rejected with %j',
    async members => {
      expect((await apiError(read(record(members)))).problem.kind).toBe('invalid-content')
    }
  )

  test('may have its id in upper case', async () => {
    expect((await read(JSON.stringify({ id: WLAN.toUpperCase() }))).ssid).toBe('')
  })

  test.each([
    undefined,
    null,
    7,
    '',
    '../../self',
    `urn:uuid:${WLAN}`,
    `{${WLAN}}`,
    `${WLAN}\n`,
    `${WLAN}/..`,
    { 0: WLAN },
    nth(99)
  ])('is rejected with the id %j', async id => {
    const error = await apiError(read(JSON.stringify({ id })))
    expect(error.problem).toEqual({ kind: 'invalid-content' })
  })

  test('takes no id from a prototype', async () => {
    const error = await apiError(read(`{"__proto__":{"id":"${WLAN}"}}`))
    expect(error.problem).toEqual({ kind: 'invalid-content' })
  })

  test('keeps members with names of the prototype', async () => {
    const { record: kept } = await read(
      `{"id":"${WLAN}","__proto__":{"polluted":1},"constructor":2,"auth":{"__proto__":{"psk":"x"}}}`
    )
    expect(Object.keys(kept)).toEqual(['id', '__proto__', 'constructor', 'auth'])
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(kept['auth'])).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })

  test('may have 100 levels, and is rejected with more', async () => {
    const nested = (depth: number) =>
      `{"id":"${WLAN}","x":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await read(nested(99))).id).toBe(WLAN)
    expect((await apiError(read(nested(200)))).problem.kind).toBe('invalid-content')
  })

  test('keeps unsafe numbers recognisable', async () => {
    const { record: kept } = await read(`{"id":"${WLAN}","x":9007199254740993}`)
    expect(Number.isSafeInteger(kept['x'])).toBe(false)
  })
})

describe('a live secret', () => {
  test('is wrapped as soon as the record is read', async () => {
    const wlan = await read(
      record({
        auth: { type: 'psk', psk: 'sesame-open' },
        auth_servers: [{ host: 'a', secret: 'sesame-2' }]
      })
    )
    expect(wlan.record).toMatchObject({ auth: { psk: expect.any(Secret) } })
    expect(JSON.stringify(wlan) + inspect(wlan, { depth: 9 }) + String(wlan)).not.toContain(
      'sesame'
    )
  })

  test('that is masked is unknown', async () => {
    const { record: kept } = await read(record({ auth: { psk: '********' } }))
    expect(kept).toMatchObject({ auth: { psk: { known: false } } })
  })

  test('that is null stays null', async () => {
    const { record: kept } = await read(record({ auth: { psk: null } }))
    expect(kept).toEqual({ id: WLAN, auth: { psk: null } })
  })

  test.each([987, 12345678])('that is not a string (%j) is unknown, and not printed', async psk => {
    const { record: kept } = await read(record({ auth: { psk } }))
    expect(kept).toMatchObject({ auth: { psk: { known: false } } })
    expect(JSON.stringify(kept)).not.toContain(String(psk))
  })

  test('is found inside a value that should have been a string', async () => {
    const { record: kept } = await read(record({ auth: { psk: ['sesame', { old: 'sesame' }] } }))
    expect(JSON.stringify(kept)).not.toContain('sesame')
  })
})

test('the WLANs of a list share one site id', async () => {
  const server = await scripted(
    json([
      { id: nth(1), ssid: 'A' },
      { id: nth(2), ssid: 'A' }
    ])
  )
  const desired = { ...SITE, wlans: ['of no concern here'] }
  const live = await clients(server.url).reader.listWlans(desired)
  expect(live.site).toEqual(SITE)
  expect(live.wlans.map(wlan => wlan.ssid)).toEqual(['A', 'A'])
})
