import { formatNumber } from '../model/text.ts'

/** How far a run is. */
export interface ProgressState {
  /** What it does, e.g. `reading sites`. */
  readonly doing: string
  readonly done: number
  readonly total: number
  /** What came of it so far: how many, by what they are called, e.g. `to change`. */
  readonly found: ReadonlyMap<string, number>
  /** How many are done in a second of work; undefined as long as that is not known. */
  readonly rate: number | undefined
  /** When requests go on, if all of them wait for a rate limit. */
  readonly waitUntil: Date | undefined
}

/**
 * How far a run is, on one line of at most so many columns; where it is too narrow, parts at the end are left
 * out.
 *
 *     reading sites: 340 of 1,200, 12 to change, 85/s, 10 s left
 *     reading sites: 500 of 1,200, rate limit until 10:13:18 UTC, 31 to change
 */
export function progressLine(state: ProgressState, columns = Number.POSITIVE_INFINITY): string {
  const { doing, done, total } = state
  const number = `${formatNumber(done)} of ${formatNumber(total)}`
  const first = `${doing}: ${number}`
  if (widthOf(first) > columns) return number.length > columns ? '' : number
  let line = first
  for (const part of partsOf(state)) {
    const longer = `${line}, ${part}`
    if (widthOf(longer) > columns) return line
    line = longer
  }
  return line
}

/** Columns that a text takes at most: only of ASCII is it known that a character takes one. */
function widthOf(text: string): number {
  return text.replace(/[^\x20-\x7e]/g, '  ').length
}

/** What is said beside the number, what explains most of it first. */
function partsOf({ found, rate, waitUntil, done, total }: ProgressState): string[] {
  const counts = [...found].map(([name, n]) => `${formatNumber(n)} ${name}`)
  if (waitUntil !== undefined) {
    const time = timeOfDay(waitUntil)
    return [time === undefined ? 'rate limit' : `rate limit until ${time}`, ...counts]
  }
  if (rate === undefined || !(rate > 0) || !(done < total)) return counts
  const seconds = (total - done) / rate
  return [
    ...counts,
    `${shortened(rate)}/s`,
    ...(seconds <= LONGEST ? [`${duration(seconds)} left`] : [])
  ]
}

/** `10:13:18 UTC`; undefined for what is no date. */
export function timeOfDay(date: Date): string | undefined {
  const isDate = !Number.isNaN(date.getTime())
  return isDate ? `${date.toISOString().slice(-13, -5)} UTC` : undefined
}

/** A longer time left is no forecast, in seconds: four days. */
const LONGEST = 345_600

/** Two digits are enough for a rate: `0.25`, `8.5`, `85`, `850`. */
function shortened(rate: number): string {
  return String(rate < 100 ? Number(rate.toPrecision(2)) : Math.round(rate))
}

/** A time to wait: `45 s`, `2 min 5 s`, `1 h 20 min`. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min ${whole % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
