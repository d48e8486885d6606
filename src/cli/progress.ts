import type { Io } from './io.ts'
import type { ReportOptions } from './options.ts'

/** How far a run is, told on stderr while it goes on. */
export interface Progress {
  /** One more is done. */
  readonly step: () => void
  readonly end: () => void
}

/** A terminal's line is drawn anew so often, and a log gets a line so often, in milliseconds. */
const REDRAW = 100
const LINE_EVERY = 10_000

/** Starts telling; says nothing with `--quiet`, nor of what is over before there is time to say it. */
export function startProgress(
  doing: string,
  total: number,
  { quiet }: Pick<ReportOptions, 'quiet'>,
  io: Io
): Progress {
  let done = 0
  const step = () => {
    done += 1
  }
  if (quiet) return { step, end: () => undefined }
  const terminal = io.stderr.isTTY === true
  const draw = () => {
    const line = `${doing}: ${done} of ${total}`
    io.stderr.write(terminal ? `\r\x1b[K${line}` : `${line}\n`)
  }
  const timer = setInterval(draw, terminal ? REDRAW : LINE_EVERY).unref()
  return {
    step,
    end: () => {
      clearInterval(timer)
      if (terminal) io.stderr.write('\r\x1b[K')
    }
  }
}
