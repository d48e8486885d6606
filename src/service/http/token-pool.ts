import { Observers } from '../../core/model/failure.ts'
import { lowest } from '../../core/values/collections.ts'
import { formatTime } from '../../core/values/time.ts'
import type { Clock } from './clock.ts'
import { checkTokens } from './connection.ts'
import { ApiError, type ApiProblem } from './error.ts'
import type { RetryPolicy } from './retry.ts'

export interface PooledToken {
  readonly headers: Readonly<Record<string, string>>
  /** Its position, because the token itself is never shown: `token 2 of 3`; absent if it is the only one. */
  readonly name?: string
}

/** The tolerance between the two clocks, in milliseconds. */
const JITTER = 5

const NOT_BLOCKED = Number.NEGATIVE_INFINITY

/**
 * The token pool of a run, which uses its tokens in turn. A 429 blocks its token until the rate limit ends,
 * for all requests of the run, while other tokens stay in use; a 401 removes it. If every token is blocked,
 * requests wait for the first free one.
 */
export class TokenPool {
  readonly #retryPolicy: RetryPolicy | undefined
  /** When each token is free, in milliseconds of the run's clock; the next one to use is first. */
  readonly #blockedUntil: Map<PooledToken, number>
  readonly #refused = new Set<PooledToken>()
  readonly #observers = new Observers()
  #exhausted: ApiError | undefined
  /** Wakes the requests that wait for a token when no token is left. */
  readonly #end = new AbortController()

  constructor(tokens: readonly string[], retryPolicy: RetryPolicy | undefined) {
    this.#retryPolicy = retryPolicy
    this.#blockedUntil = new Map(pooled(tokens).map(token => [token, NOT_BLOCKED]))
  }

  /** The reason why no token can be used for the rest of the run; undefined if one can. */
  get exhausted(): ApiError | undefined {
    return this.#exhausted
  }

  get observerError(): string | undefined {
    return this.#observers.error
  }

  get left(): number {
    return this.#blockedUntil.size
  }

  /** Milliseconds until a token is free. */
  get wait(): number {
    return Math.max(0, lowest(this.#blockedUntil.values()) - this.#now())
  }

  /** The time at which the first token is free; undefined if one is free now, or none will be. */
  get waitUntil(): Date | undefined {
    const { wait } = this
    if (this.#retryPolicy === undefined || this.#exhausted !== undefined || wait === 0)
      return undefined
    return dateIn(this.#retryPolicy.clock, wait)
  }

  /** The next free token; undefined if aborted. Throws the reason if no token will be free. */
  async next(signal?: AbortSignal): Promise<PooledToken | undefined> {
    for (;;) {
      if (this.#exhausted !== undefined) throw this.#exhausted
      const now = this.#now()
      for (const [token, blockedUntil] of this.#blockedUntil) {
        if (blockedUntil <= now) return this.#moveToEnd(token, blockedUntil)
      }
      const end =
        signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal])
      const slept = await this.#retryPolicy?.clock.sleep(this.wait, end)
      if (!slept && !this.#end.signal.aborted) return undefined
    }
  }

  /** Blocks or removes a token at once, before another request uses it. */
  block(token: PooledToken, problem: ApiProblem): void {
    if (problem.kind !== 'status' || this.#retryPolicy === undefined) return
    if (problem.status === 401) this.#blockedUntil.delete(token)
    if (problem.status === 429) this.#blockFor(token, (problem.retryAfter ?? 0) * 1000)
  }

  /** Returns the error to end the request with: this one, or its consequence for the run. */
  recordFailure(token: PooledToken, error: ApiError): ApiError {
    if (error.problem.kind !== 'status' || this.#retryPolicy === undefined) return error
    const { status } = error.problem
    const { clock, maxWait, onWait } = this.#retryPolicy
    if (status === 401) return this.#recordRefusal(token, error)
    if (status !== 429) return error
    const wait = Math.round(this.wait)
    if (wait > maxWait * 1000) {
      return this.#endWith(rateLimitExhausted(error, wait, this.#retryPolicy))
    }
    if (wait > 0) this.#observers.notify(() => onWait?.(dateIn(clock, wait)))
    return error
  }

  #blockFor(token: PooledToken, milliseconds: number): void {
    const blockedUntil = this.#blockedUntil.get(token)
    // A token that was rejected in the meantime stays removed.
    if (blockedUntil === undefined) return
    this.#blockedUntil.set(token, Math.max(blockedUntil, this.#now() + milliseconds))
  }

  /** Reports a rejected token once if there are others; the rejection of the last one ends the run. */
  #recordRefusal(token: PooledToken, refusal: ApiError): ApiError {
    const isFirst = !this.#refused.has(token)
    this.#refused.add(token)
    if (this.left === 0) return this.#endWith(refusal)
    const { name } = token
    if (isFirst && name !== undefined) {
      this.#observers.notify(() => this.#retryPolicy?.onRefused?.(name))
    }
    const problem = { kind: 'status', status: 401, otherTokens: true } as const
    return new ApiError(problem, refusal.message, refusal.hint)
  }

  #endWith(error: ApiError): ApiError {
    this.#exhausted ??= error
    this.#end.abort()
    return this.#exhausted
  }

  #moveToEnd(token: PooledToken, blockedUntil: number): PooledToken {
    this.#blockedUntil.delete(token)
    this.#blockedUntil.set(token, blockedUntil)
    return token
  }

  #now(): number {
    return this.#retryPolicy?.clock.now() ?? 0
  }
}

function pooled(tokens: readonly string[]): PooledToken[] {
  const all = checkTokens(tokens.join(',')).map(token => ({ authorization: `Token ${token}` }))
  if (all.length === 1) return all.map(headers => ({ headers }))
  return all.map((headers, at) => ({ headers, name: `token ${at + 1} of ${all.length}` }))
}

function rateLimitExhausted(
  error: ApiError,
  wait: number,
  { clock, maxWait }: RetryPolicy
): ApiError {
  const retryAt = dateIn(clock, wait)
  const seconds = Math.ceil(wait / 1000)
  return new ApiError(
    { kind: 'status', status: 429, retryAt },
    `the rate limit is used up: ${error.message}`,
    `retry after ${formatTime(retryAt)} (in ${seconds} s); --max-wait allows ${maxWait} s`
  )
}

/** The time of day after a number of milliseconds, rounded up to the second. */
function dateIn(clock: Clock, milliseconds: number): Date {
  const seconds = (clock.date().getTime() + milliseconds - JITTER) / 1000
  return new Date(Math.ceil(seconds) * 1000)
}
