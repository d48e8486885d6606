import { relative, resolve, sep } from 'node:path'
import type { Format } from '../../report/formats.ts'
import type { FormatName } from '../../report/names.ts'
import type { Manner, Report } from '../../report/report.ts'
import { text as asText } from '../../report/text.ts'
import { writeWhole } from '../files/files.ts'
import { type Io, say, type Terminal, write } from '../io.ts'
import type { ReportOptions } from '../words/options.ts'

/**
 * Tells the result: to every `--report` file in its own format, and to stdout in the chosen one, unless
 * there is a `text` that goes there. What cannot be written to one of them is written to the others all
 * the same, and then an error.
 */
export async function tell(
  report: Report,
  options: ReportOptions,
  io: Io,
  text?: string
): Promise<void> {
  const failures: unknown[] = []
  const attempt = async (writing: Promise<void>) => {
    await writing.catch(error => failures.push(error))
  }
  for (const { format, file } of options.report) {
    const told = (await formatOf(format))(report, {
      colour: false,
      width: 80,
      ...fleetIn(options, io)
    })
    await attempt(writeWhole(file, told, io.cwd, modeOf(format)))
  }
  const result =
    text ??
    (await formatOf(options.format))(report, {
      ...mannerOf(io.stdout, options, io),
      ...fleetIn(options, io)
    })
  await attempt(write(io, result))
  if (failures.length > 0) throw failures[0]
}

/** The format people read is at hand; the others are loaded when somebody asks for one. */
async function formatOf(name: FormatName): Promise<Format> {
  if (name === 'text') return asText
  const { formats } = await import('../../report/formats.ts')
  return formats[name]
}

/** Metrics are for a collector, which is another user; whatever else we write is its owner's alone. */
function modeOf(format: FormatName): number {
  return format === 'prometheus' ? 0o644 : 0o600
}

/** Tells something beside the result, for people: on stderr, as text. */
export async function tellAside(
  report: Report,
  options: Pick<ReportOptions, 'color'>,
  io: Io
): Promise<void> {
  await say(io, asText(report, mannerOf(io.stderr, options, io)).trimEnd())
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

/** The fleet's folder as the places of findings name it: from the working directory. */
function fleetIn({ fleet }: ReportOptions, { cwd }: Io): Pick<Manner, 'fleet'> {
  if (fleet === undefined) return {}
  return { fleet: relative(cwd, resolve(cwd, fleet)).split(sep).join('/') || '.' }
}

/** NO_COLOR counts as soon as it is not empty (no-color.org). */
function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== ''
}

function isOn(variable: string | undefined): boolean {
  return isSet(variable) && variable !== '0' && variable !== 'false'
}
