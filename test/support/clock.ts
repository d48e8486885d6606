import type { Clock } from '../../src/api/clock.ts'

/** A clock that a test moves, and whose pauses take no time. */
export interface HandClock extends Clock {
  /** The time of day in milliseconds, as the simulator asks for it. */
  (): number
  /** How long it was asked to wait, each time. */
  readonly pauses: readonly number[]
  advance(milliseconds: number): void
}

/**
 * The one clock of the tests: for a client, for the simulator, or for both together. Its time of day
 * stands still until a test, or a pause, moves it. `now()` is the machine's steady clock and as far
 * ahead of it: what the client reads is stamped with that one.
 */
export function handClock(start = 1_800_000_000_000): HandClock {
  const pauses: number[] = []
  let ahead = 0
  const advance = (milliseconds: number) => {
    ahead += milliseconds
  }
  return Object.assign(() => start + ahead, {
    pauses,
    advance,
    now: () => performance.now() + ahead,
    date: () => new Date(start + ahead),
    async sleep(milliseconds: number) {
      pauses.push(milliseconds)
      advance(milliseconds)
      return true
    }
  })
}
