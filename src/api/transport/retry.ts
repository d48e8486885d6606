import { backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { ApiError, type Problem } from '../error.ts'
import type { Gate } from './gate.ts'
import type { Operation } from './operation.ts'
import type { Send } from './send.ts'

/** How often, and how long, a run tries again. */
export interface Patience {
  /** Requests made for one answer, the first one included. */
  readonly maxAttempts: number
  /** The longest wait on a rate limit, in seconds. */
  readonly maxWait: number
  readonly clock: Clock
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
  /** Aborted when nothing new is to be started: an update that still waits is not sent then. */
  readonly interrupted?: AbortSignal
  /** Told when all requests wait for a rate limit, and until when. */
  readonly onWait?: (until: Date) => void
}

/** Retries a run has at the start, at least; each answer earns one more, up to the most. */
const BUDGET = 100
const BUDGET_MOST = 1_000
/** The same for each request that may be under way: one hiccup strikes all of them. */
const BUDGET_EACH = 4

/** Reading the same again changes nothing. */
const repeatable: readonly Operation['name'][] = ['list WLANs', 'read WLAN', 'list tokens']

/** Names and certificates do not mend themselves within a run. */
const HOPELESS = /^ENOTFOUND$|CERT|^ERR_TLS|^EPROTO$|_TLS$/

/**
 * The same requests, made again where that is safe and may help.
 *
 * | what went wrong                        | a read     | an update          |
 * |----------------------------------------|------------|--------------------|
 * | 429                                    | once more  | once more          |
 * | no connection, so it never left        | once more  | once more          |
 * | 5xx, 408, time-out, broken or bad answer | once more  | its fate is open: the caller reads first |
 * | any other status, redirect, interrupt  | given up   | given up           |
 *
 * A 429 holds back all requests for as long as it says; if that is longer than `maxWait`, all of
 * them fail at once, and say when to come back. A run whose retries outnumber its answers by a
 * hundred, or by four for each of the `parallelism` requests that may be under way at once, has met a
 * service that is down, and tries nothing again.
 */
export function retrying(send: Send, gate: Gate, patience: Patience, parallelism: number): Send {
  let budget = Math.max(BUDGET, BUDGET_EACH * parallelism)
  return async (operation, decode) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await send(operation, decode)
        budget = Math.max(budget, Math.min(budget + 1, BUDGET_MOST))
        return answer
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const pause = pauseAfter(error, operation, attempt, patience)
        heedRateLimit(error, pause, gate, patience)
        const spent = attempt >= patience.maxAttempts || budget <= 0
        if (pause === undefined || spent) throw error
        budget -= 1
        const until = operation.name === 'update WLAN' ? patience.interrupted : undefined
        if (!(await patience.clock.sleep(pause, until))) throw overtaken(error)
      }
    }
  }
}

/** The end of the run came before the next attempt, which was never made. */
function overtaken({ message }: ApiError): ApiError {
  return new ApiError({ kind: 'aborted', sent: 'no' }, `${message}; interrupted`)
}

/** Milliseconds until the next attempt; undefined where there should be none. */
function pauseAfter(
  { problem }: ApiError,
  operation: Operation,
  attempt: number,
  { random }: Patience
): number | undefined {
  const pause = backoff(attempt, random)
  if (isRateLimit(problem)) return Math.max(pause, (problem.retryAfter ?? 0) * 1000)
  const unsent = problem.kind === 'network' && problem.sent === 'no'
  const again = unsent || repeatable.includes(operation.name)
  return again && mayHelp(problem) ? pause : undefined
}

function mayHelp(problem: Problem): boolean {
  switch (problem.kind) {
    case 'status':
      return problem.status >= 500 || problem.status === 408
    case 'network':
      return !HOPELESS.test(problem.code)
    case 'timeout':
    case 'answer':
      return true
    case 'redirect':
    case 'aborted':
    case 'held':
      return false
  }
}

/** Lets a 429 hold back all requests, or end the run. */
function heedRateLimit(
  { problem, message }: ApiError,
  pause: number | undefined,
  gate: Gate,
  { maxWait, clock, onWait }: Patience
): void {
  if (!isRateLimit(problem) || pause === undefined) return
  const { retryAfter = 0 } = problem
  const comeBack = new Date(clock.date().getTime() + Math.max(pause, retryAfter * 1000))
  if (retryAfter <= maxWait) {
    gate.close(Math.max(retryAfter * 1000, 0))
    if (retryAfter > 0) onWait?.(comeBack)
    return
  }
  const over = new ApiError(
    { ...problem, comeBack },
    `the rate limit is used up: ${message}`,
    `come back after ${timeOfDay(comeBack)}, in ${Math.ceil(retryAfter)} s (--max-wait allows ${maxWait} s)`
  )
  gate.shut(over)
  throw over
}

function isRateLimit(problem: Problem): problem is Extract<Problem, { kind: 'status' }> {
  return problem.kind === 'status' && problem.status === 429 && problem.comeBack === undefined
}

/** `2026-11-20 10:13:18 UTC` */
function timeOfDay(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
