import { tool } from '../../core/model/tool.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatDuration, formatTimeOfDay } from '../../core/values/time.ts'
import { escapeInside, escapeLines, escapeText } from '../../report/escape.ts'
import type { RunContext, StepEvent, Task } from '../../run/context.ts'
import type { ReportOptions } from '../options.ts'
import { type Io, type Terminal, writeLine } from './io.ts'
import { printEstimate } from './request-summary.ts'
import { isDrawable, StatusLine, safeObserver } from './status-line.ts'

type DisplayOptions = Pick<ReportOptions, 'quiet' | 'verbose'>

/** The context of a run whose events the terminal shows. */
export function runContext(options: DisplayOptions, io: Io): RunContext {
  let progress: Progress | undefined
  return {
    tool: tool.name,
    now: io.now,
    interrupted: io.interrupted,
    abortSignal: io.abortSignal,
    on(event) {
      switch (event.type) {
        case 'started': {
          const { requests } = event.task
          const estimated =
            requests === undefined ? undefined : printEstimate(requests, options, io)
          const start = () => {
            progress = startProgress(event.task, options, io)
          }
          return estimated === undefined ? void start() : estimated.then(start)
        }
        case 'step':
          progress?.step(event.text, event.found)
          return undefined
        case 'ended':
          progress?.end()
          return undefined
        case 'notice':
          return options.quiet ? undefined : writeLine(io, `wlanctl: ${escapeInside(event.text)}`)
      }
    }
  }
}

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
  { quiet, verbose }: DisplayOptions,
  io: Pick<Io, 'stderr' | 'env' | 'interrupted'>
): Progress {
  if (quiet) return { step: () => undefined, end: () => undefined }
  const safely = safeObserver('the progress line', io)
  const doing = escapeText(task)
  const found = new Map<string, number>()
  let steps = 0
  const done = () => Math.max(steps, Math.min(answered(), total))
  const before = safely(done, 0)()
  // Waits for the rate limit are no work.
  let worked = 0
  let seen = performance.now()
  const line = safely((columns?: number) => {
    const left = secondsLeft(worked / 1_000, done() - before, total - done())
    const isStopping = io.interrupted.aborted
    const { waitUntil, retrying } = reader
    return progressLine(
      { doing, done: done(), total, found, left, waitUntil, retrying, isStopping },
      columns
    )
  }, '')
  const display = isDrawable(io) ? new StatusLine(io.stderr, line) : new Log(io.stderr, line)
  const draw = safely(() => {
    const now = performance.now()
    if (reader.waitUntil === undefined) worked += now - seen
    seen = now
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
  #written = performance.now()

  constructor(stream: Terminal, text: () => string) {
    this.#stream = stream
    this.#text = text
  }

  draw(): void {
    const now = performance.now()
    if (now - this.#written < LINE_EVERY) return
    this.#written = now
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
  readonly found: ReadonlyMap<string, number>
  readonly left: number | undefined
  /** The end of the rate limit, if all requests wait for it. */
  readonly waitUntil: Date | undefined
  readonly retrying: number
  /** True after the first interrupt, while requests under way are finished. */
  readonly isStopping?: boolean
}

/**
 * The state of a task on one line of at most `columns` columns; parts at the end are omitted if they do not
 * fit. After an interrupt, the effect of a second one is kept longer than the number.
 *
 *     reading sites: 340 of 1,200, 12 to change, 10 s left
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

function partsOf({ found, left, waitUntil, retrying, isStopping }: ProgressState): string[] {
  const counts = [...found].map(([name, n]) => `${formatNumber(n)} ${name}`)
  if (isStopping) return counts
  if (waitUntil !== undefined) {
    const isValid = !Number.isNaN(waitUntil.getTime())
    const wait = isValid ? `rate limit until ${formatTimeOfDay(waitUntil)}` : 'rate limit'
    return [wait, ...counts]
  }
  if (retrying > 0) return [`retrying ${plural(retrying, 'request')}`, ...counts]
  return left === undefined ? counts : [...counts, `${formatDuration(left)} left`]
}

/** The longest forecast in seconds: four days. A longer one would be a guess. */
const MAX_FORECAST = 345_600

/** The seconds that the rest will take, if it takes as long as what is done; undefined while there is too little data. */
export function secondsLeft(worked: number, done: number, rest: number): number | undefined {
  if (worked < 3 || done < 5 || rest <= 0) return undefined
  const left = (worked / done) * rest
  return left <= MAX_FORECAST ? left : undefined
}
