import { type Command, InvalidArgumentError, Option } from 'commander'
import { openWriter, type Writer } from '../api/client.ts'
import { clockUntil } from '../api/clock.ts'
import { apply as applyChanges } from '../apply/apply.ts'
import type { PlannedChange } from '../apply/change.ts'
import { type ExitCode, exit, worst } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import { confirm } from './confirm.ts'
import { connectionOf } from './connection.ts'
import { derive, desire, planExit } from './derive.ts'
import { checkTarget } from './files.ts'
import type { Io } from './io.ts'
import { addExample, addPlanningOptions, type PlanningOptions, whole } from './options.ts'
import { tell, tellAside } from './output.ts'
import type { Context } from './program.ts'
import { startProgress } from './progress.ts'
import { refuseForbidden, refuseUnresolved, requireTerminal } from './refuse.ts'

interface Options extends PlanningOptions {
  readonly yes?: true
  readonly maxChanges?: number | 'all'
  readonly failFast?: true
  /** Seconds. */
  readonly verifyTimeout: number
}

export function define(command: Command, { io, ends }: Context): void {
  addPlanningOptions(command)
    .addOption(new Option('--yes', 'do not ask; needed where there is no terminal'))
    .addOption(
      new Option('--max-changes <n|all>', 'the most WLANs to change').argParser(numberOrAll)
    )
    .addOption(new Option('--fail-fast', 'start nothing new after the first failure'))
    .addOption(
      new Option('--verify-timeout <seconds>', 'how long reading back may go on')
        .argParser(whole(0, 3600))
        .default(30)
    )
    .action(ends((fleet: string, options: Options) => apply(fleet, options, io)))
  addExample(command, 'wlanctl apply examples/quickstart --yes')
}

/** Derives the plan, gets it approved, executes it, and tells what became of each change. */
async function apply(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  if (!options.yes) requireTerminal(io)
  for (const { file } of options.report) await checkTarget(file, io.cwd)
  const desired = await desire(fleet, options, io)
  refuseUnresolved(desired)
  const writer = openWriter(await connectionOf(options, io, io.cut))
  try {
    const { plan, changes } = await derive(desired, writer, options, io)
    await showPlan(plan, options, io)
    refuseForbidden(plan, desired.policy, options.maxChanges)
    if (changes.length > 0 && !options.yes) await confirm(plan, io)
    const outcomes = await execute(changes, writer, options, io)
    await tell({ kind: 'outcomes', plan, outcomes }, options, io)
    return applyExit(plan, outcomes, io)
  } finally {
    await writer.close()
  }
}

/** Whoever is asked sees the plan; `--quiet` leaves what is wrong with it. */
async function showPlan(plan: Plan, options: Options, io: Io): Promise<void> {
  const { findings } = plan
  if (!options.quiet || !options.yes) await tellAside({ kind: 'plan', plan }, options, io)
  else if (findings.length > 0) await tellAside({ kind: 'findings', findings }, options, io)
}

async function execute(
  changes: readonly PlannedChange[],
  writer: Writer,
  options: Options,
  io: Io
): Promise<Outcome[]> {
  const progress = startProgress('applying', changes.length, options, io)
  return applyChanges(changes, {
    writer,
    clock: clockUntil(io.cut),
    verifyTimeout: options.verifyTimeout * 1000,
    maxAttempts: options.maxAttempts,
    random: Math.random,
    parallelism: options.parallelism,
    failFast: options.failFast === true,
    interrupted: io.interrupted,
    onOutcome: ({ address, status }) => progress.step(`${address}: ${status}`)
  }).finally(progress.end)
}

function applyExit(plan: Plan, outcomes: readonly Outcome[], io: Io): ExitCode {
  const fine = outcomes.every(({ status }) => status === 'applied' || status === 'unchanged')
  return worst(
    planExit(plan, exit.done),
    fine ? exit.done : exit.incomplete,
    io.interrupted.aborted ? exit.interrupted : exit.done
  )
}

function numberOrAll(text: string): number | 'all' {
  if (text === 'all') return 'all'
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, or `all`.')
}
