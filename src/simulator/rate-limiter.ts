/** Returns the current time in milliseconds since 1970. */
export type Now = () => number

/** A limit of requests per period; the service allows 5,000 an hour. */
export interface CallBudget {
  readonly calls: number
  readonly perSeconds: number
}

interface RateWindow {
  calls: number
  /** The end of the window, in milliseconds since 1970. */
  readonly end: number
}

/**
 * A fixed-window rate limit per token. A window starts with its first request (that of
 * the service starts with the hour), so that a test knows which request exceeds it.
 */
export class RateLimiter {
  readonly #clock: Now
  readonly #windows = new Map<string, RateWindow>()

  constructor(clock: Now) {
    this.#clock = clock
  }

  /** Counts a request of `caller`. Undefined if it is allowed, otherwise the seconds until the window ends. */
  count(budget: CallBudget, caller: string): number | undefined {
    const now = this.#clock()
    const previous = this.#windows.get(caller)
    const window =
      previous !== undefined && now < previous.end
        ? previous
        : { calls: 0, end: now + budget.perSeconds * 1000 }
    this.#windows.set(caller, window)
    if (window.calls >= budget.calls) return Math.ceil((window.end - now) / 1000)
    window.calls += 1
    return undefined
  }
}
