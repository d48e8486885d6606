import { type Command, Option } from 'commander'
import { openReader, type Reader } from '../../api/client.ts'
import type { Desired } from '../../model/desired.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { planForm } from '../../plan/file.ts'
import { datePlan, type Evidence, evidenceOf } from '../../plan/since.ts'
import { snapshotForm } from '../../plan/snapshot.ts'
import { loadAndOpen, makePlan } from '../../workflow/make-plan.ts'
import { planExit } from '../exit-codes.ts'
import { readSaved } from '../files/saved-files.ts'
import type { Io } from '../io.ts'
import {
  addContinueOption,
  addExample,
  addPlanningOptions,
  type PlanningOptions
} from '../options.ts'
import { writeReport } from '../output.ts'
import type { Context } from '../program.ts'
import { printRequestSummary } from '../request-summary.ts'

interface Options extends PlanningOptions {
  readonly since?: string
}

export function define(command: Command, { io, ends }: Context): void {
  addContinueOption(addPlanningOptions(command))
    .addOption(
      new Option('--since <file>', 'an earlier report (JSON) or snapshot: tells since when')
    )
    .action(ends((fleet: string, options: Options) => drift(fleet, { ...options, fleet }, io)))
  addExample(command, 'wlanctl drift examples/quickstart')
}

/** Compares live with declared; exit 2 says that somebody should look. */
async function drift(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const opening = { open: openReader, signal: io.interrupted }
  const { desired, service: reader } = await loadAndOpen(fleet, options, io, opening)
  try {
    const evidence = await evidenceIn(options.since, desired, reader, io)
    const { plan, verdicts } = await makePlan(desired, reader, options, io)
    const dated = evidence === undefined ? plan : datePlan(plan, evidence)
    await writeReport({ kind: 'drift', plan: dated, verdicts }, options, io)
    await printRequestSummary(plan.summary, options, io, reader)
    return planExit(dated, exit.changes)
  } finally {
    await reader.close()
  }
}

/** It is read before anything is written: the report may go to the same file. */
async function evidenceIn(
  file: string | undefined,
  desired: Desired,
  { baseUrl }: Pick<Reader, 'baseUrl'>,
  io: Io
): Promise<Evidence | undefined> {
  if (file === undefined) return undefined
  return evidenceOf(await readSaved(file, io, planForm, snapshotForm), file, { desired, baseUrl })
}
