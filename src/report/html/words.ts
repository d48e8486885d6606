import { plural as counted } from '../../model/text.ts'
import { thousands } from '../words.ts'

/** `n` of something with its noun, large numbers set apart: `2,987 sites`. */
export function count(n: number, noun: string): string {
  return thousands(counted(n, noun))
}

/** The time of day of a time of ours, to the millisecond where it has any: `10:00:03.250`. */
export function clockTime(at: string): string {
  return at.slice(11, 23).replace('Z', '')
}

/** A span in milliseconds, as people read it: `40 ms`, `1.5 s`, `1 min 5 s`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
