import type { Clock } from './clock.ts'
import { type Credentials, headersOf } from './credentials.ts'
import { ApiError, type ApiProblem } from './error.ts'
import { Observers } from './observers.ts'
import type { RetryPolicy } from './retry.ts'

/** One as whom the service may be asked: each token is one, with a budget of calls of its own. */
export interface PooledToken {
  readonly headers: Readonly<Record<string, string>>
  /** Its position, as the token itself is never shown: `token 2 of 3`; absent if there is but one. */
  readonly name?: string
}

/** The same moment, told twice, may differ by so many milliseconds. */
const JITTER = 5

/** A gate that no limit has shut. */
const OPEN = Number.NEGATIVE_INFINITY

/**
 * Those as whom a run asks, in turn. A 429 shuts the gate of the one that got it, for all requests of the
 * run, and the others go on; a 401 puts it out. While every gate is shut, requests wait for the first one
 * that opens.
 */
export class TokenPool {
  readonly #patience: RetryPolicy | undefined
  /** When the gate of each opens, in milliseconds of the run's clock; whose turn it is comes first. */
  readonly #gates: Map<PooledToken, number>
  readonly #refused = new Set<PooledToken>()
  readonly #observers = new Observers()
  #over: ApiError | undefined
  /** Wakes whoever waits for a gate when there is nothing more to wait for. */
  readonly #end = new AbortController()

  constructor(credentials: Credentials, patience: RetryPolicy | undefined) {
    this.#patience = patience
    this.#gates = new Map(callersOf(credentials).map(caller => [caller, OPEN]))
  }

  /** Why nobody may ask any more in this run; undefined as long as somebody may. */
  get exhausted(): ApiError | undefined {
    return this.#over
  }

  /** What an observer of the waits has thrown; undefined as long as none has. */
  get observerError(): string | undefined {
    return this.#observers.error
  }

  /** How many the service has not refused. */
  get left(): number {
    return this.#gates.size
  }

  /** Milliseconds until one of them may ask. */
  get wait(): number {
    return Math.max(0, Math.min(...this.#gates.values()) - this.#now())
  }

  /** When the first of them may ask again; undefined if one may now, or none ever. */
  get waitUntil(): Date | undefined {
    const { wait } = this
    if (this.#patience === undefined || this.#over !== undefined || wait === 0) return undefined
    return later(this.#patience.clock, wait)
  }

  /**
   * The next one that may ask, as soon as there is one; undefined if the wait was cut. Throws why there
   * will be none in this run.
   */
  async next(until?: AbortSignal): Promise<PooledToken | undefined> {
    for (;;) {
      if (this.#over !== undefined) throw this.#over
      const now = this.#now()
      for (const [caller, openAt] of this.#gates) {
        if (openAt <= now) return this.#toTheEnd(caller, openAt)
      }
      const cut =
        until === undefined ? this.#end.signal : AbortSignal.any([until, this.#end.signal])
      const slept = await this.#patience?.clock.sleep(this.wait, cut)
      if (!slept && !this.#end.signal.aborted) return undefined
    }
  }

  /** Shuts the gate of a caller that was told to wait, or refused: at once, before anybody else asks in its name. */
  blockUntil(caller: PooledToken, problem: ApiProblem): void {
    if (problem.kind !== 'status' || this.#patience === undefined) return
    if (problem.status === 401) this.#gates.delete(caller)
    if (problem.status === 429) this.#shut(caller, (problem.retryAfter ?? 0) * 1000)
  }

  /** Takes in what was noticed; gives the error that it comes to. Without patience, itself. */
  recordFailure(caller: PooledToken, error: ApiError): ApiError {
    if (error.problem.kind !== 'status' || this.#patience === undefined) return error
    const { status } = error.problem
    const { clock, maxWait, onWait } = this.#patience
    if (status === 401) return this.#putOut(caller, error)
    if (status !== 429) return error
    const wait = Math.round(this.wait)
    if (wait > maxWait * 1000) {
      return this.#endWith(usedUp(error, wait, this.#patience))
    }
    if (wait > 0) this.#observers.notify(() => onWait?.(later(clock, wait)))
    return error
  }

  #shut(caller: PooledToken, milliseconds: number): void {
    const openAt = this.#gates.get(caller)
    // Whoever was refused meanwhile stays out.
    if (openAt === undefined) return
    this.#gates.set(caller, Math.max(openAt, this.#now() + milliseconds))
  }

  /** A refusal that another caller makes good is told beside the result; the last one ends the run. */
  #putOut(caller: PooledToken, refusal: ApiError): ApiError {
    const isFirst = !this.#refused.has(caller)
    this.#refused.add(caller)
    if (this.left === 0) return this.#endWith(refusal)
    const { name } = caller
    if (isFirst && name !== undefined) {
      this.#observers.notify(() => this.#patience?.onRefused?.(name))
    }
    const problem = { kind: 'status', status: 401, otherTokens: true } as const
    return new ApiError(problem, refusal.message, refusal.hint)
  }

  #endWith(error: ApiError): ApiError {
    this.#over ??= error
    this.#end.abort()
    return this.#over
  }

  #toTheEnd(caller: PooledToken, openAt: number): PooledToken {
    this.#gates.delete(caller)
    this.#gates.set(caller, openAt)
    return caller
  }

  #now(): number {
    return this.#patience?.clock.now() ?? 0
  }
}

function callersOf(credentials: Credentials): PooledToken[] {
  const all = headersOf(credentials)
  if (all.length === 1) return all.map(headers => ({ headers }))
  return all.map((headers, at) => ({ headers, name: `token ${at + 1} of ${all.length}` }))
}

function usedUp(error: ApiError, wait: number, { clock, maxWait }: RetryPolicy): ApiError {
  const comeBack = later(clock, wait)
  const seconds = Math.ceil(wait / 1000)
  return new ApiError(
    { kind: 'status', status: 429, comeBack },
    `the rate limit is used up: ${error.message}`,
    `retry after ${timeOfDay(comeBack)} (in ${seconds} s); --max-wait allows ${maxWait} s`
  )
}

/** The time of day so many milliseconds from now, to the second, and not before; the two clocks may jitter. */
function later(clock: Clock, milliseconds: number): Date {
  const seconds = (clock.date().getTime() + milliseconds - JITTER) / 1000
  return new Date(Math.ceil(seconds) * 1000)
}

/** `2026-11-20 10:13:18 UTC` */
function timeOfDay(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
