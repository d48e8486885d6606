import type { Reader } from '../api/client.ts'
import { type Clock, clockUntil } from '../api/clock.ts'
import { escapeText } from '../report/escape.ts'
import type { Io, Terminal } from './io.ts'
import type { ReportOptions } from './options.ts'
import { ProgressRate, progressLine } from './progress-line.ts'
import { isDrawable, StatusLine, watching } from './status-line.ts'

/** How far a run is, told on stderr while it goes on. */
export interface Progress {
  /**
   * One more is done; `--verbose` says what. It may hold text from outside. `found` is what came of it: how
   * many, by what they are called.
   */
  readonly step: (what: string, found?: Readonly<Record<string, number>>) => void
  readonly end: () => void
}

/** What there is to do. */
interface Work {
  readonly doing: string
  readonly total: number
  /** Whom it is asked of: its waits are told. */
  readonly reader: Pick<Reader, 'waitUntil'>
  /** How much of it is answered, before a step is taken with the answer. */
  readonly answered?: () => number
}

/** A terminal's line is drawn anew so often, and a log gets a line so often, in milliseconds. */
const REDRAW = 100
const LINE_EVERY = 10_000

/**
 * Starts telling; says nothing with `--quiet`, nor of what is over before there is time to say it. None of
 * its functions throws: what goes wrong with drawing is printed once, and the run goes on.
 */
export function startProgress(
  { doing, total, reader, answered = () => 0 }: Work,
  { quiet, verbose }: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Pick<Io, 'stderr' | 'env' | 'cut'>,
  clock: Pick<Clock, 'now'> = clockUntil(io.cut)
): Progress {
  if (quiet) return { step: () => undefined, end: () => undefined }
  const safely = watching('the progress line', io)
  const found = new Map<string, number>()
  let steps = 0
  const done = () => Math.max(steps, Math.min(answered(), total))
  const pace = new ProgressRate(clock, safely(done, 0)())
  const line = safely((columns?: number) => {
    const rate = pace.rate(done())
    return progressLine(
      { doing, done: done(), total, found, rate, waitUntil: reader.waitUntil },
      columns
    )
  }, '')
  const telling = isDrawable(io) ? new StatusLine(io.stderr, line) : new Log(io.stderr, line, clock)
  const draw = safely(() => {
    pace.goOn(reader.waitUntil !== undefined, done())
    telling.draw()
  }, undefined)
  const timer = setInterval(draw, REDRAW).unref()
  return {
    step: safely((what, counts = {}) => {
      steps += 1
      for (const [name, n] of Object.entries(counts)) {
        if (n > 0) found.set(name, (found.get(name) ?? 0) + n)
      }
      if (verbose) telling.say(escapeText(what))
    }, undefined),
    end: safely(() => {
      clearInterval(timer)
      telling.end()
    }, undefined)
  }
}

/** A log, to which a line is added now and then. */
class Log implements Pick<StatusLine, 'draw' | 'say' | 'end'> {
  readonly #stream: Terminal
  readonly #text: () => string
  readonly #clock: Pick<Clock, 'now'>
  #told: number

  constructor(stream: Terminal, text: () => string, clock: Pick<Clock, 'now'>) {
    this.#stream = stream
    this.#text = text
    this.#clock = clock
    this.#told = clock.now()
  }

  draw(): void {
    if (this.#clock.now() - this.#told < LINE_EVERY) return
    this.#told = this.#clock.now()
    const text = this.#text()
    if (text !== '') this.say(text)
  }

  say(text: string): void {
    this.#stream.write(`${text}\n`)
  }

  end(): void {}
}
