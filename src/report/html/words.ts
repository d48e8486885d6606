import { plural as counted } from '../../model/text.ts'
import { thousands } from '../words.ts'

/** `n` of something with its noun, large numbers set apart: `2,987 sites`. */
export function count(n: number, noun: string): string {
  return thousands(counted(n, noun))
}

const INVALID = 'an invalid time'

/** The time of day of a number of milliseconds since 1970. */
export function clockOf(milliseconds: number): string {
  const time = new Date(milliseconds)
  return Number.isNaN(time.getTime()) ? INVALID : clockTime(time.toISOString())
}

/** The time of day of a time of ours, to the millisecond where it has any: `10:00:03.250`. */
export function clockTime(at: string): string {
  if (Number.isNaN(Date.parse(at))) return INVALID
  return at.slice(11, 23).replace('Z', '')
}

/** A span in milliseconds, as people read it: `40 ms`, `1.5 s`, `1 min 5 s`. */
export function span(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return INVALID
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
