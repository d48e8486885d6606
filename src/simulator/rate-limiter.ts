export type Now = () => number

export interface CallBudget {
  readonly calls: number
  readonly perSeconds: number
}

interface RateWindow {
  calls: number
  readonly end: number
}

/** By token; a window starts with its first request, so that a test knows which one exceeds it. */
export class RateLimiter {
  readonly #clock: Now
  readonly #windows = new Map<string, RateWindow>()

  constructor(clock: Now) {
    this.#clock = clock
  }

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
