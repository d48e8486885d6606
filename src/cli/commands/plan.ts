import { Option } from 'commander'
import type { ExitCode } from '../../core/model/failure.ts'
import type { Plan } from '../../core/model/plan.ts'
import { plannedExit } from '../../core/plan/exit-codes.ts'
import { compact } from '../../core/values/collections.ts'
import type { NextStep } from '../../report/report.ts'
import { makePlan, makePlanAgainst, type PlanResult } from '../../run/make-plan.ts'
import type { Reader } from '../../service/client.ts'
import type { CommandRow } from '../command.ts'
import { withReader } from '../connect.ts'
import { loadRotated } from '../load-desired.ts'
import { parseInstant } from '../option-values.ts'
import { fleetArgument, groups, optionSets, type PlanningOptions, under } from '../options.ts'
import { savePlan, writeReport } from '../output.ts'
import { secretSourceOf } from '../secret-source.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection, stepWhenUnread } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options extends PlanningOptions {
  readonly out?: string
  readonly against?: string
  readonly at?: Date
  readonly detailedExitcode?: true
}

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.planning,
    under(
      groups.selection,
      new Option(
        '--against <state>',
        'plan against a snapshot: its file or its folder; needs no network, token or secret'
      ),
      new Option(
        '--at <time>',
        'plan for another time, e.g. 2026-12-04T18:00+01:00: the windows and freezes of that time apply'
      ).argParser(parseInstant)
    ),
    under(
      groups.output,
      new Option('--out <file>', 'save the plan, for review and approval'),
      new Option(
        '--detailed-exitcode',
        'exit 2 when there are changes; with or without it 4 when `apply` would refuse the plan'
      )
    )
  ],
  examples: ['wlanctl plan examples/quickstart --out plan.json'],
  run: ({ io }, fleet: string, options: Options) => plan(fleet, { ...options, fleet }, io)
}

async function plan(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const { against } = options
  const run = runContext(options, io)
  if (against !== undefined) {
    // Read before the files are loaded, because its errors are about the command line.
    const { readState } = await import('../files/states.ts')
    const snapshot = await readState(against, io)
    const desired = await loadRotated(fleet, options, io)
    return show(await makePlanAgainst(desired, snapshot, run), options, io)
  }
  const desired = await loadRotated(fleet, options, io, secretSourceOf(options, io))
  return withReader(options, io, desired, async reader => {
    const { narrow, planned, allowing: command } = io.ci ?? {}
    const request = { ...options, ...compact({ narrow }), allowances: compact({ command }) }
    const made = await makePlan(desired, reader, request, run)
    planned?.(made)
    return show(made, options, io, reader)
  })
}

async function show(
  { plan, planned, groups, lint }: Pick<PlanResult, 'plan' | 'planned' | 'groups' | 'lint'>,
  options: Options,
  io: Io,
  reader?: Reader
): Promise<ExitCode> {
  if (options.out !== undefined) {
    await savePlan(options.out, plan, options, io)
  }
  const next = stepsAfter(plan, options)
  await writeReport({ kind: 'plan', plan, planned, groups, ...lint }, options, io, { next })
  await printRequestSummary(plan.summary, options, io, reader)
  await printNextSteps(next, options, io)
  return plannedExit(plan, options.detailedExitcode === true, lint.secretFindings)
}

function stepsAfter(plan: Plan, options: Options): NextStep[] {
  const { against, at, out } = options
  const unread = stepWhenUnread(plan.summary, options)
  if (unread !== undefined) return [unread]
  if (plan.changes.length === 0 || plan.refusals !== undefined) return []
  if (at !== undefined) {
    return [[sameSelection('plan', options), 'plans for now, as `apply` would']]
  }
  if (against !== undefined) {
    return [[sameSelection('plan', options), 'compares with the live networks of now']]
  }
  const approved = out === undefined ? [] : ['--plan', out]
  return [[sameSelection('apply', options, ...approved), 'makes these changes']]
}
