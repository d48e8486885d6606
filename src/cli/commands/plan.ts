import { type Command, Option } from 'commander'
import { openReader, type Reader } from '../../api/client.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { escapeJson } from '../../report/escape.ts'
import { loadAndOpen, makePlan, type PlanResult } from '../../workflow/make-plan.ts'
import { planExit } from '../exit-codes.ts'
import { writeFileAtomic } from '../files/files.ts'
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
  readonly out?: string
  readonly against?: string
  readonly detailedExitcode?: true
}

export function define(command: Command, { io, ends }: Context): void {
  addContinueOption(addPlanningOptions(command))
    .addOption(new Option('--out <file>', 'save the plan, for review and approval'))
    .addOption(
      new Option(
        '--against <file>',
        'plan on this snapshot; needs no network, token or secret'
      ).conflicts('continue')
    )
    .addOption(new Option('--detailed-exitcode', 'exit 2 when there are changes'))
    .action(ends((fleet: string, options: Options) => plan(fleet, { ...options, fleet }, io)))
  addExample(command, 'wlanctl plan examples/quickstart --out plan.json')
}

/**
 * The program in one sentence: what the YAML wants (config), what the service has (api), what would
 * mend the difference (plan), told to whoever asks (report). `apply` goes on from the same plan;
 * `drift` reads the same difference the other way round.
 */
async function plan(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  if (options.against !== undefined) {
    const { planAgainst } = await import('../../workflow/plan-against.ts')
    return show(await planAgainst(options.against, fleet, options, io), options, io)
  }
  const opening = { open: openReader, signal: io.interrupted }
  const { desired, service: reader } = await loadAndOpen(fleet, options, io, opening)
  try {
    return await show(await makePlan(desired, reader, options, io), options, io, reader)
  } finally {
    await reader.close()
  }
}

async function show(
  { plan, verdicts }: Pick<PlanResult, 'plan' | 'verdicts'>,
  options: Options,
  io: Io,
  reader?: Reader
): Promise<ExitCode> {
  if (options.out !== undefined) {
    const { formatPlan } = await import('../../plan/file.ts')
    // A saved plan may end in a log as it is.
    await writeFileAtomic(options.out, escapeJson(formatPlan(plan)), io.cwd)
  }
  await writeReport({ kind: 'plan', plan, verdicts }, options, io)
  await printRequestSummary(plan.summary, options, io, reader)
  return planExit(plan, options.detailedExitcode ? exit.changes : exit.done)
}
