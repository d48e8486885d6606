import {
  type Calendar,
  type Deferral,
  type DeferralCheck,
  type Freeze,
  type Window,
  weekdays
} from '../../core/model/calendar.ts'
import { classesOf, type ImpactClass } from '../../core/model/impact.ts'
import { compact } from '../../core/values/collections.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { instantOf, localOf, localTimeAt, momentsOf } from './zone.ts'

/** The days to search for the next opening: a window opens every week, unless a clock change skips it. */
const DAYS = 21

const DAY = 24 * 60
const YEAR = 366 * DAY * 60_000

/** Converts a time of day such as `22:00` to minutes since midnight. */
function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/**
 * True if the local time is within the window. A window that crosses midnight belongs to the day on which it
 * begins. An hour that a clock change skips is in no window; an hour that it repeats is in the window twice.
 */
export function isOpen(window: Window, instant: number, zone: string): boolean {
  const { weekday, minutes } = localTimeAt(instant, zone)
  const [from, until] = [minutesOf(window.from), minutesOf(window.until)]
  const begins = (day: number) => window.days.includes(weekdays[(day + 7) % 7] ?? 'mon')
  if (from < until) return begins(weekday) && minutes >= from && minutes < until
  return (begins(weekday) && minutes >= from) || (begins(weekday - 1) && minutes < until)
}

type Wait = Omit<Deferral, 'address'>

/** Windows and freezes, and the time zone of a site in which they count. */
export interface ZonedCalendar extends Pick<Calendar, 'windows' | 'freezes'> {
  readonly zone: string | undefined
}

/**
 * Decides whether a change of these classes may be sent at a site at this moment, by every calendar: outside of
 * freezes, apart from those that except all of its classes, and for each class inside one of the windows that list it,
 * if any does. If not, returns the reason and the next moment at which it may be sent.
 */
export function windowFor(
  calendars: readonly [ZonedCalendar, ...ZonedCalendar[]],
  classes: readonly ImpactClass[],
  instant: number
): Wait | undefined {
  const lists = calendars.flatMap(({ windows, zone }) =>
    classes.flatMap(impact => {
      const list = windows.filter(window => window.impact.includes(impact))
      return list.length === 0 ? [] : { list, zone }
    })
  )
  const holding = calendars.flatMap(({ freezes, zone }) =>
    freezes
      .filter(({ except }) => !classes.every(impact => except.includes(impact)))
      .map(freeze => spanOf(freeze, zone))
  )
  const freezeAt = (at: number) => holding.find(({ from, until }) => at >= from && at < until)
  const isInWindow = (at: number) =>
    lists.every(
      ({ list, zone }) => zone !== undefined && list.some(window => isOpen(window, at, zone))
    )
  const freeze = freezeAt(instant)
  if (freeze === undefined && isInWindow(instant)) return undefined
  const [{ zone }] = calendars
  const next = calendars
    .flatMap(each => {
      const own = lists.flatMap(({ list, zone }) => (zone === each.zone ? list : []))
      return candidates(own, holding, each.zone, instant)
    })
    .sort((a, b) => a - b)
    .find(at => freezeAt(at) === undefined && isInWindow(at))
  const names = [...new Set(lists.flatMap(({ list }) => list.map(({ name }) => name)))]
  return {
    ...compact({ windows: freeze === undefined ? names : undefined, freeze: freeze?.reason }),
    ...(next !== undefined && { until: formatTimestamp(new Date(next)), ...localOf(next, zone) })
  }
}

interface Span {
  readonly from: number
  readonly until: number
  readonly reason: string
}

/** A local time without a time zone is invalid input: such a freeze always holds. */
function spanOf({ from, until, reason }: Freeze, zone: string | undefined): Span {
  return {
    from: instantOf(from, zone) ?? Number.NEGATIVE_INFINITY,
    until: instantOf(until, zone, true) ?? Number.POSITIVE_INFINITY,
    reason
  }
}

/** The moments within a year after `instant` at which a window may open or a freeze may end, in order. */
function candidates(
  windows: readonly Window[],
  freezes: readonly Span[],
  zone: string | undefined,
  instant: number
): number[] {
  const ends = freezes.map(({ until }) => until).filter(Number.isFinite)
  const starts = [...new Set(windows.map(({ from }) => minutesOf(from)))]
  const opening = [instant, ...ends.filter(end => end > instant && end <= instant + YEAR)].flatMap(
    start =>
      zone === undefined || starts.length === 0
        ? []
        : [...momentsOf([...starts, 0], start, DAYS, zone)]
  )
  return [...new Set([...ends, ...opening])]
    .filter(at => at > instant && at <= instant + YEAR)
    .sort((a, b) => a - b)
}

const MAX_WAITS = 1000

function zonedAt(
  { windows, freezes, timezones, base }: Calendar,
  id: string
): [ZonedCalendar, ...ZonedCalendar[]] {
  const own = { windows, freezes, zone: timezones.get(id.toLowerCase()) }
  return base === undefined ? [own] : [own, ...zonedAt(base, id)]
}

/**
 * Checks changes against the windows and freezes of a fleet at the time of the clock `now`. Caches the waits of one
 * second, because finding the next opening takes milliseconds. Key: classes and time zone. Bound: `MAX_WAITS`.
 */
export function deferralCheck(calendar: Calendar, now: () => Date): DeferralCheck {
  const waits = new Map<string, Wait | undefined>()
  let second = Number.NaN
  return ({ address, site, ...effect }) => {
    const classes = classesOf(effect)
    const instant = Math.floor(now().getTime() / 1000) * 1000
    if (instant !== second || waits.size > MAX_WAITS) waits.clear()
    second = instant
    const zoned = zonedAt(calendar, site.id)
    const key = `${classes} ${zoned.map(({ zone }) => zone)}`
    if (!waits.has(key)) waits.set(key, windowFor(zoned, classes, instant))
    const wait = waits.get(key)
    return wait && { address, ...wait }
  }
}
