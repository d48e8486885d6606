import type { ApiOperation } from '../operation.ts'
import type { Clock } from './clock.ts'
import type { ApiError, ApiProblem } from './error.ts'

export interface RetryPolicy {
  readonly maxAttempts: number
  /** The maximum wait for a rate limit, in seconds. */
  readonly maxWait: number
  readonly clock: Clock
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random: () => number
  /** When aborted, no new work starts: a waiting request is not sent, unless it is a read-back. */
  readonly interrupted?: AbortSignal
  /** Called when all requests wait for a rate limit, with the end of the wait. */
  readonly onWait?: (until: Date) => void
  /** Called when the service rejects one of several tokens: `token 2 of 3`. */
  readonly onRefused?: (token: string) => void
}

/**
 * Counts the attempts of one change or one request. It bounds every loop that retries:
 *
 * | loop                             | retries                                                                   |
 * |----------------------------------|---------------------------------------------------------------------------|
 * | `Transport.send`                 | a request that was not processed (429, no connection), a read after any error |
 * | `sendUpdate` in `run/apply/apply-change.ts` | an update with an unknown result, if a read shows that it did not arrive |
 * | `applyChange` in `run/apply/apply-change.ts` | a change that waited for a rate limit until its WLAN had to be read again |
 *
 * All three count in the same `Attempts` of a change, so a change sends at most `--max-attempts` updates,
 * regardless of their responses. An attempt without a request counts, too, so each loop ends. A request that
 * does not belong to a change has its own attempts.
 */
export class Attempts {
  readonly #max: number
  #made = 0

  constructor(max: number) {
    this.#max = max
  }

  get made(): number {
    return this.#made
  }

  get left(): number {
    return Math.max(0, this.#max - this.#made)
  }

  /** Counts an attempt; call it before the request is sent. */
  count(): void {
    this.#made += 1
  }

  /** Subtracts an attempt: repeating a read with another token does not count. */
  uncount(): void {
    this.#made -= 1
  }
}

const idempotent: readonly ApiOperation['name'][] = ['list WLANs', 'read WLAN', 'list tokens']

/** Errors of names, certificates and malformed requests, which no retry fixes. */
const PERMANENT_CODES =
  /^ENOTFOUND$|CERT|^ERR_TLS|^EPROTO$|_TLS$|^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED)$/

export interface RetryState {
  readonly attempts: Pick<Attempts, 'made' | 'left'>
  readonly otherTokens: number
  /** Milliseconds until the first token is outside of its rate limit. */
  readonly tokenWait: number
  readonly retriesLeft: number
  /** The random number is from 0 to 1, for the jitter. */
  readonly random: number
}

/** The delay before the retry, in milliseconds; `withOtherToken` if only one token was rejected. */
export type RetryDecision =
  | { readonly retryIn: number; readonly withOtherToken: boolean }
  | 'give up'

/**
 * Decides whether to retry a failed request: only if that is safe and can help.
 *
 * | error                                 | a read  | an update                                    |
 * |---------------------------------------|---------|----------------------------------------------|
 * | 429                                   | retry   | retry                                        |
 * | 401, and there are other tokens       | retry   | retry                                        |
 * | no connection, so it was not sent     | retry   | retry                                        |
 * | 5xx, 408, timeout, invalid response   | retry   | give up: its result is unknown, the caller reads first |
 * | invalid content                       | give up | give up                                      |
 * | any other status, redirect, interrupt | give up | give up                                      |
 *
 * A request that the service rejects for one token is sent with another one at once; for a read, that is not
 * another attempt.
 */
export function decideRetry(
  { problem }: Pick<ApiError, 'problem'>,
  operation: ApiOperation,
  { attempts, otherTokens, tokenWait, retriesLeft, random }: RetryState
): RetryDecision {
  const mayTry = attempts.left > 0
  if (isDeniedToOneToken(problem, otherTokens)) {
    const isUpdate = operation.name === 'update WLAN'
    return isUpdate && !mayTry ? 'give up' : { retryIn: tokenWait, withOtherToken: true }
  }
  if (!mayTry || retriesLeft <= 0 || !isRetryable(problem, operation)) return 'give up'
  const pause = backoff(attempts.made, () => random)
  const retryIn = isRateLimit(problem) ? Math.max(pause, tokenWait) : pause
  return { retryIn, withOtherToken: false }
}

/** The maximum of the first backoff in milliseconds; it doubles with each attempt. */
const FIRST_BACKOFF = 250
const MAX_BACKOFF = 20_000

/** Milliseconds after the nth failed attempt; exponential, with full jitter to spread clients. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1))
}

/** True if a retry can succeed and has no side effect that the first attempt could not have. */
function isRetryable(problem: ApiProblem, operation: ApiOperation): boolean {
  if (isRateLimit(problem)) return true
  const unsent = problem.kind === 'network' && problem.sent === 'no'
  const isSafe = unsent || idempotent.includes(operation.name)
  return isSafe && isTransient(problem)
}

function isTransient(problem: ApiProblem): boolean {
  switch (problem.kind) {
    case 'status':
      return problem.status >= 500 || problem.status === 408
    case 'network':
      return !PERMANENT_CODES.test(problem.code)
    case 'timeout':
    case 'invalid-response':
      return true
    case 'invalid-content':
    case 'redirect':
    case 'aborted':
    case 'expired':
      return false
  }
}

/** True if the service rejected the request for one token, and there is another one. */
function isDeniedToOneToken(problem: ApiProblem, otherTokens: number): boolean {
  if (problem.kind !== 'status') return false
  return problem.otherTokens === true || (isRateLimit(problem) && otherTokens > 0)
}

function isRateLimit(problem: ApiProblem): boolean {
  return problem.kind === 'status' && problem.status === 429 && problem.retryAt === undefined
}

/** One week in seconds: longer than any `--max-wait`. */
const MAX_RETRY_AFTER = 7 * 86_400

/**
 * The seconds that a `Retry-After` header asks to wait, at most one week; undefined if it is negative, empty,
 * or neither a number nor a date. A date is compared with the `Date` header of the service, never with the
 * local clock; without a `Date` header it is ignored.
 */
export function retryAfter(header: string | undefined, date: string | undefined) {
  const text = header?.trim() ?? ''
  const wait = secondsIn(text) ?? (parseHttpDate(text) - parseHttpDate(date ?? '')) / 1000
  return wait >= 0 ? Math.min(wait, MAX_RETRY_AFTER) : undefined
}

function secondsIn(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** The milliseconds of an HTTP date (RFC 9110), NaN for anything else; `Date.parse` accepts far more. */
function parseHttpDate(text: string): number {
  return /^[a-z]{3,9},? .{10,30} GMT$/i.test(text) ? Date.parse(text) : Number.NaN
}
