import { setTimeout } from 'node:timers/promises'

/** Time, as a run sees it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** The time of day, for messages; never used to measure. */
  date(): Date
  /** Waits; resolves with false, at once, if the run is aborted or `until` is. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<boolean>
}

/** Longer timers fire at once. */
const MAX_TIMER = 2 ** 31 - 1

/** The machine's clock; when `cut` is aborted, every wait ends. */
export function clockUntil(cut: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    date: () => new Date(),
    sleep(milliseconds, until) {
      const signal = until === undefined ? cut : AbortSignal.any([cut, until])
      return setTimeout(Math.min(milliseconds, MAX_TIMER), true, { signal }).catch(() => false)
    }
  }
}
