import { formatMinute } from '../../core/model/calendar.ts'
import type { Plan } from '../../core/model/plan.ts'
import { groupBy, sortBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
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

/** `1 period begins 2026-12-24`; undefined if the plan has none. */
export function periodsNote({ periods = [] }: Pick<Plan, 'periods'>): string | undefined {
  const events = periods.flatMap(period => period.events)
  const begins = events.filter(({ event }) => event === 'begins')
  const listed = begins.length > 0 ? begins : events
  const [first] = listed
  if (first === undefined) return undefined
  const count = groupBy(listed, event => JSON.stringify([event.reason, dateOf(event)])).size
  if (count === 1) return `1 period ${first.event} ${dateOf(first)}`
  return `${plural(count, 'period')} ${first.event.slice(0, -1)}, the first on ${dateOf(first)}`
}

function dateOf({ at, local = at }: { readonly at: string; readonly local?: string }): string {
  return /^\d{4}-\d\d-\d\d/.exec(local)?.[0] ?? ''
}

/** `planned for 2026-12-04 17:00:00 UTC, not for now`; undefined for a plan for its own time. */
export function plannedForNote({ at }: Pick<Plan, 'at'>): string | undefined {
  return at === undefined ? undefined : `Planned for ${formatTime(at)}, not for now`
}
