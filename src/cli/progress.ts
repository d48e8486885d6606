import { type Clock, clockUntil } from '../api/clock.ts'
import { escapeText } from '../report/escape.ts'
import type { Progress, ProgressTask } from '../workflow/host.ts'
import type { Io, Terminal } from './io.ts'
import type { ReportOptions } from './options.ts'
import { ProgressRate, progressLine } from './progress-line.ts'
import { isDrawable, StatusLine, safeObserver } from './status-line.ts'

/** How often a terminal is redrawn, and how often a log gets a line, in milliseconds. */
const REDRAW = 100
const LINE_EVERY = 10_000

/**
 * Starts displaying progress on stderr; displays nothing with `--quiet`, nor of a task that ends before the
 * first redraw. The functions it returns never throw: a drawing error is printed once, and the run continues.
 */
export function startProgress(
  { doing, total, reader, answered = () => 0 }: ProgressTask,
  { quiet, verbose }: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Pick<Io, 'stderr' | 'env' | 'cut'>,
  clock: Pick<Clock, 'now'> = clockUntil(io.cut)
): Progress {
  if (quiet) return { step: () => undefined, end: () => undefined }
  const safely = safeObserver('the progress line', io)
  const found = new Map<string, number>()
  let steps = 0
  const done = () => Math.max(steps, Math.min(answered(), total))
  const rates = new ProgressRate(clock, safely(done, 0)())
  const line = safely((columns?: number) => {
    const rate = rates.rate(done())
    return progressLine(
      { doing, done: done(), total, found, rate, waitUntil: reader.waitUntil },
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
      display.end()
    }, undefined)
  }
}

/** Progress as lines of a log, one every ten seconds. */
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
    this.#stream.write(`${text}\n`)
  }

  end(): void {}
}
