import { escapeText } from '../report/escape.ts'
import type { Io } from './io.ts'
import type { ReportOptions } from './options.ts'

/** How far a run is, told on stderr while it goes on. */
export interface Progress {
  /** One more is done; `--verbose` says what. It may hold text from outside. */
  readonly step: (what: string) => void
  readonly end: () => void
}

/** A terminal's line is drawn anew so often, and a log gets a line so often, in milliseconds. */
const REDRAW = 100
const LINE_EVERY = 10_000

/** Starts telling; says nothing with `--quiet`, nor of what is over before there is time to say it. */
export function startProgress(
  doing: string,
  total: number,
  { quiet, verbose }: Pick<ReportOptions, 'quiet' | 'verbose'>,
  io: Io
): Progress {
  if (quiet) return { step: () => undefined, end: () => undefined }
  let done = 0
  const terminal = io.stderr.isTTY === true
  const blank = terminal ? '\r\x1b[K' : ''
  const draw = () => {
    const line = `${doing}: ${done} of ${total}`
    io.stderr.write(terminal ? blank + line : `${line}\n`)
  }
  const timer = setInterval(draw, terminal ? REDRAW : LINE_EVERY).unref()
  return {
    step: what => {
      done += 1
      if (verbose) io.stderr.write(`${blank}${escapeText(what)}\n`)
    },
    end: () => {
      clearInterval(timer)
      io.stderr.write(blank)
    }
  }
}
