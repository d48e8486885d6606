import type { Reader } from '../../api/client.ts'
import { type Clock, clockUntil } from '../../api/clock.ts'
import { escapeText } from '../../report/escape.ts'
import type { Io, Terminal } from '../io.ts'
import type { ReportOptions } from '../words/options.ts'
import { progressLine } from './progress-line.ts'
import { isDrawable, StatusLine } from './status-line.ts'

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
}

/** A terminal's line is drawn anew so often, and a log gets a line so often, in milliseconds. */
const REDRAW = 100
const LINE_EVERY = 10_000

/** Starts telling; says nothing with `--quiet`, nor of what is over before there is time to say it. */
export function startProgress(
  { doing, total, reader }: Work,
  { quiet, verbose }: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Pick<Io, 'stderr' | 'env' | 'cut'>,
  clock: Pick<Clock, 'now'> = clockUntil(io.cut)
): Progress {
  if (quiet) return { step: () => undefined, end: () => undefined }
  const found = new Map<string, number>()
  const pace = new Pace(clock)
  let done = 0
  const line = (columns?: number) => {
    const { waitUntil } = reader
    return progressLine({ doing, done, total, found, rate: pace.rate(done), waitUntil }, columns)
  }
  const telling = isDrawable(io) ? new StatusLine(io.stderr, line) : new Log(io.stderr, line, clock)
  const timer = setInterval(() => {
    pace.goOn(reader.waitUntil !== undefined)
    telling.draw()
  }, REDRAW).unref()
  return {
    step(what, counts = {}) {
      done += 1
      for (const [name, n] of Object.entries(counts)) {
        if (n > 0) found.set(name, (found.get(name) ?? 0) + n)
      }
      if (verbose) telling.say(escapeText(what))
    },
    end() {
      clearInterval(timer)
      telling.end()
    }
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
    this.say(this.#text())
  }

  say(text: string): void {
    this.#stream.write(`${text}\n`)
  }

  end(): void {}
}

/** How fast the work goes, waits left out. */
class Pace {
  readonly #clock: Pick<Clock, 'now'>
  #seen: number
  /** Milliseconds of work so far. */
  #worked = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#seen = clock.now()
  }

  /** The time since the last call was one of work, or of waiting. */
  goOn(isWaiting: boolean): void {
    const now = this.#clock.now()
    if (!isWaiting) this.#worked += now - this.#seen
    this.#seen = now
  }

  /** How many are done in a second; undefined in the first one. */
  rate(done: number): number | undefined {
    return this.#worked < 1_000 ? undefined : (1_000 * done) / this.#worked
  }
}
