import { describe, expect, it } from 'vitest'
import type { ApiProblem } from '../../../src/service/http/error.ts'
import { decideRetry, type RetryState } from '../../../src/service/http/retry.ts'
import type { ApiOperation } from '../../../src/service/operation.ts'
import { SITE, WLAN } from '../support.ts'

const ids = { siteId: SITE.id, wlanId: WLAN }
const read: ApiOperation = { name: 'read WLAN', ...ids }
const update: ApiOperation = { name: 'update WLAN', ...ids, body: { text: '{}', secrets: [] } }
const create: ApiOperation = { name: 'create token', body: { text: '{}', secrets: [] } }

/** After the second of three attempts, with one token. */
const state: RetryState = {
  attempts: { made: 2, left: 1 },
  otherTokens: 0,
  tokenWait: 0,
  retriesLeft: 100,
  random: 0.5
}
const decided = (problem: ApiProblem, operation: ApiOperation, changes: Partial<RetryState> = {}) =>
  decideRetry({ problem }, operation, { ...state, ...changes })

const status = (code: number, more: object = {}): ApiProblem => ({
  kind: 'status',
  status: code,
  ...more
})
const network = (code: string, sent: 'no' | 'perhaps'): ApiProblem => ({
  kind: 'network',
  code,
  sent
})
const again = { retryIn: 250, withOtherToken: false }
const never = 'give up'

describe('decideRetry repeats a request', () => {
  it.each<[string, ApiProblem, typeof again | 'give up', typeof again | 'give up']>([
    ['429', status(429), again, again],
    ['500', status(500), again, never],
    ['599', status(599), again, never],
    ['408', status(408), again, never],
    ['400', status(400), never, never],
    ['401', status(401), never, never],
    ['422', status(422), never, never],
    ['an exhausted rate limit', status(429, { retryAt: new Date(0) }), never, never],
    ['no connection', network('ECONNREFUSED', 'no'), again, again],
    ['a reset', network('ECONNRESET', 'perhaps'), again, never],
    ['an unknown host', network('ENOTFOUND', 'no'), never, never],
    ['a certificate', network('CERT_HAS_EXPIRED', 'no'), never, never],
    ['an invalid request', network('UND_ERR_INVALID_ARG', 'perhaps'), never, never],
    ['a time-out', { kind: 'timeout' }, again, never],
    ['an invalid response', { kind: 'invalid-response' }, again, never],
    ['invalid content', { kind: 'invalid-content' }, never, never],
    ['a redirect', { kind: 'redirect' }, never, never],
    ['an interrupt', { kind: 'aborted', sent: 'no' }, never, never],
    ['an update that waited for too long', { kind: 'expired', sent: 'no' }, never, never]
  ])('after %s', (_, problem, ofRead, ofUpdate) => {
    expect(decided(problem, read)).toEqual(ofRead)
    expect(decided(problem, update)).toEqual(ofUpdate)
    expect(decided(problem, create)).toEqual(ofUpdate)
  })

  it.each([read, update])('does not repeat a request without an attempt left: %o', operation => {
    const attempts = { made: 3, left: 0 }
    expect(decided(status(429), operation, { attempts })).toBe('give up')
    expect(decided(network('ECONNREFUSED', 'no'), operation, { attempts })).toBe('give up')
  })

  it('does not repeat a request without a retry left in the run', () => {
    expect(decided(status(503), read, { retriesLeft: 0 })).toBe('give up')
  })
})

describe('the delay of a retry', () => {
  it.each([
    [1, 125],
    [2, 250],
    [3, 500],
    [7, 8_000],
    [8, 10_000],
    [99, 10_000]
  ])('after %i attempts is %i ms, half of the longest backoff', (made, retryIn) => {
    const attempts = { made, left: 1 }
    expect(decided(status(503), read, { attempts })).toEqual({ retryIn, withOtherToken: false })
  })

  it('is at least the remaining time of the rate limit', () => {
    expect(decided(status(429), read, { tokenWait: 42_000 })).toMatchObject({ retryIn: 42_000 })
    expect(decided(status(503), read, { tokenWait: 42_000 })).toMatchObject({ retryIn: 250 })
  })
})

describe('a retry with another token', () => {
  const denials: [string, ApiProblem, Partial<RetryState>][] = [
    ['401', status(401, { otherTokens: true }), {}],
    ['429', status(429), { otherTokens: 2 }]
  ]

  it.each(denials)('is immediate after %s', (_, problem, changes) => {
    const other = { retryIn: 0, withOtherToken: true }
    expect(decided(problem, read, changes)).toEqual(other)
    expect(decided(problem, update, changes)).toEqual(other)
  })

  it.each(denials)(
    'counts as an attempt of an update, and not of a read (%s)',
    (_, problem, changes) => {
      const last = { ...changes, attempts: { made: 3, left: 0 } }
      expect(decided(problem, read, last)).toMatchObject({ withOtherToken: true })
      expect(decided(problem, update, last)).toBe('give up')
    }
  )
})
