import { byCodeUnit } from '../model/collections.ts'
import type { Change, Plan } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { plural } from '../model/text.ts'
import { fieldsOf } from './field-changes.ts'

/** How old the snapshot is that a plan was made on, in words; undefined where the service was read. */
export function snapshotAge({
  against,
  created
}: Pick<Plan, 'against' | 'created'>): string | undefined {
  if (against === undefined) return undefined
  const span = spanBetween(against.created, created)
  const age = span === undefined ? 'of unknown age' : `${span} old`
  return `${age} (${shownTime(against.created)})`
}

/** The fields of a change by the time since which they are known to differ; the longest known first. */
export interface Aged {
  /** Undefined for what differs as of this plan. */
  readonly since?: string
  readonly pointers: readonly Pointer[]
}

export function agedFields(change: Change): Aged[] {
  const { first_seen = {} } = change
  const fresh: Pointer[] = []
  const pointersAt = new Map<string, Pointer[]>()
  for (const { path } of fieldsOf(change)) {
    const since = Object.hasOwn(first_seen, path) ? first_seen[path] : undefined
    const others = since === undefined ? fresh : pointersAt.get(since)
    if (others !== undefined) others.push(path)
    else if (since !== undefined) pointersAt.set(since, [path])
  }
  const known = [...pointersAt]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([since, pointers]) => ({ since, pointers }))
  return fresh.length === 0 ? known : [...known, { pointers: fresh }]
}

/** A time for people: `2026-11-20 10:00:00 UTC`; any other text is `an invalid time`. */
export function shownTime(time: string): string {
  const milliseconds = Date.parse(time)
  if (Number.isNaN(milliseconds)) return 'an invalid time'
  const [date = '', clock = ''] = new Date(milliseconds).toISOString().split('T')
  return `${date} ${clock.slice(0, 8)} UTC`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1]
] as const

/** The time between two times in its largest unit: `3 hours`; undefined if one of them is invalid. */
function spanBetween(from: string, to: string): string | undefined {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)
  if (Number.isNaN(seconds)) return undefined
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? UNITS[3]
  return plural(Math.floor(seconds / length), unit)
}
