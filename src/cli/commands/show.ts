import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type ExitCode, exit, reasonOf, wrongInput } from '../../core/model/failure.ts'
import { fileLimits } from '../../core/model/file-limits.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { History } from '../../core/model/history.ts'
import { type OutcomesData, tally } from '../../core/model/outcome.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { listFirst } from '../../core/values/text.ts'
import { HistoryWriter, outcomesPoint } from '../../files/history.ts'
import { outcomesForm } from '../../files/merge/merge.ts'
import { isRecord, parseSaved } from '../../files/saved-file.ts'
import { intactPlan, planForm } from '../../files/saved-plan.ts'
import { escapeText } from '../../report/escape.ts'
import { historyFormats, isHistoryFormat } from '../../report/history.ts'
import type { FormatName, RenderOptions, Report } from '../../report/report.ts'
import { parseRecordSlowly } from '../../run/record/read.ts'
import type { Context } from '../context.ts'
import { readInput, systemReason, writeFileAtomic } from '../files/files.ts'
import { checkpoint } from '../files/saved-files.ts'
import { withKnownFormat } from '../option-values.ts'
import { addExample, addReportOptions, groups, type ReportOptions } from '../options.ts'
import { inFile, renderOptionsFor, writeReport } from '../output.ts'
import { type Io, quoteForShell, write, writeLine } from '../terminal/io.ts'
import { type NextStep, printNextSteps } from '../terminal/next-steps.ts'

interface Options extends ReportOptions {
  readonly history?: string
  readonly out?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addReportOptions(
    command.argument(
      '[file...]',
      'plans, snapshots, outcomes or records; several are merged: the shards of a run with its continuations, or records'
    )
  )
    .addOption(
      new Option(
        '--history <dir>',
        `the reports (JSON) in a directory, over time; formats: ${Object.keys(historyFormats).join(', ')}`
      ).helpGroup(groups.selection)
    )
    .addOption(
      new Option('--out <file>', 'save the merged plan, snapshot or outcomes')
        .conflicts('history')
        .helpGroup(groups.output)
    )
    .action(
      ends((files: readonly string[], options: Options) => {
        const isKnown = options.history === undefined ? () => true : isHistoryFormat
        return showFiles(files, withKnownFormat(options, command, isKnown), io)
      })
    )
  command.addHelpText(
    'after',
    '\nSeveral files, or one with --out, exit with the code of the run\nthat they are the parts of.'
  )
  addExample(command, 'wlanctl plan examples/quickstart --out plan.json', 'wlanctl show plan.json')
}

async function showFiles(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { history } = options
  if (files.length > 0 && history === undefined) return show(files, options, io)
  if (files.length === 0 && history !== undefined) return showHistory(history, options, io)
  const problem = files.length === 0 ? 'nothing to show' : 'expected files or --history, got both'
  throw wrongInput(problem, 'give a file, or --history with a directory')
}

async function show(files: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const { out, quiet } = options
  const { readSavedResults } = await import('../saved-results.ts')
  const { report, unverified, code, merged } = await readSavedResults(files, out !== undefined, io)
  if (out !== undefined) await writeFileAtomic(out, merged(), io.cwd)
  await checkpoint(io)
  if (!quiet && out === undefined) {
    const names = listFirst(files.map(escapeText), 3)
    const places = report.kind === 'plan' || report.kind === 'drift'
    const from = files.length === 1 ? 'the file' : 'the files'
    const note = places ? '; places are relative to the fleet' : ''
    await writeLine(io, `wlanctl: ${names}: ${unverified} come from ${from} unverified${note}`)
  }
  await writeReport(report, options, io)
  await printNextSteps(stepsAfter(report, out ?? files), options, io)
  return files.length > 1 || out !== undefined ? code : exit.done
}

function stepsAfter({ kind }: Report, files: string | readonly string[]): NextStep[] {
  const [file, ...others] = [files].flat()
  if (file === undefined || others.length > 0) return []
  const name = quoteForShell(file)
  if (kind === 'plan') return [[`wlanctl apply --plan ${name}`, 'makes these changes']]
  return kind === 'record' ? [[`wlanctl revert ${name}`, 'undoes these runs']] : []
}

/** The maximum number of files to read: more than two years of daily reports. */
const FILES = 1000

/** Damaged files and those that are not reports become findings; throws (exit 3) if no report remains. */
async function showHistory(folder: string, options: ReportOptions, io: Io): Promise<ExitCode> {
  const forms = [options.format, ...options.report.map(({ format }) => format)]
  for (const form of forms) checkFormat(form)
  const history = await readHistory(folder, io)
  if (history.points.length === 0) {
    const reason = history.findings.map(({ message }) => message)[0]
    throw wrongInput(
      `${folder} has no readable report${reason === undefined ? '' : `; ${reason}`}`,
      'save one there: `wlanctl drift --report json=FILE`'
    )
  }
  for (const { format, file } of options.report) {
    await writeFileAtomic(file, renderHistory(format, history, inFile), io.cwd)
  }
  await write(io, renderHistory(options.format, history, renderOptionsFor(io.stdout, options, io)))
  return exit.done
}

function checkFormat(format: FormatName): void {
  if (isHistoryFormat(format)) return
  const names = Object.keys(historyFormats).join(', ')
  throw wrongInput(`expected a format for --history, got ${format}`, `formats: ${names}`)
}

function renderHistory(format: FormatName, history: History, renderOptions: RenderOptions): string {
  return isHistoryFormat(format) ? historyFormats[format](history, renderOptions) : ''
}

async function readHistory(folder: string, io: Io): Promise<History> {
  const names = await filesIn(folder, io.cwd)
  const seen = names.slice(-FILES)
  const remaining = names.length - seen.length
  const findings = remaining === 0 ? [] : [finding('HISTORY_TOO_LONG', {}, remaining, FILES)]
  const writer = new HistoryWriter()
  for (const name of seen) findings.push(...(await readReport(folder, name, writer, io)))
  return writer.history(findings)
}

/** The candidates for reports, sorted by name, because names with a date sort by time. */
async function filesIn(folder: string, cwd: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(error => {
    throw wrongInput(`${folder} cannot be read: ${systemReason(error)}`)
  })
  return entries
    .filter(entry => entry.isFile() && /\.jsonl?$/i.test(entry.name))
    .map(({ name }) => name)
    .sort(byCodeUnit)
}

/** Reads one file; returns a finding if it is omitted. */
async function readReport(
  folder: string,
  name: string,
  writer: HistoryWriter,
  io: Io
): Promise<Finding[]> {
  try {
    const file = join(folder, name)
    const text = await readInput(file, io.cwd, fileLimits.record, planForm.limit)
    await checkpoint(io)
    await take(text, name, writer, io)
    return []
  } catch (error) {
    if (io.interrupted.aborted) throw error
    return [finding('HISTORY_LEFT_OUT', {}, name, reasonOf(error).replace(`${name}: `, ''))]
  }
}

async function take(text: string, name: string, writer: HistoryWriter, io: Io): Promise<void> {
  if (isRecord(text)) {
    const runs = await parseRecordSlowly(text, name, () => checkpoint(io))
    for (const { started, changes } of runs) {
      writer.outcomes(outcomesPoint(name, started, tally(changes.map(({ outcome }) => outcome))))
    }
    return
  }
  const { form, value } = parseSaved(text, name, planForm, outcomesForm)
  if (form === planForm) writer.plan(name, intactPlan(value, name))
  else {
    const { created, outcomes } = value as OutcomesData
    writer.outcomes(outcomesPoint(name, created, tally(outcomes)))
  }
}
