import type { Command } from 'commander'
import { isRecord, parseRecord } from '../apply/record/read.ts'
import { type ExitCode, exit } from '../model/failure.ts'
import { parsePlan } from '../plan/file.ts'
import type { Report } from '../report/report.ts'
import { readInput } from './files.ts'
import type { Io } from './io.ts'
import { addExample, addReportOptions, type ReportOptions } from './options.ts'
import { tell } from './output.ts'
import type { Context } from './program.ts'

export function define(command: Command, { io, ends }: Context): void {
  addReportOptions(
    command.argument('<file>', 'what `plan --out` saved, or what `apply --record` recorded')
  ).action(ends((file: string, options: ReportOptions) => show(file, options, io)))
  addExample(command, 'wlanctl plan examples/quickstart --out plan.json', 'wlanctl show plan.json')
}

/** Tells a saved plan or a record in any format; a damaged one is an error, not a guess. */
async function show(file: string, options: ReportOptions, io: Io): Promise<ExitCode> {
  const text = await readInput(file, io.cwd)
  const report: Report = isRecord(text)
    ? { kind: 'record', runs: parseRecord(text, file) }
    : { kind: 'plan', plan: parsePlan(text, file) }
  await tell(report, options, io)
  return exit.done
}
