import type { Clock } from '../service/tokens.ts'

/** So many calls in so many seconds; the service allows 5,000 an hour. */
export interface Allowance {
  readonly calls: number
  readonly perSeconds: number
}

/** How much of its allowance one caller has used. */
interface Spent {
  calls: number
  /** When its period ends, in milliseconds since 1970. */
  readonly end: number
}

/**
 * The service's budget of calls: each token has its own, and so has a session. A period begins with its
 * first call (the service's with the hour), so that a test knows which call is one too many.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #spent = new Map<string, Spent>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a call of `caller`. Undefined if it is allowed, else the seconds until calls are again. */
  spend(allowance: Allowance, caller: string): number | undefined {
    const now = this.#clock()
    const before = this.#spent.get(caller)
    const spent =
      before !== undefined && now < before.end
        ? before
        : { calls: 0, end: now + allowance.perSeconds * 1000 }
    this.#spent.set(caller, spent)
    if (spent.calls >= allowance.calls) return Math.ceil((spent.end - now) / 1000)
    spent.calls += 1
    return undefined
  }
}
