import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isRecord, parseRecordSlowly } from '../../apply/record/read.ts'
import { byCodeUnit } from '../../model/collections.ts'
import { type ExitCode, exit, Failure, reasonOf } from '../../model/failure.ts'
import { fileLimits } from '../../model/file-limits.ts'
import { type Finding, finding } from '../../model/finding.ts'
import type { History } from '../../model/history.ts'
import { type OutcomesData, tally } from '../../model/outcome.ts'
import { intactPlan, planForm } from '../../plan/file.ts'
import { HistoryWriter, outcomesPoint } from '../../plan/history.ts'
import { outcomesForm } from '../../plan/merge/outcomes.ts'
import { parseSaved } from '../../plan/saved.ts'
import { historyFormats, isHistoryFormat } from '../../report/history/formats.ts'
import type { FormatName } from '../../report/names.ts'
import type { RenderOptions } from '../../report/report.ts'
import { readInput, writeFileAtomic } from '../files/files.ts'
import { checkpoint } from '../files/saved-files.ts'
import { type Io, write } from '../io.ts'
import type { ReportOptions } from '../options.ts'
import { inFile, renderOptionsFor } from '../output.ts'

/** So many files are looked at: of daily reports, those of two years and more. */
const FILES = 1000

/**
 * Tells what the reports in a folder tell together. A file that is no report of ours, or damaged, is left
 * out, and that is said; a folder without any is an error (exit 3).
 */
export async function showHistory(
  folder: string,
  options: ReportOptions,
  io: Io
): Promise<ExitCode> {
  const forms = [options.format, ...options.report.map(({ format }) => format)]
  for (const form of forms) checkFormat(form)
  const history = await readHistory(folder, io)
  if (history.points.length === 0) {
    const said = history.findings.map(({ message }) => message)[0]
    throw new Failure(
      exit.wrongInput,
      `${folder} holds no report that could be read${said === undefined ? '' : `; ${said}`}`,
      'keep some there: `wlanctl drift --report json=FILE`'
    )
  }
  for (const { format, file } of options.report) {
    await writeFileAtomic(file, tellIn(format, history, inFile), io.cwd)
  }
  await write(io, tellIn(options.format, history, renderOptionsFor(io.stdout, options, io)))
  return exit.done
}

function checkFormat(format: FormatName): void {
  if (isHistoryFormat(format)) return
  const names = Object.keys(historyFormats).join(', ')
  throw new Failure(exit.wrongInput, `a history is not told as ${format}`, `there are: ${names}`)
}

function tellIn(format: FormatName, history: History, manner: RenderOptions): string {
  return isHistoryFormat(format) ? historyFormats[format](history, manner) : ''
}

async function readHistory(folder: string, io: Io): Promise<History> {
  const names = await filesIn(folder, io.cwd)
  const seen = names.slice(-FILES)
  const left = names.length - seen.length
  const findings = left === 0 ? [] : [finding('HISTORY_TOO_LONG', {}, left, FILES)]
  const writer = new HistoryWriter()
  for (const name of seen) findings.push(...(await readReport(folder, name, writer, io)))
  return writer.history(findings)
}

/** The files that may be reports, by name, as reports with a date in it sort by time. */
async function filesIn(folder: string, cwd: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(error => {
    throw new Failure(exit.wrongInput, `${folder} cannot be read: ${reasonOf(error)}`)
  })
  return entries
    .filter(entry => entry.isFile() && /\.jsonl?$/i.test(entry.name))
    .map(({ name }) => name)
    .sort(byCodeUnit)
}

/** Reads one file; gives what is to be said of one that is left out. */
async function readReport(
  folder: string,
  name: string,
  writer: HistoryWriter,
  io: Io
): Promise<Finding[]> {
  try {
    const file = join(folder, name)
    const { mtime } = await lstat(resolve(io.cwd, file))
    const text = await readInput(file, io.cwd, fileLimits.record, planForm.limit)
    await checkpoint(io)
    await take(text, name, mtime, writer, io)
    return []
  } catch (error) {
    if (io.interrupted.aborted) throw error
    return [finding('HISTORY_LEFT_OUT', {}, name, reasonOf(error).replace(`${name}: `, ''))]
  }
}

/** Outcomes do not say when they were: the file does. */
async function take(
  text: string,
  name: string,
  modified: Date,
  writer: HistoryWriter,
  io: Io
): Promise<void> {
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
    writer.outcomes(outcomesPoint(name, created ?? modified.toISOString(), tally(outcomes)))
  }
}
