import type { Clock } from '../service/tokens.ts'

/** So many calls in so many seconds; the service allows 5,000 an hour. */
export interface Allowance {
  readonly calls: number
  readonly perSeconds: number
}

/**
 * The service's budget of calls, shared by all tokens of an account. A period begins with its first
 * call (the service's with the hour), so that a test knows which call is one too many.
 */
export class RateLimit {
  readonly #clock: Clock
  #end = Number.NEGATIVE_INFINITY
  #calls = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a call. Undefined if it is allowed, else the seconds until calls are again. */
  spend(allowance: Allowance): number | undefined {
    const now = this.#clock()
    if (now >= this.#end) {
      this.#end = now + allowance.perSeconds * 1000
      this.#calls = 0
    }
    if (this.#calls >= allowance.calls) return Math.ceil((this.#end - now) / 1000)
    this.#calls += 1
    return undefined
  }
}
