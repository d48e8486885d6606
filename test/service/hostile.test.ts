import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSites } from '../../src/service/client.ts'
import { ApiError } from '../../src/service/http/error.ts'
import type { RetryPolicy } from '../../src/service/http/retry.ts'
import { manualClock } from '../run/apply/support.ts'
import { desiredSite } from '../support/desired.ts'
import { rawResponse, rawServer } from '../support/raw-server.ts'
import { apiError, clients, nth, SITE, WLAN } from './support.ts'

const HUGE = '99999999999999999999'
const OTHER = { id: nth(0xb), name: 'other' }
const good = rawResponse('200 OK', {}, JSON.stringify([{ id: WLAN, ssid: 'Corp' }]))
const retryPolicy = (): RetryPolicy => ({
  maxAttempts: 3,
  maxWait: 60,
  clock: manualClock(),
  random: () => 0.5
})

/** A service with this response for one site, and valid ones for the others. */
async function stage(answer: string) {
  const server = await rawServer(line => (line.includes(SITE.id) ? answer : good))
  return { server, ...clients(server.url, { retryPolicy: retryPolicy(), timeout: 5 }) }
}

const bothSites = [SITE, OTHER].map(site => desiredSite(site, {}))

describe('an invalid HTTP status', () => {
  it.each(['000', '099', '100', '101 Switching', '199', '600', '1000', 'OK'])(
    '%s: fails the request of one site, and the other sites are read',
    async status => {
      const { reader, writer } = await stage(rawResponse(status, {}, '[]'))
      const read = await readSites(reader, bothSites, 2, (site, live) => ({
        [site.name]: 'wlans' in live ? live.wlans.length : live.reason
      }))
      expect(read).toEqual([{ hq: expect.stringContaining('GET /api/v1/sites/') }, { other: 1 }])
      await apiError(writer.updateWlan(SITE, WLAN, { vlan_id: 20 }))
      await writer.listWlans(OTHER)
    }
  )
})

describe('a Retry-After', () => {
  it.each([HUGE, '8640000000000', '9'.repeat(400), '604801', `${HUGE}.5`])(
    '%s ends the run at once, with a valid time',
    async wait => {
      const { reader } = await stage(rawResponse('429 No', { 'retry-after': wait }, '{}'))
      const error = await apiError(reader.listWlans(SITE))
      expect(error.hint).toMatch(/^retry after 20\d\d-.* UTC \(in 604800 s\); --max-wait allows/)
      expect(reader.end).toBe(error)
    }
  )
})

it('an observer that throws fails no request, and its error is kept once', async () => {
  let turn = 0
  const limited = rawResponse('429 No', { 'retry-after': '1' }, '{}')
  const server = await rawServer(() => {
    turn += 1
    return turn < 3 ? limited : good
  })
  const onWait = () => {
    throw new RangeError('Invalid time value')
  }
  const { reader } = clients(server.url, { retryPolicy: { ...retryPolicy(), onWait } })
  expect((await reader.listWlans(SITE)).wlans).toHaveLength(1)
  expect(reader.observerError).toBe('Invalid time value')
})

const numbers = fc.oneof(
  fc.constantFrom(HUGE, '8640000000000', '-1', '', '0', '1e9', '0x10', 'NaN', 'Infinity', '1.5'),
  fc.integer().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
  fc.date({ noInvalidDate: true }).map(date => date.toUTCString()),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 })
)
const hostileHeaders = fc.dictionary(
  fc.constantFrom(
    ...['retry-after', 'date', 'x-page-total', 'x-page-limit', 'x-page-page', 'content-length'],
    ...['keep-alive', 'connection', 'transfer-encoding', 'location', 'age', 'content-encoding']
  ),
  numbers
)
const hostileStatus = fc.oneof(
  fc.constantFrom('200 OK', '429 No', '503 No'),
  fc.integer({ min: 0, max: 999 }).map(status => String(status).padStart(3, '0'))
)

it('any status and headers give a response or an ApiError', async () => {
  const answers = fc.asyncProperty(hostileStatus, hostileHeaders, async (status, headers) => {
    const { reader, writer } = await stage(rawResponse(status, headers, '[]'))
    const asked = [reader.listWlans(SITE), writer.updateWlan(SITE, WLAN, { vlan_id: 20 })]
    const errors = await Promise.all(
      asked.map(request =>
        request.then(
          () => [],
          thrown => [thrown]
        )
      )
    )
    for (const error of errors.flat()) expect(error).toBeInstanceOf(ApiError)
    const isOver = reader.end !== undefined
    if (!isOver) expect((await reader.listWlans(OTHER)).wlans).toHaveLength(1)
  })
  await fc.assert(answers, { interruptAfterTimeLimit: 20_000 })
}, 60_000)

it('any body gives a response or an ApiError', async () => {
  const start = fc.constantFrom('', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\n\r\n', 'HTTP/2 ')
  const bytes = fc.string({ unit: 'binary-ascii', maxLength: 200 })
  const parts = fc.constantFrom('[]', '{}', '\r\n', '\r\n\r\n', '0\r\n\r\n', 'ffffffffff\r\n', '\0')
  const rest = fc.array(fc.oneof(bytes, parts), { maxLength: 6 })
  const answers = fc.asyncProperty(start, rest, async (first, others) => {
    const { reader } = await stage(first + others.join(''))
    const thrown = await reader.listWlans(SITE).then(
      () => undefined,
      error => error
    )
    if (thrown !== undefined) expect(thrown).toBeInstanceOf(ApiError)
    expect((await reader.listWlans(OTHER)).wlans).toHaveLength(1)
  })
  await fc.assert(answers, { interruptAfterTimeLimit: 20_000 })
}, 60_000)
