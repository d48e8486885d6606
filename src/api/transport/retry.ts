import { backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { ApiError, type Problem } from '../error.ts'
import type { Callers } from './callers.ts'
import { isFinishing, type Operation } from './operation.ts'
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
const repeatable: readonly Operation['name'][] = ['list WLANs', 'read WLAN', 'list tokens']

/** Names and certificates do not mend themselves within a run. */
const HOPELESS = /^ENOTFOUND$|CERT|^ERR_TLS|^EPROTO$|_TLS$/

/**
 * The same requests, made again where that is safe and may help.
 *
 * | what went wrong                        | a read     | an update          |
 * |----------------------------------------|------------|--------------------|
 * | 429                                    | once more  | once more          |
 * | 401, and there are other tokens        | once more  | once more          |
 * | no connection, so it never left        | once more  | once more          |
 * | 5xx, 408, time-out, broken or bad answer | once more  | its fate is open: the caller reads first |
 * | any other status, redirect, interrupt  | given up   | given up           |
 *
 * What one token is denied is asked with another one at once, and that is no further attempt. A run whose
 * retries outnumber its answers by a hundred, or by four for each of the `parallelism` requests that may be
 * under way at once, has met a service that is down, and tries nothing again.
 */
export function retrying(
  send: Send,
  callers: Callers,
  patience: Patience,
  parallelism: number
): Send {
  let budget = Math.max(BUDGET, BUDGET_EACH * parallelism)
  return async (operation, decode) => {
    const attempts = { made: 1, others: callers.left - 1 }
    for (;;) {
      try {
        const answer = await send(operation, decode)
        budget = Math.max(budget, Math.min(budget + 1, BUDGET_MOST))
        return answer
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const another = isDeniedToOne(error.problem, attempts, callers)
        const spent = !another && (attempts.made >= patience.maxAttempts || budget <= 0)
        if (spent || !(another || mayHelp(error.problem, operation))) throw error
        const pause = another
          ? callers.wait
          : pauseAfter(error.problem, attempts, callers, patience)
        if (another) attempts.others -= 1
        else {
          attempts.made += 1
          budget -= 1
        }
        const until = isFinishing(operation) ? undefined : patience.interrupted
        if (!(await patience.clock.sleep(pause, until))) throw overtaken(error)
      }
    }
  }
}

/** How often a request was made. */
interface Attempts {
  made: number
  /** How many other tokens may make a rate limit good, before one counts as an attempt. */
  others: number
}

/** The end of the run came before the next attempt, which was never made. */
function overtaken({ message }: ApiError): ApiError {
  return new ApiError({ kind: 'aborted', sent: 'no' }, `${message}; interrupted`)
}

/** Milliseconds until the next attempt. */
function pauseAfter(
  problem: Problem,
  { made }: Attempts,
  callers: Callers,
  { random }: Patience
): number {
  const pause = backoff(made, random)
  return isRateLimit(problem) ? Math.max(pause, callers.wait) : pause
}

/** True if the same request, made again, changes nothing that was not asked for, and may be answered. */
function mayHelp(problem: Problem, operation: Operation): boolean {
  if (isRateLimit(problem)) return true
  const unsent = problem.kind === 'network' && problem.sent === 'no'
  const again = unsent || repeatable.includes(operation.name)
  return again && mayMend(problem)
}

/** True if the service, or the way to it, may be in order again soon. */
function mayMend(problem: Problem): boolean {
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
    case 'spent':
      return false
  }
}

/** True if the service denied it to one token, and there is another one to ask with. */
function isDeniedToOne(problem: Problem, { others }: Attempts, { left }: Callers): boolean {
  const refused = problem.kind === 'status' && problem.status === 401
  return refused ? left > 0 : isRateLimit(problem) && others > 0
}

/** A 429 that may be waited for. */
function isRateLimit(problem: Problem): boolean {
  return problem.kind === 'status' && problem.status === 429 && problem.comeBack === undefined
}
