import { describe, expect, test } from 'vitest'
import { listLimits } from '../../src/service/list.ts'
import { manualClock } from '../run/apply/support.ts'
import { json, raw, type Script } from '../support/server.ts'
import { apiError, clients, inTurn, nth, SITE, scripted } from './support.ts'

const records = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ id: nth(from + index) }))

/** A service with this many WLANs and this page size. */
function paged(total: number, most: number): Script {
  return (arrival, response) => {
    const query = new URL(arrival.path, 'http://x').searchParams
    const limit = Number(query.get('limit') ?? most)
    const start = (Number(query.get('page') ?? 1) - 1) * limit
    json(records(start, Math.min(total, start + limit)), {
      'x-page-total': String(total),
      'x-page-limit': String(limit)
    })(arrival, response)
  }
}

const page = (from: number, to: number, total: string, limit = '2') =>
  json(records(from, to), { 'x-page-total': total, 'x-page-limit': limit })

/** Claims any number of WLANs and pages, with one WLAN of this size per page. */
function lying(total: string, limit: string, more: object = {}): Script {
  return (arrival, response) => {
    const number = Number(new URL(arrival.path, 'http://x').searchParams.get('page') ?? 1)
    const headers = { 'x-page-total': total, 'x-page-limit': limit }
    json([{ id: nth(number), ...more }], headers)(arrival, response)
  }
}

describe('a paged list', () => {
  test.each([
    [0, 100, 1],
    [1, 100, 1],
    [100, 100, 1],
    [101, 100, 2],
    [250, 100, 3],
    [7, 1, 7]
  ])('of %i WLANs, %i a page, takes %i requests', async (total, most, requests) => {
    const server = await scripted(paged(total, most))
    const { reader } = clients(server.url)
    const { wlans } = await reader.listWlans(SITE)
    expect(wlans.map(wlan => wlan.id)).toEqual(records(0, total).map(({ id }) => id))
    expect(reader.requests).toBe(requests)
    const queries = server.arrivals.map(({ path }) => path.split('?')[1])
    expect(queries.slice(0, 3)).toEqual(
      [undefined, `page=2&limit=${most}`, `page=3&limit=${most}`].slice(0, requests)
    )
  })

  test.each([
    ['nothing', {}],
    ['only a limit', { 'x-page-limit': '1' }],
    ['only the right total', { 'x-page-total': '3' }]
  ])('has one page if the headers say %s', async (_, headers) => {
    const server = await scripted(json(records(0, 3), headers))
    expect((await clients(server.url).reader.listWlans(SITE)).wlans).toHaveLength(3)
    expect(server.arrivals).toHaveLength(1)
  })

  test.each<[string, Script]>([
    ['the same page again and again', page(0, 2, '6')],
    ['one WLAN on two pages', inTurn(page(0, 2, '4'), page(1, 3, '4'))],
    ['a page that is empty too early', inTurn(page(0, 2, '6'), page(2, 2, '6'))],
    ['fewer than counted', inTurn(page(0, 2, '3'), page(2, 2, '3'))],
    ['more than counted', page(0, 2, '1')],
    ['more than counted, later', inTurn(page(0, 2, '3'), page(2, 4, '3'))],
    ['a total that grows', inTurn(page(0, 2, '4'), page(2, 4, '5'))],
    ['the limit 0', page(0, 2, '4', '0')],
    ['a total that is no number', page(0, 2, 'many')],
    ['a limit that is no number', page(0, 2, '4', 'two')],
    ['a total beyond all pages', page(0, 1, '999999999', '1')],
    [
      'a second page of another site',
      inTurn(page(0, 2, '3'), json([{ id: nth(9), site_id: nth(0) }]))
    ],
    ['a second page that is no list', inTurn(page(0, 2, '3'), json({}))]
  ])('is rejected with %s', async (_, script) => {
    const server = await scripted(script)
    const error = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(error.problem).toEqual({ kind: 'invalid-content' })
    expect(server.arrivals.length).toBeLessThanOrEqual(2)
  })

  test.each([
    ['pages', '20000', '999999999', {}, listLimits.pages, 'more than 200 pages'],
    ['pages, by its own count', '4000', '1', {}, 1, 'more than 200 pages'],
    ['WLANs, by its own count', '20001', '1000', {}, 1, 'more than 20000 WLANs'],
    ['bytes', '9000', '1000', { name: 'x'.repeat(2 ** 21) }, 8, 'take more than 16 MiB'],
    ['values', '9000', '1000', { ap_ids: Array(90_000).fill(1) }, 6, 'take more than 500000 values']
  ])(
    'ends with too many %s, whatever its headers claim',
    async (_, total, limit, more, requests, said) => {
      const server = await scripted(lying(total, limit, more))
      const { reader } = clients(server.url, { parallelism: 1 })
      const error = await apiError(reader.listWlans(SITE))
      expect(error.problem).toEqual({ kind: 'invalid-content' })
      expect(error.message).toContain(said)
      expect(server.arrivals).toHaveLength(requests)
      const asked = server.arrivals.map(({ path }) => Number(/limit=(\d+)/.exec(path)?.[1] ?? 0))
      expect(Math.max(...asked)).toBeLessThanOrEqual(1000)
    }
  )

  test('of many pages ends on an interrupt', async () => {
    const interrupted = new AbortController()
    const server = await scripted((arrival, response) => {
      if (arrival.path.includes('page=4&')) interrupted.abort()
      lying('180', '1')(arrival, response)
    })
    const retryPolicy = { maxAttempts: 6, maxWait: 60, clock: manualClock(), random: () => 0.5 }
    const signals = { ...retryPolicy, interrupted: interrupted.signal }
    const { reader } = clients(server.url, { retryPolicy: signals })
    const error = await apiError(reader.listWlans(SITE))
    expect(error.problem).toEqual({ kind: 'aborted', sent: 'no' })
    expect(server.arrivals).toHaveLength(4)
  })

  test.each([
    ['empty lists', '[],'.repeat(3_000_000)],
    ['empty objects', '{},'.repeat(3_000_000)],
    ['numbers', '1,'.repeat(3_000_000)]
  ])('with a small body and many %s is not decoded', async (_, parts) => {
    const body = `[${parts}0]`
    const server = await scripted(raw(body, { 'content-type': 'application/json' }))
    const error = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(error.problem).toEqual({ kind: 'invalid-content' })
    expect(error.message).toContain('more than 500000 values')
  })

  test('with one long text is decoded', async () => {
    const text = '[{,'.repeat(2 ** 20)
    const server = await scripted(json([{ id: nth(1), ssid: `${text}\\"` }]))
    const { wlans } = await clients(server.url).reader.listWlans(SITE)
    expect(wlans.map(({ ssid }) => ssid)).toEqual([`${text}\\"`])
  })

  test('with a duplicate WLAN is requested again once; the error names the WLAN', async () => {
    const server = await scripted(
      json([{ id: nth(1) }, { id: nth(10).toUpperCase() }, { id: nth(10) }])
    )
    const clock = manualClock()
    const retryPolicy = { maxAttempts: 6, maxWait: 60, clock, random: () => 0.5 }
    const { reader } = clients(server.url, { retryPolicy })
    const error = await apiError(reader.listWlans(SITE))
    expect(error.message).toBe(
      `GET /api/v1/sites/${SITE.id}/wlans: unexpected response: the WLAN ${nth(10)} is listed twice`
    )
    expect(server.arrivals).toHaveLength(1)
    expect(clock.pauses).toEqual([])
  })

  test('is counted for the progress once it is read or has failed', async () => {
    const server = await scripted(inTurn(json(records(0, 2)), json({ detail: 'no' }, {}, 403)))
    const { reader } = clients(server.url)
    const first = reader.listWlans(SITE)
    expect(reader.listed).toBe(0)
    await first
    expect(reader.listed).toBe(1)
    await apiError(reader.listWlans(SITE))
    expect(reader.listed).toBe(2)
  })

  test('fails as a whole if its second page fails', async () => {
    const server = await scripted(inTurn(page(0, 2, '3'), json({ detail: 'oops' }, {}, 500)))
    const error = await apiError(clients(server.url).reader.listWlans(SITE))
    expect(error.problem).toEqual({ kind: 'status', status: 500 })
    expect(error.message).toContain('?page=2&limit=2: 500: oops')
  })
})

test('large responses share one memory limit, and small ones do not wait for it', async () => {
  const junk = 'x'.repeat(8 * 1024 * 1024)
  const server = await scripted(json([{ id: nth(1), junk }]))
  const { reader } = clients(server.url)
  const sites = Array.from({ length: 10 }, (_, n) => ({ id: nth(100 + n), name: `s${n}` }))
  const large: boolean[] = []
  for (const site of sites) {
    large.push(
      await reader.listWlans(site).then(
        () => true,
        () => false
      )
    )
  }
  expect(large).toEqual(sites.map((_, n) => n < 7))
  const error = await apiError(reader.listWlans(SITE))
  expect(error.problem).toEqual({ kind: 'invalid-content' })
  expect(error.message).toContain('the large lists of this run take more than 64 MiB of memory')
  server.script(json([{ id: nth(1) }]))
  expect((await reader.listWlans(SITE)).wlans).toHaveLength(1)
})
