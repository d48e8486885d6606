import { formatNumber, plural } from '../../core/values/text.ts'
import { formatDuration, formatTimeOfDay } from '../../core/values/time.ts'
import { escapeLines, escapeText } from '../../report/escape.ts'
import type { StepEvent, Task } from '../../run/context.ts'
import { type Clock, clockUntil } from '../../service/http/clock.ts'
import type { ReportOptions } from '../options.ts'
import type { Io, Terminal } from './io.ts'
import { isDrawable, StatusLine, safeObserver } from './status-line.ts'

/** The interval for redrawing a terminal, and that for lines in a log, in milliseconds. */
const REDRAW = 100
const LINE_EVERY = 10_000

export interface Progress {
  /** Counts one more item as done; `--verbose` prints the text. */
  readonly step: (text: string, found?: StepEvent['found']) => void
  readonly end: () => void
}

/**
 * Starts displaying progress on stderr; displays nothing with `--quiet`, nor for a task that ends before the
 * first redraw. The returned functions never throw: a drawing error is printed once, and the run continues.
 */
export function startProgress(
  { doing: task, total, reader, answered = () => 0, stays = false }: Task,
  { quiet, verbose }: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Pick<Io, 'stderr' | 'env' | 'interrupted' | 'abortSignal'>,
  clock: Pick<Clock, 'now'> = clockUntil(io.abortSignal)
): Progress {
  if (quiet) return { step: () => undefined, end: () => undefined }
  const safely = safeObserver('the progress line', io)
  const doing = escapeText(task)
  const found = new Map<string, number>()
  let steps = 0
  const done = () => Math.max(steps, Math.min(answered(), total))
  const rates = new ProgressRate(clock, safely(done, 0)())
  const line = safely((columns?: number) => {
    const rate = rates.rate(done())
    const isStopping = io.interrupted.aborted
    const { waitUntil, retrying } = reader
    return progressLine(
      { doing, done: done(), total, found, rate, waitUntil, retrying, isStopping },
      columns
    )
  }, '')
  const display = isDrawable(io) ? new StatusLine(io.stderr, line) : new Log(io.stderr, line, clock)
  const draw = safely(() => {
    rates.update(reader.waitUntil !== undefined, done())
    display.draw()
  }, undefined)
  const timer = setInterval(draw, REDRAW).unref()
  return {
    step: safely((text, counts = {}) => {
      steps += 1
      for (const [name, n] of Object.entries(counts)) {
        if (n > 0) found.set(name, (found.get(name) ?? 0) + n)
      }
      if (verbose) display.writeAbove(escapeText(text))
    }, undefined),
    end: safely(() => {
      clearInterval(timer)
      display.end(stays && !io.interrupted.aborted)
    }, undefined)
  }
}

/** Progress as lines in a log, one every ten seconds. */
class Log implements Pick<StatusLine, 'draw' | 'writeAbove' | 'end'> {
  readonly #stream: Terminal
  readonly #text: () => string
  readonly #clock: Pick<Clock, 'now'>
  #written: number

  constructor(stream: Terminal, text: () => string, clock: Pick<Clock, 'now'>) {
    this.#stream = stream
    this.#text = text
    this.#clock = clock
    this.#written = clock.now()
  }

  draw(): void {
    if (this.#clock.now() - this.#written < LINE_EVERY) return
    this.#written = this.#clock.now()
    const text = this.#text()
    if (text !== '') this.writeAbove(text)
  }

  writeAbove(text: string): void {
    this.#stream.write(`${escapeLines(text)}\n`)
  }

  end(): void {}
}

export interface ProgressState {
  /** E.g. `reading sites`. */
  readonly doing: string
  readonly done: number
  readonly total: number
  /** Counts by result, e.g. `to change`. */
  readonly found: ReadonlyMap<string, number>
  /** Items per second of work; undefined if it is unknown. */
  readonly rate: number | undefined
  /** The end of the rate limit, if all requests wait for it. */
  readonly waitUntil: Date | undefined
  /** The number of requests that failed and are sent again. */
  readonly retrying: number
  /** True after the first interrupt, while requests under way are finished. */
  readonly isStopping?: boolean
}

/**
 * The state of a task on one line of at most `columns` columns; parts at the end are omitted if they do not
 * fit. After an interrupt, the effect of a second one is kept longer than the number.
 *
 *     reading sites: 340 of 1,200, 12 to change, 85/s, 10 s left
 *     reading sites: 500 of 1,200, rate limit until 10:13:18 UTC, 31 to change
 */
export function progressLine(state: ProgressState, columns = Number.POSITIVE_INFINITY): string {
  const { doing, done, total } = state
  const number = `${formatNumber(done)} of ${formatNumber(total)}`
  const starts = state.isStopping
    ? [`${doing}: ${number}, stopping, ${AGAIN}`, `${number}, ${AGAIN}`, AGAIN, number]
    : [`${doing}: ${number}`, number]
  const first = starts.find(start => widthOf(start) <= columns)
  if (first === undefined || first !== starts[0]) return first ?? ''
  let line = first
  for (const part of partsOf(state)) {
    const longer = `${line}, ${part}`
    if (widthOf(longer) > columns) return line
    line = longer
  }
  return line
}

const AGAIN = 'Ctrl-C again ends at once'

/** An upper bound for the columns of a text: only ASCII characters are known to take a single one. */
function widthOf(text: string): number {
  return text.replace(/[^\x20-\x7e]/g, '  ').length
}

/** The parts after the number, the most informative first. */
function partsOf({
  found,
  rate,
  waitUntil,
  retrying,
  done,
  total,
  isStopping
}: ProgressState): string[] {
  const counts = [...found].map(([name, n]) => `${formatNumber(n)} ${name}`)
  if (isStopping) return counts
  if (waitUntil !== undefined) {
    const isValid = !Number.isNaN(waitUntil.getTime())
    const wait = isValid ? `rate limit until ${formatTimeOfDay(waitUntil)}` : 'rate limit'
    return [wait, ...counts]
  }
  if (retrying > 0) return [`retrying ${plural(retrying, 'request')}`, ...counts]
  if (rate === undefined || !(rate > 0 && Number.isFinite(rate)) || !(done < total)) return counts
  const seconds = (total - done) / rate
  return [
    ...counts,
    `${roundRate(rate)}/s`,
    ...(seconds <= MAX_FORECAST ? [`${formatDuration(seconds)} left`] : [])
  ]
}

/** The longest forecast in seconds: four days. A longer one would be a guess. */
const MAX_FORECAST = 345_600

/** Rounds to two digits: `0.25`, `8.5`, `85`, `850`. */
function roundRate(rate: number): string {
  return String(rate < 100 ? Number(rate.toPrecision(2)) : Math.round(rate))
}

/** A rate covers this time of work in milliseconds. */
const WINDOW = 10_000

/** The minimum time of work for a rate in milliseconds, and the minimum number of items. */
const MIN_TIME = 3_000
const MIN_ITEMS = 5

/** The number of items done after `worked` milliseconds of work. */
interface Sample {
  readonly worked: number
  readonly done: number
}

/** The rate without waits: over the last ten seconds, or over the last five items if that is longer. */
export class ProgressRate {
  readonly #clock: Pick<Clock, 'now'>
  #seen: number
  #worked = 0
  #samples: Sample[]

  /** `done` items were done before the clock started, and do not count. */
  constructor(clock: Pick<Clock, 'now'>, done: number) {
    this.#clock = clock
    this.#seen = clock.now()
    this.#samples = [{ worked: 0, done }]
  }

  /** The time since the last call counts as work unless `isWaiting`; `done`: the items so far. */
  update(isWaiting: boolean, done: number): void {
    const now = this.#clock.now()
    if (!isWaiting) this.#worked += now - this.#seen
    this.#seen = now
    if (done === this.#samples.at(-1)?.done) return
    const first = this.#samples.findLastIndex(
      sample => this.#isOld(sample) && sample.done <= done - MIN_ITEMS
    )
    this.#samples = [...this.#samples.slice(Math.max(first, 0)), { worked: this.#worked, done }]
  }

  /** Items per second; undefined while there is too little data. */
  rate(done: number): number | undefined {
    if (this.#worked < MIN_TIME) return undefined
    const enough = this.#samples.findLast(sample => sample.done <= done - MIN_ITEMS)
    if (enough === undefined) return undefined
    const old = this.#samples.findLast(sample => this.#isOld(sample))
    if (old === undefined) return perSecond(this.#samples[0] ?? enough, this.#worked, done)
    if (old.done > enough.done) return perSecond(enough, this.#worked, done)
    return perSecond({ worked: this.#worked - WINDOW, done: old.done }, this.#worked, done)
  }

  #isOld({ worked }: Sample): boolean {
    return worked <= this.#worked - WINDOW
  }
}

function perSecond(from: Sample, worked: number, done: number): number | undefined {
  return worked > from.worked ? (1_000 * (done - from.done)) / (worked - from.worked) : undefined
}
