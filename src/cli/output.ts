import { relative, resolve, sep } from 'node:path'
import { type ExitCode, exit, Failure, reasonOf } from '../model/failure.ts'
import { escapeText } from '../report/escape.ts'
import type { Format } from '../report/formats.ts'
import type { FormatName, OutcomesReport, RenderOptions, Report } from '../report/report.ts'
import { renderText as asText } from '../report/text/text.ts'
import { writeFileAtomic } from './files/files.ts'
import { type Io, type Terminal, write, writeLine } from './io.ts'
import type { ReportOptions } from './options.ts'

/** A form of the result that could not be made or written. */
interface Untold {
  /** What it is, for a message. */
  readonly what: string
  /** True for what goes to stdout. */
  readonly isResult: boolean
  readonly error: unknown
}

/**
 * Tells the result: to every `--report` file in its own format, and to stdout in the chosen one, unless
 * there is a `text` that goes there. What cannot be made or written is an error, after all others are.
 */
export async function writeReport(
  report: Report,
  options: ReportOptions,
  io: Io,
  text?: string
): Promise<void> {
  const [first, ...others] = await tellEach(report, options, io, text)
  for (const untold of others) await sayUntold(untold, io)
  if (first !== undefined) throw first.error
}

/**
 * Tells what became of changes that were sent, which no other run can tell. Where the result itself is
 * lost, its outcomes go to stderr. Gives the exit code 1 if anything could not be made or written.
 */
export async function tellOutcomes(
  report: OutcomesReport,
  options: ReportOptions,
  io: Io
): Promise<ExitCode> {
  const untold = await tellEach(report, options, io)
  for (const each of untold) await sayUntold(each, io)
  if (untold.some(({ isResult }) => isResult)) {
    for (const { status, address } of report.outcomes) {
      await writeLine(io, `wlanctl: ${status}  ${escapeText(address)}`)
    }
  }
  return untold.length > 0 ? exit.failed : exit.done
}

async function tellEach(
  report: Report,
  options: ReportOptions,
  io: Io,
  text?: string
): Promise<readonly Untold[]> {
  const untold: Untold[] = []
  const attempt = async (what: string, isResult: boolean, telling: () => Promise<void>) => {
    await telling().catch(error => untold.push({ what, isResult, error }))
  }
  for (const { format, file } of options.report) {
    await attempt(`the ${format} report ${file}`, false, async () => {
      const manner = { ...inFile, ...fleetIn(options, io) }
      const made = (await formatOf(format))(report, manner)
      await writeFileAtomic(file, made, io.cwd, modeOf(format))
    })
  }
  await attempt(`the ${options.format} result`, true, async () => {
    const manner = () => ({ ...renderOptionsFor(io.stdout, options, io), ...fleetIn(options, io) })
    await write(io, text ?? (await formatOf(options.format))(report, manner()))
  })
  return untold
}

/** A `Failure` says what could not be written; any other error is a bug in a format. */
async function sayUntold({ what, error }: Untold, io: Io): Promise<void> {
  const problem =
    error instanceof Failure
      ? error.message
      : `${what} could not be made, which is a bug in wlanctl: ${reasonOf(error)}`
  await writeLine(io, `wlanctl: ${escapeText(problem)}`)
}

/** The format people read is at hand; the others are loaded when somebody asks for one. */
async function formatOf(name: FormatName): Promise<Format> {
  if (name === 'text') return asText
  const { formats } = await import('../report/formats.ts')
  return formats[name]
}

/** Metrics are for a collector, which is another user; whatever else we write is its owner's alone. */
function modeOf(format: FormatName): number {
  return format === 'prometheus' ? 0o644 : 0o600
}

/** Tells something beside the result, for people: on stderr, as text. */
export async function writeReportToStderr(
  report: Report,
  options: Pick<ReportOptions, 'color'>,
  io: Io
): Promise<void> {
  await writeLine(io, asText(report, renderOptionsFor(io.stderr, options, io)).trimEnd())
}

/**
 * How text looks on a stream. Colour only on a terminal, or with FORCE_COLOR; never with NO_COLOR
 * or `--no-color`.
 */
export function renderOptionsFor(
  stream: Terminal,
  options: Pick<ReportOptions, 'color'>,
  io: Io
): RenderOptions {
  const asked = isOn(io.env['FORCE_COLOR']) || stream.isTTY === true
  const colour = asked && options.color && !isSet(io.env['NO_COLOR'])
  return { colour, width: stream.isTTY === true ? (stream.columns ?? 80) : inFile.width }
}

/** How text looks in a file, and wherever else no terminal is: no line is wrapped, so that grep finds it. */
export const inFile: RenderOptions = { colour: false, width: Number.POSITIVE_INFINITY }

/** The fleet's folder as the places of findings name it: from the working directory. */
function fleetIn({ fleet }: ReportOptions, { cwd }: Io): Pick<RenderOptions, 'fleet'> {
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
