import { setTimeout } from 'node:timers/promises'

/** Time, as a run sees it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** The time of day, to tell people; nothing is measured with it. */
  date(): Date
  /** Waits; gives false, at once, if the run is being cut short or `until` is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<boolean>
}

/** Longer timers fire at once. */
const LONGEST = 2 ** 31 - 1

/** The machine's own clock; `cut` ends every wait. */
export function clockUntil(cut: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    date: () => new Date(),
    sleep(milliseconds, until) {
      const signal = until === undefined ? cut : AbortSignal.any([cut, until])
      return setTimeout(Math.min(milliseconds, LONGEST), true, { signal }).catch(() => false)
    }
  }
}
