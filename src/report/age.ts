import { count } from '../model/identity.ts'
import type { Change, Plan } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { fieldsOf } from './edit.ts'

/** How old the snapshot is that a plan was made on, in words; undefined where the service was read. */
export function snapshotAge({
  against,
  created
}: Pick<Plan, 'against' | 'created'>): string | undefined {
  if (against === undefined) return undefined
  return `${spanBetween(against.created, created)} old (${shownTime(against.created)})`
}

/** The fields of a change by the time since which they are known to differ; the longest known first. */
export interface Aged {
  /** Undefined for what differs as of this plan. */
  readonly since?: string
  readonly pointers: readonly Pointer[]
}

export function agedFields(change: Change): Aged[] {
  const { first_seen = {} } = change
  const paths = fieldsOf(change).map(({ path }) => path)
  const times = [...new Set(Object.values(first_seen))].sort()
  const known = times.map(since => ({
    since,
    pointers: paths.filter(path => first_seen[path] === since)
  }))
  const fresh = paths.filter(path => !Object.hasOwn(first_seen, path))
  return fresh.length === 0 ? known : [...known, { pointers: fresh }]
}

/** A time of ours for people: `2026-11-20 10:00:00 UTC`. */
export function shownTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1]
] as const

/** The time between two times in its largest unit: `3 hours`; of a time to come, none. */
function spanBetween(from: string, to: string): string {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? UNITS[3]
  return count(Math.floor(seconds / length), unit)
}
