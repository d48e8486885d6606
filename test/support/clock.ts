import type { Clock } from '../../src/service/http/clock.ts'

/** A clock that a test advances; its delays take no time. */
export interface ManualClock extends Clock {
  /** The time of day in milliseconds, for the simulator. */
  (): number
  /** The requested delays, in order. */
  readonly pauses: readonly number[]
  advance(milliseconds: number): void
}

/**
 * The test clock, for a client, for the simulator, or for both. It stands still until a test or a delay
 * advances it.
 */
export function manualClock(start = 1_800_000_000_000): ManualClock {
  const pauses: number[] = []
  let ahead = 0
  const advance = (milliseconds: number) => {
    ahead += milliseconds
  }
  return Object.assign(() => start + ahead, {
    pauses,
    advance,
    now: () => ahead,
    date: () => new Date(start + ahead),
    async sleep(milliseconds: number) {
      pauses.push(milliseconds)
      advance(milliseconds)
      return true
    }
  })
}
