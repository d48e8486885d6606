import {
  deferralReason,
  formatMinute,
  type UpcomingEvent,
  upcomingWaitText
} from '../core/model/calendar.ts'
import type { Plan } from '../core/model/plan.ts'
import { groupBy, sortBy } from '../core/values/collections.ts'
import { formatNumber, plural } from '../core/values/text.ts'
import { formatTime } from '../core/values/time.ts'
import { escapeInside } from './escape.ts'
import { type GroupedFindings, groupMany, splitAddress } from './group-findings.ts'

/** The parts of a plan that depend on the time. */
export type TimedPart = Pick<Plan, 'deferred' | 'upcoming' | 'upcoming_total' | 'at'>

/**
 * `3 changes wait; the first may be sent at 2026-11-23 22:00 Europe/Berlin`; undefined if no change waits.
 * `show` escapes the time, which a saved plan may state as any text.
 */
export function deferredNote(
  { deferred = [] }: TimedPart,
  show: (time: string) => string = escapeInside
): string | undefined {
  const [first] = sortBy(
    deferred.filter(({ until }) => until !== undefined),
    ({ until = '' }) => until
  )
  if (deferred.length === 0) return undefined
  const waiting = `${formatNumber(deferred.length)} ${deferred.length === 1 ? 'change waits' : 'changes wait'}`
  if (first?.until === undefined) return `${waiting}; no window opens within a year`
  const subject = deferred.length === 1 ? 'it' : 'the first'
  return `${waiting}; ${subject} may be sent at ${show(first.local ?? formatMinute(first.until))}`
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

/** The day of an event at the site. */
function dateOf({ at, local = at }: { readonly at: string; readonly local?: string }): string {
  return /^\d{4}-\d\d-\d\d/.exec(local)?.[0] ?? ''
}

/** `planned for 2026-12-04 17:00:00 UTC, not for now`; undefined for a plan for its own time. */
export function plannedForNote(
  { at }: TimedPart,
  show: (time: string) => string = escapeInside
): string | undefined {
  return at === undefined ? undefined : `Planned for ${show(formatTime(at))}, not for now`
}

/**
 * The waiting WLANs and the reasons, for display and not escaped. Equal ones of several sites share a row.
 */
export function deferredRows({
  deferred = []
}: TimedPart): (readonly [where: string, why: string])[] {
  const reasons = groupMany(deferred, ({ address, ...wait }) =>
    JSON.stringify([splitAddress(address).key, wait])
  )
  return reasons.map(group => [whereOf(group), deferralReason(group[0])])
}

/** The starts and ends of periods and freezes with their WLANs, for display and not escaped. */
export function upcomingRows({
  upcoming = [],
  upcoming_total: total = upcoming.length
}: TimedPart): (readonly [when: string, where: string, event: string])[] {
  const groups = groupMany(upcoming, ({ address, at, local, event, reason, waits }) =>
    JSON.stringify([address && splitAddress(address).key, at, local, event, reason, waits])
  )
  const rows = groups.map(eventRow)
  const more = total - upcoming.length
  return more > 0 ? [...rows, [`and ${plural(more, 'more event')}`, '', ''] as const] : rows
}

/** Equal events, for display and not escaped. */
export function eventRow(group: GroupedFindings<UpcomingEvent>) {
  const [{ at, local, event, reason, waits = [] }] = group
  const when = local === undefined ? formatMinute(at) : `${local} (${formatMinute(at)})`
  const waiting = waits.map(wait => `; ${upcomingWaitText(wait)}`).join('')
  return [when, whereOf(group), `${event}: ${reason}${waiting}`] as const
}

/** Shown in place of the WLAN of a freeze. */
export const FREEZE = 'freeze'

function whereOf(group: GroupedFindings<{ readonly address?: string }>): string {
  const [{ address }, ...others] = group
  if (address === undefined) return FREEZE
  if (others.length === 0) return address
  return `${splitAddress(address).key} on ${plural(others.length + 1, 'site')}`
}

/** The title of the changes that wait. */
export function deferredTitle({ deferred = [] }: TimedPart): string {
  return `Deferred: changes that wait (${formatNumber(deferred.length)})`
}

/** The columns of `upcomingRows`. */
export const upcomingColumns = ['When', 'WLAN or freeze', 'Event'] as const

/** The title of the next days. */
export const UPCOMING = 'Upcoming: periods and freezes that begin or end within seven days'
