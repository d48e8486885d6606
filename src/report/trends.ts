import type { History } from '../core/model/history.ts'

/** A count in the reports over time. */
export interface Series {
  readonly name: string
  /** The meaning of the count in a sentence. */
  readonly means: string
  readonly values: readonly SeriesValue[]
}

export interface SeriesValue {
  /** UTC. */
  readonly at: string
  readonly n: number
}

/** The counts of a history; a report without a count has no value. */
export function seriesOf({ points }: History): readonly Series[] {
  const series = (name: string, means: string, of: 'drifted' | 'unmanaged' | 'failed'): Series => {
    const values = points.flatMap(({ at, [of]: n }) => (n === undefined ? [] : [{ at, n }]))
    return { name, means, values }
  }
  return [
    series('Drifted', 'declared WLANs that differ', 'drifted'),
    series('Unmanaged', 'live WLANs that are not declared', 'unmanaged'),
    series('Failed', 'sites not read, WLANs blocked, failed updates', 'failed')
  ]
}

/** The last value, compared with the one before: `12, 3 more than before`. */
export function trendOf({ values }: Series): string {
  const [last, before] = [values.at(-1), values.at(-2)]
  if (last === undefined) return 'unknown'
  const change = before === undefined ? 0 : last.n - before.n
  if (before === undefined) return String(last.n)
  if (change === 0) return `${last.n}, unchanged`
  return `${last.n}, ${Math.abs(change)} ${change > 0 ? 'more' : 'fewer'} than before`
}
