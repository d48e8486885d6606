import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type ExitCode, exit, Failure, reasonOf } from '../model/failure.ts'
import { parsePlan } from '../plan/file.ts'
import type { Io } from './io.ts'
import { addExample, addReportOptions, type ReportOptions } from './options.ts'
import { tell } from './output.ts'
import type { Context } from './program.ts'

export function define(command: Command, { io, ends }: Context): void {
  addReportOptions(command.argument('<file>', 'a plan saved by `wlanctl plan --out`')).action(
    ends((file: string, options: ReportOptions) => show(file, options, io))
  )
  addExample(command, 'wlanctl plan examples/quickstart --out plan.json', 'wlanctl show plan.json')
}

/** Tells a saved plan in any format; a damaged one is an error, not a guess. */
async function show(file: string, options: ReportOptions, io: Io): Promise<ExitCode> {
  const text = await readFile(resolve(io.cwd, file), 'utf8').catch(error => {
    throw new Failure(exit.wrongInput, `${file} cannot be read: ${reasonOf(error)}`)
  })
  await tell({ kind: 'plan', plan: parsePlan(text, file) }, options, io)
  return exit.done
}
