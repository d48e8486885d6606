import { formatMinute } from '../../core/model/calendar.ts'
import type { Plan } from '../../core/model/plan.ts'
import { sortBy } from '../../core/values/collections.ts'
import { formatNumber } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'

/**
 * `3 changes wait; the first may be sent at 2026-11-23 22:00 Europe/Berlin`; undefined if no change waits.
 */
export function deferredNote({ deferred = [] }: Pick<Plan, 'deferred'>): string | undefined {
  const [first] = sortBy(
    deferred.filter(({ until }) => until !== undefined),
    ({ until = '' }) => until
  )
  if (deferred.length === 0) return undefined
  const waiting = `${formatNumber(deferred.length)} ${deferred.length === 1 ? 'change waits' : 'changes wait'}`
  if (first?.until === undefined) return `${waiting}; no window opens within a year`
  const subject = deferred.length === 1 ? 'it' : 'the first'
  return `${waiting}; ${subject} may be sent at ${first.local ?? formatMinute(first.until)}`
}

/** `planned for 2026-12-04 17:00:00 UTC, not for now`; undefined for a plan for its own time. */
export function plannedForNote({ at }: Pick<Plan, 'at'>): string | undefined {
  return at === undefined ? undefined : `Planned for ${formatTime(at)}, not for now`
}
