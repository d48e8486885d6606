import { formats } from '../report/formats.ts'
import type { Manner, Report } from '../report/report.ts'
import { writeWhole } from './files.ts'
import { type Io, say, type Terminal, write } from './io.ts'
import type { ReportOptions } from './options.ts'

/**
 * Tells the result: to every `--report` file in its own format, and to stdout in the chosen one. What
 * cannot be written to one of them is written to the others all the same, and then an error.
 */
export async function tell(report: Report, options: ReportOptions, io: Io): Promise<void> {
  const failures: unknown[] = []
  const attempt = async (writing: Promise<void>) => {
    await writing.catch(error => failures.push(error))
  }
  for (const { format, file } of options.report) {
    const text = formats[format](report, { colour: false, width: 80 })
    await attempt(writeWhole(file, text, io.cwd))
  }
  await attempt(write(io, formats[options.format](report, mannerOf(io.stdout, options, io))))
  if (failures.length > 0) throw failures[0]
}

/** Tells something beside the result, for people: on stderr, as text. */
export async function tellAside(
  report: Report,
  options: Pick<ReportOptions, 'color'>,
  io: Io
): Promise<void> {
  await say(io, formats.text(report, mannerOf(io.stderr, options, io)).trimEnd())
}

/**
 * How text looks on a stream. Colour only on a terminal, or with FORCE_COLOR; never with NO_COLOR
 * or `--no-color`.
 */
export function mannerOf(stream: Terminal, options: Pick<ReportOptions, 'color'>, io: Io): Manner {
  const asked = isOn(io.env['FORCE_COLOR']) || stream.isTTY === true
  const colour = asked && options.color && !isSet(io.env['NO_COLOR'])
  return { colour, width: stream.columns ?? 80 }
}

/** NO_COLOR counts as soon as it is not empty (no-color.org). */
function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== ''
}

function isOn(variable: string | undefined): boolean {
  return isSet(variable) && variable !== '0' && variable !== 'false'
}
