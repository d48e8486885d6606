import { relative, resolve, sep } from 'node:path'
import { type ExitCode, exit, Failure, reasonOf, wrongInput } from '../core/model/failure.ts'
import type { Plan } from '../core/model/plan.ts'
import { isPolicyRefusal } from '../core/model/refusals.ts'
import { compact, getOrInsert } from '../core/values/collections.ts'
import { plural, quote, withoutByteOrderMark } from '../core/values/text.ts'
import { readable } from '../files/saved-file.ts'
import { limits } from '../fleet/limits.ts'
import { readRegularFile } from '../fleet/secrets/regular-file.ts'
import { escapeJson, escapeLines, escapeText } from '../report/escape.ts'
import { listedInPlan } from '../report/overview/findings.ts'
import { overviewOf } from '../report/overview/overview-of.ts'
import { textOf } from '../report/render/document.ts'
import {
  type Format,
  type FormatName,
  mapPlaces,
  type NextStep,
  type OutcomesReport,
  type PlanReport,
  type RenderOptions,
  type Report
} from '../report/report.ts'
import { renderText as asText } from '../report/text/text.ts'
import { checkOutput, isCheckout, writeFileAtomic } from './files/files.ts'
import type { ReportOptions } from './options.ts'
import { columnsOf, type Io, type Terminal, write, writeLine } from './terminal/io.ts'
import { rerunOf } from './terminal/next-steps.ts'

interface FailedOutput {
  readonly name: string
  readonly isResult: boolean
  readonly error: unknown
}

/** Throws (exit 3), before the run reads anything, if an output is not writable or would replace another. */
export async function checkOutputFiles(
  files: readonly string[],
  { cwd }: Pick<Io, 'cwd'>
): Promise<void> {
  for (const file of files) await checkOutput(file, cwd)
  const paths = files.map(file => resolve(cwd, file))
  const twice = files.find((_, index) => paths.indexOf(paths[index] ?? '') < index)
  if (twice === undefined) return
  throw wrongInput(
    `two outputs have the same file ${quote(twice)}; nothing was sent`,
    'give each --report, the --record and the --out a file of its own'
  )
}

/** What goes with a result: the next steps, and the text for stdout, if that is not the result in its format. */
interface Written {
  readonly next?: readonly NextStep[]
  readonly text?: string | undefined
}

/** Writes all `--report` files and stdout: it tries every output, then throws the first error. */
export async function writeReport(
  report: Report,
  options: ReportOptions,
  io: Io,
  written: Written = {}
): Promise<void> {
  await throwFirst(await writeOutputs(report, options, io, written), io)
  await noteSecretFindings(report, options, io)
}

/** As `writeReport`, of a result with formats of its own; to `out` instead of stdout. `about` is for all formats. */
export async function writeFormats<Result, Name extends string>(
  formats: Readonly<Record<Name | FormatName, (result: Result, how: RenderOptions) => string>>,
  result: Result,
  about: Pick<RenderOptions, 'fleet' | 'next'>,
  options: Omit<ReportOptions, 'format'> & { readonly format: Name },
  io: Io,
  out?: string
): Promise<void> {
  const render: Render<Name> = (format, how) => formats[format](result, { ...how, ...about })
  await throwFirst(await writeAll(render, options, io, compact({ out })), io)
}

async function throwFirst(failures: readonly FailedOutput[], io: Io): Promise<void> {
  const [first, ...others] = failures
  for (const failed of others) await printFailedOutput(failed, io)
  if (first !== undefined) throw first.error
}

/** Lists findings about the values of secrets, only as text, because a refusal needs its reason. */
async function noteSecretFindings(
  report: Report,
  { format, quiet }: ReportOptions,
  io: Io
): Promise<void> {
  const all = 'secretFindings' in report ? (report.secretFindings ?? []) : []
  const found = all.filter(isPolicyRefusal)
  if (format === 'text' || quiet || found.length === 0) return
  const count = plural(found.length, 'lint finding')
  await writeLine(
    io,
    `wlanctl: ${count} about the values of secrets refuse the run; --format text lists them`
  )
}

/**
 * Writes the outcomes of sent changes, which no other run can reproduce: if stdout fails, they go to stderr.
 * Returns exit code 1 if an output could not be rendered or written.
 */
export async function writeOutcomes(
  report: OutcomesReport,
  options: ReportOptions,
  io: Io,
  written: Written
): Promise<ExitCode> {
  const failures = await writeOutputs(report, options, io, written)
  for (const failed of failures) await printFailedOutput(failed, io)
  if (failures.some(({ isResult }) => isResult)) {
    for (const { status, address } of report.outcomes) {
      await writeLine(io, `wlanctl: ${status}  ${escapeText(address)}`)
    }
  }
  return failures.length > 0 ? exit.failed : exit.done
}

async function writeOutputs(
  report: Report,
  options: ReportOptions,
  io: Io,
  { text, next = [] }: Written
): Promise<readonly FailedOutput[]> {
  const about = { ...fleetIn(options, io), ...(await sourceIn(io)), next }
  const render: Render<FormatName> = async (format, how) =>
    (await formatOf(format))(placed(report, format, options, io), { ...how, ...about })
  const headline = () => io.ci?.reported?.(textOf(overviewOf(report, options).headline))
  return writeAll(render, options, io, compact({ text, headline }))
}

type Render<Name> = (format: Name | FormatName, how: RenderOptions) => string | Promise<string>

/** Writes to each `--report` file, and then to `out`, or without it to stdout: there `text`, if it is given. */
async function writeAll<Name extends string>(
  render: Render<Name>,
  options: Omit<ReportOptions, 'format'> & { readonly format: Name },
  io: Io,
  {
    text,
    out,
    headline
  }: { readonly text?: string; readonly out?: string; readonly headline?: () => void }
): Promise<readonly FailedOutput[]> {
  const failures: FailedOutput[] = []
  const attempt = async (name: string, isResult: boolean, output: () => Promise<void>) => {
    await output().catch(error => failures.push({ name, isResult, error }))
  }
  const toFile = async (as: Name | FormatName, file: string) =>
    writeFileAtomic(file, await render(as, { ...inFile, ...detailOf(options) }), io.cwd)
  await attempt('the headline', false, async () => headline?.())
  for (const { format: as, file } of options.report) {
    await attempt(`the ${as} report ${file}`, false, () => toFile(as, file))
  }
  const { format } = options
  await attempt(`the ${format} result`, true, async () => {
    if (out !== undefined) return toFile(format, out)
    const screen = renderOptionsFor(io.stdout, options, io)
    const excerpts = format === 'text' ? { lineAt: linesIn(io) } : {}
    await write(io, text ?? (await render(format, { ...screen, ...excerpts })))
  })
  return failures
}

/** Prints the failed output of a `Failure`; any other error is a bug in a format. */
async function printFailedOutput({ name, error }: FailedOutput, io: Io): Promise<void> {
  const problem =
    error instanceof Failure
      ? error.message
      : `${name} could not be rendered, which is a bug in wlanctl: ${reasonOf(error)}`
  await writeLine(io, `wlanctl: ${escapeText(problem)}`)
}

/** The text format is loaded at the start; the others only if needed. */
async function formatOf(name: FormatName): Promise<Format> {
  if (name === 'text') return asText
  const { formats } = await import('../report/formats.ts')
  return formats[name]
}

export async function writeTextOrJson<Result>(
  result: Result,
  json: (result: Result) => string,
  text: (result: Result, options: RenderOptions) => string,
  options: Pick<ReportOptions, 'format' | 'color' | 'verbose'>,
  io: Io
): Promise<void> {
  const isJson = options.format === 'json'
  const written = isJson ? json(result) : text(result, renderOptionsFor(io.stdout, options, io))
  await write(io, escapeLines(written))
}

export async function writeReportToStderr(
  report: Report,
  options: Pick<ReportOptions, 'color' | 'fleet' | 'verbose'>,
  io: Io
): Promise<void> {
  const renderOptions = {
    ...renderOptionsFor(io.stderr, options, io),
    ...fleetIn(options, io),
    lineAt: linesIn(io)
  }
  const text = asText(placed(report, 'text', options, io), renderOptions)
  await writeLine(io, text.trimEnd())
}

/** Reads lines of the files that findings name: as they are now, each file once. */
function linesIn({ cwd }: Pick<Io, 'cwd'>): NonNullable<RenderOptions['lineAt']> {
  const files = new Map<string, readonly string[]>()
  return ({ file, line, revision }) => {
    if (revision !== undefined) return undefined
    const lines = getOrInsert(files, file, () => {
      const reading = readRegularFile(resolve(cwd, file), { most: limits.bytes, links: false })
      const text = 'bytes' in reading ? reading.bytes.toString('utf8') : ''
      return withoutByteOrderMark(text).split('\n')
    })
    return lines[line - 1]?.replace(/\r$/, '')
  }
}

/** Saves a plan, with places relative to the fleet. Throws a `Failure` (exit 3) if it could not be read back. */
export async function savePlan(
  file: string,
  plan: Plan,
  options: Pick<ReportOptions, 'fleet'>,
  io: Io
): Promise<void> {
  const { formatPlan, planForm } = await import('../files/saved-plan.ts')
  const report = placed({ kind: 'plan', plan }, 'json', options, io)
  // Escaped, because a saved plan may be printed into a log.
  const text = escapeJson(formatPlan(report.kind === 'plan' ? report.plan : plan))
  await writeFileAtomic(file, readable(text, planForm), io.cwd)
}

/** In JSON, which may be read elsewhere, places are relative to the fleet, otherwise to the working directory. */
function placed(
  report: Report,
  format: FormatName,
  { fleet }: Pick<ReportOptions, 'fleet'>,
  { cwd }: Pick<Io, 'cwd'>
): Report {
  if (fleet === undefined) return report
  const directory = resolve(cwd, fleet)
  const from = (base: string, file: string) => relative(base, file).split(sep).join('/')
  return format === 'json'
    ? mapPlaces(report, 'findings', file => from(directory, resolve(cwd, file)))
    : mapPlaces(report, 'changes', file => from(cwd, resolve(directory, file)))
}

/** Shows the plan before its confirmation; with `--quiet --yes` only its findings. */
export async function showPlan(
  plan: Plan,
  options: ReportOptions & { readonly yes?: true },
  io: Io,
  lint: Pick<PlanReport, 'secretFindings' | 'lintLevel' | 'command'> = {}
): Promise<void> {
  const findings = listedInPlan(plan.findings, lint.lintLevel)
  if (!options.quiet || !options.yes) {
    await writeReportToStderr({ kind: 'plan', isPreview: true, plan, ...lint }, options, io)
  } else if (findings.length > 0)
    await writeReportToStderr({ kind: 'findings', findings }, options, io)
}

/** Colour only on a terminal that has it, or with FORCE_COLOR; never with NO_COLOR or `--no-color`. */
export function renderOptionsFor(
  stream: Terminal,
  options: Pick<ReportOptions, 'color' | 'verbose'>,
  io: Io
): RenderOptions {
  const isColourful = stream.isTTY === true && io.env['TERM'] !== 'dumb'
  const { FORCE_COLOR: forced = '', NO_COLOR } = io.env
  const supportsColour = !['', '0', 'false'].includes(forced) || isColourful
  const colour = supportsColour && options.color && !NO_COLOR
  const width = stream.isTTY === true ? columnsOf(stream) : inFile.width
  return { colour, width, ...detailOf(options) }
}

/** The options to render text for a file or a pipe: lines do not wrap, so that grep finds them. */
export const inFile: RenderOptions = { colour: false, width: Number.POSITIVE_INFINITY }

/** What the commands of a report need: the fleet relative to the working directory, as in the places of findings. */
function fleetIn(
  options: Parameters<typeof rerunOf>[0],
  { cwd }: Io
): Pick<RenderOptions, 'fleet' | 'rerun'> {
  const { restores, fleet = restores?.fleet } = options
  const rerun = rerunOf(options)
  if (fleet === undefined) return { rerun }
  return { rerun, fleet: relative(cwd, resolve(cwd, fleet)).split(sep).join('/') || '.' }
}

/** The URL of the files in a job on GitHub or GitLab, if the working directory is the root of a checkout. */
async function sourceIn({ cwd, env }: Io): Promise<Pick<RenderOptions, 'source'>> {
  const source = env['GITHUB_SHA']
    ? `${env['GITHUB_SERVER_URL']}/${env['GITHUB_REPOSITORY']}/blob/${env['GITHUB_SHA']}`
    : `${env['CI_PROJECT_URL']}/-/blob/${env['CI_COMMIT_SHA']}`
  const isKnown = /^https:\/\/[\w.:-]+(?:\/[\w.-]+){2,}\/blob\/[0-9a-f]{40,64}$/.test(source)
  return isKnown && (await isCheckout(cwd)) ? { source } : {}
}

function detailOf({ verbose }: Pick<ReportOptions, 'verbose'>): Pick<RenderOptions, 'verbose'> {
  return verbose ? { verbose } : {}
}
