import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/simulator/fleet/generate.ts'
import type { JsonObject, WlanRecord } from '../../src/simulator/json.ts'
import { clientsOf } from '../../src/simulator/people.ts'
import { manualClock } from '../support/clock.ts'
import { CORP, GUEST, HQ, simulate, UNKNOWN_ID } from './simulate.ts'

const MONDAY = Date.parse('2026-01-05T00:00:00Z')
const HOUR = 3_600_000
const ten = MONDAY + 10 * HOUR

const wlan: WlanRecord = {
  id: GUEST,
  ssid: 'Guest',
  enabled: true,
  vlan_enabled: true,
  vlan_id: 40,
  auth: { type: 'psk', psk: 'known-to-all' }
}

/** The clients of 200 sites of a kind together, so that chance matters little. */
function total(kind: string, at: number, changes: JsonObject = {}, initial = wlan): number {
  const sites = Array.from({ length: 200 }, (_, n) => ({ id: `site-${n}`, name: `${kind} ${n}` }))
  const counts = sites.map(site => {
    const id = `${GUEST} ${site.id}`
    return clientsOf(site, { ...initial, id }, { ...initial, ...changes, id }, at, 1)
  })
  return counts.reduce((sum, count) => sum + count)
}

describe('people', () => {
  it.each([
    ['Store', 12, 3],
    ['Office', 10, 22],
    ['Hospital', 12, 3],
    ['School', 9, 18],
    ['hq', 10, 22]
  ])('%s: are more at %i than at %i', (kind, busy, quiet) => {
    const most = total(kind, MONDAY + busy * HOUR)
    expect(most).toBeGreaterThan(200 * 30)
    expect(total(kind, MONDAY + quiet * HOUR)).toBeLessThan(most / 2)
  })

  it('are on weekends in stores and hospitals only', () => {
    const sunday = ten - 24 * HOUR
    expect(total('Office', sunday) + total('School', sunday)).toBe(0)
    expect(total('Store', sunday)).toBeLessThan(total('Store', ten))
    expect(total('Store', sunday)).toBeGreaterThan(0)
    expect(total('Hospital', sunday)).toBeGreaterThan(total('Hospital', ten) / 2)
  })

  const always = { enabled: true, hours: {} }
  const rows: readonly [about: string, changes: JsonObject, least: number, most: number][] = [
    ['nothing changed', {}, 1, 1],
    ['other settings', { bands: ['5'], vlan_id: 3999 }, 1, 1],
    ['a VLAN without `vlan_enabled`', { vlan_enabled: false, vlan_id: 4000 }, 1, 1],
    ['a VLAN of the service', { vlan_id: '{{guest}}' }, 1, 1],
    ['off', { enabled: false }, 0, 0],
    ['a VLAN that leads nowhere', { vlan_id: '4000' }, 0, 0],
    ['another key', { auth: { type: 'psk', psk: 'known-to-few' } }, 0.05, 0.15],
    ['another name', { ssid: 'Visitors' }, 0.05, 0.15],
    ['open instead of a key', { auth: { type: 'open' } }, 0.05, 0.15],
    ['hidden', { hide_ssid: true }, 0.35, 0.45],
    ['a schedule without hours', { schedule: always }, 1, 1],
    ['closed all day', { schedule: { ...always, hours: { mon: '' } } }, 0, 0],
    ['closed the next day', { schedule: { ...always, hours: { tue: '' } } }, 1, 1],
    ['open until ten', { schedule: { ...always, hours: { mon: '08:00-10:00' } } }, 0, 0],
    ['open from ten', { schedule: { ...always, hours: { mon: '10:00-24:00' } } }, 1, 1],
    ['a schedule that is off', { schedule: { enabled: false, hours: { mon: '' } } }, 1, 1]
  ]
  it.each(rows)('%s', (_, changes, least, most) => {
    const share = total('Store', ten, changes) / total('Store', ten)
    expect(share).toBeGreaterThanOrEqual(least)
    expect(share).toBeLessThanOrEqual(most)
  })

  it('know a network that was hidden at the start', () => {
    const hidden = { ...wlan, hide_ssid: true }
    expect(total('Store', ten, {}, hidden)).toBe(total('Store', ten))
  })

  it('vary with the site, the time, the seed and the power of a site', () => {
    const sites = Array.from({ length: 1000 }, (_, n) => ({ id: `${n}`, name: `Hospital ${n}` }))
    const counts = (at: number, seed = 1) =>
      sites.map(site => clientsOf(site, wlan, wlan, at, seed))
    const first = counts(ten)
    expect(counts(ten)).toEqual(first)
    expect(counts(ten, 2)).not.toEqual(first)
    expect(counts(ten + 1_800_000)).not.toEqual(first)
    expect(new Set(first).size).toBeGreaterThan(50)
    const days = Array.from({ length: 20 }, (_, day) => counts(ten + day * 24 * HOUR)).flat()
    const without = days.filter(count => count === 0).length / days.length
    expect(without).toBeGreaterThan(0.001)
    expect(without).toBeLessThan(0.004)
  })
})

describe('GET /simulator/sites/<site>/clients', () => {
  const path = (site: string) => `/simulator/sites/${site}/clients`

  it('counts the clients of each WLAN, as it is now', async () => {
    const clock = manualClock(ten)
    const { simulator, get, put } = await simulate({ clock, clients: true })
    const body = { id: HQ, wlans: [CORP, GUEST].map(id => ({ id, clients: expect.any(Number) })) }
    expect(await get(path(HQ.toUpperCase()))).toMatchObject({ status: 200, body })
    await put(`/api/v1/sites/${HQ}/wlans/${CORP}`, { enabled: false })
    simulator.edit(HQ, GUEST, { vlan_enabled: true, vlan_id: 4094 })
    expect((await get(path(HQ))).body).toEqual({
      id: HQ,
      wlans: [CORP, GUEST].map(id => ({ id, clients: 0 }))
    })
  })

  it('follows the clock', async () => {
    const clock = manualClock(ten)
    const { get } = await simulate({
      clock,
      clients: true,
      sites: generateFleet({ sites: 1, wlans: 1, seed: 1 }).map(site => ({ ...site, id: HQ }))
    })
    const { body: busy } = await get(path(HQ))
    expect(busy).not.toMatchObject({ wlans: [{ clients: 0 }] })
    clock.advance(17 * HOUR)
    expect((await get(path(HQ))).body).toMatchObject({ wlans: [{ clients: 0 }] })
  })

  it('counts for an earlier time, by its own clock', async () => {
    const { get } = await simulate({
      clock: manualClock(ten + 16 * HOUR),
      timeAt: system => MONDAY + system * 2,
      clients: true
    })
    const at = (time: string) => get(`${path(HQ)}?at=${time}`)
    const night = expect.objectContaining({ wlans: [CORP, GUEST].map(id => ({ id, clients: 0 })) })
    expect(await get(path(HQ))).toMatchObject({ status: 200, body: night })
    expect((await at('1970-01-01T05:00:00Z')).body).not.toEqual(night)
    expect((await at('1970-01-01T13:00:00Z')).body).toEqual(night)
    expect(await at('yesterday')).toMatchObject({ status: 400 })
  })

  it.each([
    [{}, HQ, 404],
    [{ clients: true }, UNKNOWN_ID, 404],
    [{ clients: true, token: 'other' }, HQ, 200]
  ])('with %j, of %s: %i', async (options, site, status) => {
    const { get } = await simulate(options)
    expect(await get(path(site))).toMatchObject({ status })
  })

  it('needs a token, and has faults like any other path', async () => {
    const { simulator, send, get } = await simulate({ clients: true })
    expect(await send('GET', path(HQ), undefined, {})).toMatchObject({ status: 401 })
    expect(await send('PUT', path(HQ), '{}')).toMatchObject({ status: 405 })
    simulator.set({ fail: [{ path: '/simulator/', kind: '503' }] })
    expect(await get(path(HQ))).toMatchObject({ status: 503 })
  })
})
