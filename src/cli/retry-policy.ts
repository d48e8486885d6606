import { clockUntil } from '../api/clock.ts'
import type { RetryPolicy } from '../api/retry.ts'
import type { Io } from './io.ts'
import { watching } from './observers.ts'
import type { ReportOptions, ServiceOptions } from './options.ts'
import { timeOfDay } from './progress-line.ts'
import { writeAboveStatus } from './status-line.ts'

/** How often and how long a run tries again; `cut` ends every wait. Waits for a rate limit are told. */
export function retryPolicyOf(
  { maxAttempts, maxWait, quiet }: ServiceOptions & Pick<ReportOptions, 'quiet'>,
  io: Io,
  cut: AbortSignal
): RetryPolicy {
  let told = 0
  const safely = watching('a notice', io)
  return {
    maxAttempts,
    maxWait,
    clock: clockUntil(cut),
    random: Math.random,
    interrupted: io.interrupted,
    onWait: safely(until => {
      // Many requests meet one limit; people are told once.
      if (quiet || until.getTime() - told < 1_000) return
      told = until.getTime()
      const time = timeOfDay(until)
      const then = time === undefined ? '' : `; going on at ${time}`
      writeAboveStatus(io, `wlanctl: the service asks to wait${then}`)
    }, undefined),
    onRefused: safely(token => {
      writeAboveStatus(
        io,
        `wlanctl: warning: the service does not accept ${token}; going on without it`
      )
    }, undefined)
  }
}
