import { plural } from '../../model/text.ts'
import { thousands } from '../format-value.ts'

/** A count with its noun and a comma between thousands: `2,987 sites`. */
export function formatCount(n: number, noun: string): string {
  return thousands(plural(n, noun))
}

const INVALID = 'an invalid time'

/** The UTC time of day of a number of milliseconds since 1970: `10:00:03.250`. */
export function formatClock(milliseconds: number): string {
  const time = new Date(milliseconds)
  return Number.isNaN(time.getTime()) ? INVALID : formatClockTime(time.toISOString())
}

/** The time of day of an ISO time, to the millisecond where it has any: `10:00:03.250`. */
export function formatClockTime(at: string): string {
  if (Number.isNaN(Date.parse(at))) return INVALID
  return at.slice(11, 23).replace('Z', '')
}

/** A number of milliseconds for people: `40 ms`, `1.5 s`, `1 min 5 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return INVALID
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
