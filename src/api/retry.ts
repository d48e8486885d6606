import { Attempts } from './attempts.ts'
import { backoff } from './backoff.ts'
import type { Clock } from './clock.ts'
import { ApiError, type ApiProblem } from './error.ts'
import { type ApiOperation, isFinishing } from './operation.ts'
import type { TokenPool } from './token-pool.ts'
import type { Send, SendOnce } from './transport.ts'

/** How often, and how long, a run tries again. */
export interface RetryPolicy {
  /** Requests made for one answer, the first one included. */
  readonly maxAttempts: number
  /** The longest wait on a rate limit, in seconds. */
  readonly maxWait: number
  readonly clock: Clock
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
  /** Aborted when nothing new is to be started: what still waits, and finishes nothing, is not sent then. */
  readonly interrupted?: AbortSignal
  /** Told when all requests wait for a rate limit, and until when. */
  readonly onWait?: (until: Date) => void
  /** Told when the service does not accept one of several tokens: `token 2 of 3`. */
  readonly onRefused?: (token: string) => void
}

/** Retries a run has at the start, at least; each answer earns one more, up to the most. */
const BUDGET = 100
const BUDGET_MOST = 1_000
/** The same for each request that may be under way: one hiccup strikes all of them. */
const BUDGET_EACH = 4

/** Reading the same again changes nothing. */
const repeatable: readonly ApiOperation['name'][] = ['list WLANs', 'read WLAN', 'list tokens']

/** Names and certificates do not get right within a run, nor does a request that cannot be made. */
const HOPELESS = /^ENOTFOUND$|CERT|^ERR_TLS|^EPROTO$|_TLS$|^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED)$/

/** What is known when a request has failed. */
export interface RetryState {
  /** How often it was made, and may still be made. */
  readonly attempts: Pick<Attempts, 'made' | 'left'>
  /** Tokens it may still try in place of one at its rate limit. */
  readonly otherTokens: number
  /** Milliseconds until a token may be used. */
  readonly wait: number
  /** Retries that the run has left. */
  readonly retries: number
  /** From 0 to 1, for the jitter. */
  readonly random: number
}

/** When to make a request again, in milliseconds; at once where another token may do what one was denied. */
export type RetryDecision =
  | { readonly retryIn: number; readonly withOtherToken: boolean }
  | 'give up'

/**
 * Decides whether a request that failed is made again: where that is safe, and may help.
 *
 * | what went wrong                       | a read     | an update                                 |
 * |---------------------------------------|------------|-------------------------------------------|
 * | 429                                   | once more  | once more                                 |
 * | 401, and there are other tokens       | once more  | once more                                 |
 * | no connection, so it never left       | once more  | once more                                 |
 * | 5xx, 408, time-out, invalid response  | once more  | its fate is unknown: the caller reads first |
 * | wrong content                         | given up   | given up                                  |
 * | any other status, redirect, interrupt | given up   | given up                                  |
 *
 * What one token is denied is asked with another one at once; that is no further attempt of a read.
 */
export function decideRetry(
  { problem }: Pick<ApiError, 'problem'>,
  operation: ApiOperation,
  { attempts, otherTokens, wait, retries, random }: RetryState
): RetryDecision {
  const mayTry = attempts.left > 0
  if (isDeniedToOne(problem, otherTokens)) {
    const isUpdate = operation.name === 'update WLAN'
    return isUpdate && !mayTry ? 'give up' : { retryIn: wait, withOtherToken: true }
  }
  if (!mayTry || retries <= 0 || !mayHelp(problem, operation)) return 'give up'
  const pause = backoff(attempts.made, () => random)
  const retryIn = isRateLimit(problem) ? Math.max(pause, wait) : pause
  return { retryIn, withOtherToken: false }
}

/**
 * The same requests, made again as `decideRetry` says. A run whose retries outnumber its answers by a
 * hundred, or by four for each of the `parallelism` requests that may be under way at once, has met a
 * service that is down, and tries nothing again.
 */
export function withRetries(
  send: SendOnce,
  callers: TokenPool,
  patience: RetryPolicy,
  parallelism: number
): Send {
  const { maxAttempts, clock } = patience
  let retries = Math.max(BUDGET, BUDGET_EACH * parallelism)
  return async (operation, decode) => {
    const attempts = attemptsOf(operation) ?? new Attempts(maxAttempts)
    let otherTokens = callers.left - 1
    for (;;) {
      try {
        const answer = await send(operation, decode, attempts)
        retries = Math.max(retries, Math.min(retries + 1, BUDGET_MOST))
        return answer
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const { wait } = callers
        const state = { attempts, otherTokens, wait, retries, random: patience.random() }
        const decision = decideRetry(error, operation, state)
        if (decision === 'give up') throw error
        const { retryIn, withOtherToken } = decision
        if (withOtherToken) otherTokens -= 1
        else retries -= 1
        if (withOtherToken && operation.name !== 'update WLAN') attempts.giveBack()
        const until = isFinishing(operation) ? undefined : patience.interrupted
        if (!(await clock.sleep(retryIn, until))) throw overtaken(error)
      }
    }
  }
}

/** The attempts of the change that an update belongs to. */
function attemptsOf(operation: ApiOperation): Attempts | undefined {
  return operation.name === 'update WLAN' ? operation.attempts : undefined
}

/** The end of the run came before the next attempt, which was never made. */
function overtaken({ message }: ApiError): ApiError {
  return new ApiError({ kind: 'aborted', sent: 'no' }, `${message}; interrupted`)
}

/** True if the same request, made again, changes nothing that was not asked for, and may be answered. */
function mayHelp(problem: ApiProblem, operation: ApiOperation): boolean {
  if (isRateLimit(problem)) return true
  const unsent = problem.kind === 'network' && problem.sent === 'no'
  const again = unsent || repeatable.includes(operation.name)
  return again && mayMend(problem)
}

/** True if the service, or the way to it, may be in order again soon. */
function mayMend(problem: ApiProblem): boolean {
  switch (problem.kind) {
    case 'status':
      return problem.status >= 500 || problem.status === 408
    case 'network':
      return !HOPELESS.test(problem.code)
    case 'timeout':
    case 'answer':
      return true
    case 'content':
    case 'redirect':
    case 'aborted':
    case 'held':
    case 'spent':
      return false
  }
}

/** True if the service denied it to one token, and there is another one to ask with. */
function isDeniedToOne(problem: ApiProblem, otherTokens: number): boolean {
  if (problem.kind !== 'status') return false
  return problem.otherTokens === true || (isRateLimit(problem) && otherTokens > 0)
}

/** A 429 that may be waited for. */
function isRateLimit(problem: ApiProblem): boolean {
  return problem.kind === 'status' && problem.status === 429 && problem.comeBack === undefined
}
