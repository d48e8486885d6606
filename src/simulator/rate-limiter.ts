export type Now = () => number

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
 * Limits each token; a window starts with its first request, so that tests know which is too many.
 */
export class RateLimiter {
  readonly #clock: Now
  readonly #windows = new Map<string, RateWindow>()

  constructor(clock: Now) {
    this.#clock = clock
  }

  /** Counts a request. Undefined if it is allowed, otherwise the seconds until the window ends. */
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
