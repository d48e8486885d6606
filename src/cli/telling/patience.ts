import { clockUntil } from '../../api/clock.ts'
import type { Patience } from '../../api/transport/retry.ts'
import type { Io } from '../io.ts'
import type { ReportOptions, ServiceOptions } from '../words/options.ts'
import { sayAbove } from './status-line.ts'

/** How often and how long a run tries again; `cut` ends every wait. Waits for a rate limit are told. */
export function patienceOf(
  { maxAttempts, maxWait, quiet }: ServiceOptions & Pick<ReportOptions, 'quiet'>,
  io: Io,
  cut: AbortSignal
): Patience {
  let told = 0
  return {
    maxAttempts,
    maxWait,
    clock: clockUntil(cut),
    random: Math.random,
    interrupted: io.interrupted,
    onWait(until) {
      // Many requests meet one limit; people are told once.
      if (quiet || until.getTime() - told < 1_000) return
      told = until.getTime()
      const time = until.toISOString().slice(11, 19)
      void sayAbove(io, `wlanctl: the service asks to wait; going on at ${time} UTC`)
    },
    onRefused(token) {
      void sayAbove(
        io,
        `wlanctl: warning: the service does not accept ${token}; going on without it`
      )
    }
  }
}
