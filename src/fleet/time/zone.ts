import { Temporal } from 'temporal-polyfill'

export interface LocalTime {
  /** 0 for Monday to 6 for Sunday. */
  readonly weekday: number
  /** Whole minutes since midnight in local time. */
  readonly minutes: number
}

/** True for a time zone that this machine knows, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

const LOCAL = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/
const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/

/** True if a date, or a date and time, has no offset, so that it needs the time zone of a site. */
export function isLocal(text: string): boolean {
  return LOCAL.test(text)
}

/**
 * Converts a date and time to milliseconds since 1970; a local time is in `zone`, a date alone is the start of
 * its day, or the end with `isEnd`. Undefined for an invalid date or time, and for a local time without a zone.
 * A local time that a clock change skips moves to the end of the gap; of a repeated one, the first counts.
 */
export function instantOf(
  text: string,
  zone: string | undefined,
  isEnd = false
): number | undefined {
  try {
    if (WITH_OFFSET.test(text)) return Temporal.Instant.from(text).epochMilliseconds
    if (!LOCAL.test(text) || zone === undefined) return undefined
    const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    const days = isEnd && !text.includes('T') ? 1 : 0
    return local.add({ days }).toZonedDateTime(zone).epochMilliseconds
  } catch {
    return undefined
  }
}

export function localTimeAt(instant: number, zone: string): LocalTime {
  const { dayOfWeek, hour, minute } = zoned(instant, zone)
  return { weekday: dayOfWeek - 1, minutes: hour * 60 + minute }
}

/** Such as `2026-11-23 22:00 Europe/Berlin`; without a zone the member is absent. */
export function localOf(instant: number, zone: string | undefined): { readonly local?: string } {
  if (zone === undefined) return {}
  const local = zoned(instant, zone).toPlainDateTime()
  return { local: `${local.toString({ smallestUnit: 'minute' }).replace('T', ' ')} ${zone}` }
}

/**
 * The instants at which the local time is one of these times of day (in minutes since midnight), from the day
 * before `instant` to `days` days after it; and the instants of clock changes in between.
 */
export function momentsOf(
  times: readonly number[],
  instant: number,
  days: number,
  zone: string
): number[] {
  const today = zoned(instant, zone).toPlainDate()
  const dates = Array.from({ length: days + 2 }, (_, day) => today.add({ days: day - 1 }))
  const daily = dates.flatMap(date =>
    times.flatMap(minutes => {
      const time = { hour: Math.floor(minutes / 60), minute: minutes % 60 }
      const local = date.toPlainDateTime(Temporal.PlainTime.from(time))
      const at = (disambiguation: 'earlier' | 'later') =>
        local.toZonedDateTime(zone, { disambiguation }).epochMilliseconds
      return [at('earlier'), at('later')]
    })
  )
  return [...daily, ...clockChanges(instant, days, zone)]
}

function clockChanges(instant: number, days: number, zone: string): number[] {
  const start = zoned(instant, zone)
  const end = start.add({ days }).epochMilliseconds
  const found: number[] = []
  for (
    let next = start.getTimeZoneTransition('next');
    next !== null && next.epochMilliseconds <= end;
    next = next.getTimeZoneTransition('next')
  ) {
    found.push(next.epochMilliseconds)
  }
  return found
}

function zoned(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
}
