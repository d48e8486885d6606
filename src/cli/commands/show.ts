import { type Command, Option } from 'commander'
import { isRecord, parseRecordSlowly } from '../../apply/record/read.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import { fileLimits } from '../../model/file-limits.ts'
import { parsePlan, planForm } from '../../plan/saved-plan.ts'
import { escapeText } from '../../report/escape.ts'
import { readInput } from '../files/files.ts'
import { checkpoint } from '../files/saved-files.ts'
import { type Io, writeLine } from '../io.ts'
import { addExample, addReportOptions, type ReportOptions } from '../options.ts'
import { writeReport } from '../output.ts'
import type { Context } from '../program.ts'

type Options = ReportOptions & { readonly history?: string }

export function define(command: Command, { io, ends }: Context): void {
  addReportOptions(
    command.argument('[file]', 'what `plan --out` saved, or what `apply --record` recorded')
  )
    .addOption(new Option('--history <dir>', 'the reports (JSON) in a folder, over time'))
    .action(ends((file: string | undefined, options: Options) => showOne(file, options, io)))
  addExample(command, 'wlanctl plan examples/quickstart --out plan.json', 'wlanctl show plan.json')
}

async function showOne(file: string | undefined, options: Options, io: Io): Promise<ExitCode> {
  const { history } = options
  if (file !== undefined && history === undefined) return show(file, options, io)
  if (file === undefined && history !== undefined) {
    const { showHistory } = await import('./history.ts')
    return showHistory(history, options, io)
  }
  const problem = file === undefined ? 'there is nothing to show' : 'a file or a folder, not both'
  throw new Failure(exit.wrongInput, problem, 'give a file, or --history with a folder')
}

/** What a file alone says: all else that is shown follows from its operations. */
const UNPROVEN = {
  plan: 'names, places, owners, findings and the number of unchanged WLANs are as the file says',
  record: 'names, times and outcomes are as the file says'
}

/** Tells a saved plan or a record in any format; a damaged one is an error, not a guess. */
async function show(file: string, options: ReportOptions, io: Io): Promise<ExitCode> {
  const text = await readInput(file, io.cwd, fileLimits.record, planForm.limit)
  await checkpoint(io)
  const report = isRecord(text)
    ? ({ kind: 'record', runs: await parseRecordSlowly(text, file, () => checkpoint(io)) } as const)
    : ({ kind: 'plan', plan: parsePlan(text, file) } as const)
  await checkpoint(io)
  if (!options.quiet) await writeLine(io, `wlanctl: ${escapeText(file)}: ${UNPROVEN[report.kind]}`)
  await writeReport(report, options, io)
  return exit.done
}
