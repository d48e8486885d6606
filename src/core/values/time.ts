import { plural } from './text.ts'

/** Milliseconds since 1970; undefined for a text that is no time. */
export function parseTime(text: string): number | undefined {
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** The last millisecond of a day in UTC, such as `2027-01-31`; undefined for an invalid date. */
export function endOfDay(date: string): number | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN
  const isDate = !Number.isNaN(start) && new Date(start).toISOString().startsWith(date)
  return isDate ? start + 24 * 60 * 60 * 1000 - 1 : undefined
}

const INVALID = 'an invalid time'

/** Formats a time for files: UTC, to the second, such as `2026-11-20T10:00:00Z`. */
export function formatTimestamp(time: Date): string {
  return isoOf(time)?.replace(/\.\d+Z$/, 'Z') ?? INVALID
}

/** Formats a time for display: `2026-11-20 10:00:00 UTC`; `an invalid time` if it is invalid. */
export function formatTime(time: Date | string): string {
  const iso = isoOf(time)
  return iso === undefined ? INVALID : `${iso.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`
}

/** Formats the time of day for display: `10:13:18 UTC`; `an invalid time` if it is invalid. */
export function formatTimeOfDay(time: Date | string): string {
  const iso = isoOf(time)
  return iso === undefined ? INVALID : `${iso.slice(-13, -5)} UTC`
}

function isoOf(time: Date | string): string | undefined {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Formats a duration in whole seconds, rounded up: `45 s`, `2 min 5 s`, `1 h 20 min`, `24 h`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'an unknown time'
  const whole = Math.max(0, Math.ceil(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return twoUnits(minutes, 'min', whole % 60, 's')
  return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

function twoUnits(large: number, unit: string, rest: number, smaller: string): string {
  return `${large} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1]
] as const

/** Formats the time between two times in its largest unit: `3 hours`; undefined if one of them is invalid. */
export function formatSpan(from: string, to: string): string | undefined {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)
  if (Number.isNaN(seconds)) return undefined
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? UNITS[3]
  return plural(Math.floor(seconds / length), unit)
}
