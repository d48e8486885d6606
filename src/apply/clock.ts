import { setTimeout } from 'node:timers/promises'

/** Time, as the applier sees it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Waits; gives false, at once, if the run is being cut short. */
  sleep(milliseconds: number): Promise<boolean>
}

/** The machine's own clock; `cut` ends every wait. */
export function clockUntil(cut: AbortSignal): Clock {
  return {
    now: () => performance.now(),
    sleep: milliseconds => setTimeout(milliseconds, true, { signal: cut }).catch(() => false)
  }
}
