import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { documentedCoupling } from '../../src/simulator/switches.ts'
import { manualClock } from '../support/clock.ts'
import { CORP, CORP_PATH, corp, GUEST, GUEST_PATH, guest, HQ, simulate, WLANS } from './simulate.ts'

it('merge: merges objects into the stored ones, and replaces lists', async () => {
  const { simulator, put } = await simulate({ switches: { merge: true } })
  await put(CORP_PATH, { auth: { eap_reauth: true, pairwise: ['wpa3'] }, vlan_id: 30 })
  expect(simulator.record(HQ, CORP)).toMatchObject({
    auth: { type: 'eap', eap_reauth: true, pairwise: ['wpa3'] },
    vlan_id: 30
  })
})

it('staleFor: reads return the former record until the time is over', async () => {
  const clock = manualClock()
  const { simulator, get, put } = await simulate({ clock, switches: { staleFor: 5000 } })
  expect((await put(CORP_PATH, { ssid: 'New' })).body).toMatchObject({ ssid: 'New' })
  expect(simulator.record(HQ, CORP).ssid).toBe('New')
  clock.advance(4999)
  expect((await get(CORP_PATH)).body).toEqual(corp)
  expect((await get(WLANS)).body).toEqual([corp, guest])
  clock.advance(1)
  expect((await get(CORP_PATH)).body).toMatchObject({ ssid: 'New' })
})

it('staleFor: a second PUT is based on the first one', async () => {
  const clock = manualClock()
  const { get, put } = await simulate({ clock, switches: { staleFor: 5000 } })
  await put(CORP_PATH, { ssid: 'New' })
  clock.advance(4000)
  await put(CORP_PATH, { vlan_id: 30 })
  clock.advance(4000)
  expect((await get(CORP_PATH)).body).toEqual(corp)
  clock.advance(1000)
  expect((await get(CORP_PATH)).body).toMatchObject({ ssid: 'New', vlan_id: 30 })
})

it('staleReads: this share of the reads returns the former record', async () => {
  const { get, put } = await simulate({ switches: { staleFor: 60_000, staleReads: 0.5 } })
  await put(CORP_PATH, { ssid: 'New' })
  let fresh = 0
  for (let n = 0; n < 20; n += 1) {
    const { body } = await get(CORP_PATH)
    if (isDeepStrictEqual(body, corp)) continue
    expect(body).toMatchObject({ ssid: 'New' })
    fresh += 1
  }
  expect(fresh).toBeGreaterThan(4)
  expect(fresh).toBeLessThan(16)
})

it('dropFields: responds 200 and stores the other fields', async () => {
  const dropFields = ['/vlan_id', '/auth/psk', '/portal/sms/code', '/auth_servers/1/port', '/bands']
  const { simulator, put } = await simulate({ switches: { dropFields } })
  const servers = [
    { host: 'a', port: 1 },
    { host: 'b', port: 2 }
  ]
  const body = { vlan_id: 30, bands: ['6'], ssid: 'New', auth_servers: servers }
  expect(await put(CORP_PATH, body)).toMatchObject({ status: 200 })
  const record = simulator.record(HQ, CORP)
  expect(record).toMatchObject({ vlan_id: 20, ssid: 'New' })
  expect(record['auth_servers']).toEqual([servers[0], { host: 'b', port: '1812' }])
  expect(record).not.toHaveProperty('bands')
  await put(GUEST_PATH, { auth: { type: 'psk', psk: 'another-psk' }, portal: { enabled: false } })
  expect(simulator.record(HQ, GUEST)).toMatchObject({ auth: guest['auth'] })
  expect(simulator.record(HQ, GUEST)['portal']).toEqual({ enabled: false })
})

it('coupled: enabling a field changes others, disabling does not', async () => {
  const { simulator, put } = await simulate({ switches: { coupled: documentedCoupling } })
  await put(CORP_PATH, { bonjour: { enabled: false } })
  expect(simulator.record(HQ, CORP)).toMatchObject({ limit_bcast: false })
  await put(CORP_PATH, { bonjour: { enabled: true }, limit_bcast: false })
  expect(simulator.record(HQ, CORP)).toMatchObject({ limit_bcast: true, allow_mdns: false })
})

it('editBetween: another client edits right after a PUT', async () => {
  const { simulator, get, put } = await simulate({ switches: { editBetween: { ssid: 'Mine' } } })
  expect((await put(CORP_PATH, { ssid: 'New' })).body).toMatchObject({ ssid: 'New' })
  expect((await get(CORP_PATH)).body).toMatchObject({ ssid: 'Mine' })
  expect(simulator.history).toMatchObject([{ after: { ssid: 'New' } }])
})

it('redirectTo: redirects every request, and executes none', async () => {
  const redirectTo = 'http://127.0.0.1:9/login'
  const { simulator, put } = await simulate({ switches: { redirectTo } })
  const answer = await put(CORP_PATH, { ssid: 'New' })
  expect(answer.status).toBe(302)
  expect(answer.headers.get('location')).toBe(redirectTo)
  expect(simulator.history).toEqual([])
})

it('latency: delays responses, and loses none if it changes', async () => {
  const { simulator, get } = await simulate({ switches: { latency: 300_000 } })
  const late = get(CORP_PATH).catch(() => 'gone')
  await expect.poll(() => simulator.requests.length).toBe(1)
  simulator.set({ latency: 1 })
  expect(await get(CORP_PATH)).toMatchObject({ status: 200 })
  expect(simulator.requests[0]).not.toHaveProperty('status')
  await simulator.close()
  expect(await late).toBe('gone')
})

it('rateLimit: responds 429 beyond the limit until the window ends', async () => {
  const clock = manualClock()
  const rateLimit = { calls: 2, perSeconds: 60 }
  const { simulator, get, send } = await simulate({ clock, switches: { rateLimit } })
  const statuses = async () => [(await get(WLANS)).status, (await get(CORP_PATH)).status]
  expect(await statuses()).toEqual([200, 200])
  clock.advance(20_500)
  const refused = await get(WLANS)
  expect(refused).toMatchObject({ status: 429, body: { detail: expect.any(String) } })
  expect(refused.headers.get('retry-after')).toBe('40')
  expect(await send('GET', WLANS, undefined, {})).toMatchObject({ status: 401 })
  clock.advance(39_500)
  expect(await statuses()).toEqual([200, 200])
  expect(await statuses()).toEqual([429, 429])
  simulator.set({ rateLimit: null })
  expect(await statuses()).toEqual([200, 200])
})

it('rateLimit: is counted per token', async () => {
  const rateLimit = { calls: 1, perSeconds: 60 }
  const { send } = await simulate({ token: 'a,b', switches: { rateLimit } })
  const ask = (token: string) => send('GET', WLANS, undefined, { authorization: `Token ${token}` })
  const statuses = []
  for (const token of ['a', 'b', 'a', 'b', 'a,b']) statuses.push((await ask(token)).status)
  expect(statuses).toEqual([200, 200, 429, 429, 401])
})
