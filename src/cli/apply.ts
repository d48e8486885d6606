import { type Command, InvalidArgumentError, Option } from 'commander'
import { openWriter, type Writer } from '../api/client.ts'
import { apply as applyChanges } from '../apply/apply.ts'
import type { PlannedChange } from '../apply/change.ts'
import { clockUntil } from '../apply/clock.ts'
import type { Desired } from '../model/desired.ts'
import { type ExitCode, exit, Failure, worst } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import { overLimits } from '../plan/limits.ts'
import { confirm } from './confirm.ts'
import { connectionOf } from './connection.ts'
import { derive, desire, planExit } from './derive.ts'
import type { Io } from './io.ts'
import { addExample, addPlanningOptions, type PlanningOptions, whole } from './options.ts'
import { tell, tellAside } from './output.ts'
import type { Context } from './program.ts'
import { startProgress } from './progress.ts'

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
  const desired = await desire(fleet, options, io)
  refuseUnresolved(desired)
  const writer = openWriter(await connectionOf(options, io, io.cut))
  try {
    const { plan, changes } = await derive(desired, writer, options, io)
    if (!options.quiet) await tellAside({ kind: 'plan', plan }, options, io)
    refuseForbidden(plan, desired, options)
    if (changes.length > 0 && !options.yes) await confirm(plan, io)
    const outcomes = await execute(changes, writer, options, io)
    await tell({ kind: 'outcomes', plan, outcomes }, options, io)
    return applyExit(plan, outcomes, io)
  } finally {
    await writer.close()
  }
}

function requireTerminal(io: Io): void {
  if (io.stdin.isTTY && io.stderr.isTTY) return
  throw new Failure(
    exit.wrongInput,
    'there is no terminal to ask on; nothing was sent',
    'give --yes to apply without being asked'
  )
}

/** A plan may leave a secret open; what is written must be known. */
function refuseUnresolved({ findings }: Desired): void {
  const open = findings.filter(({ code }) => code === 'SECRET_UNRESOLVED')
  if (open[0] === undefined) return
  const others = open.length === 1 ? '' : ` (and ${open.length - 1} more)`
  throw new Failure(
    exit.wrongInput,
    `${open[0].message}${others}; nothing was sent`,
    open[0].hint ?? 'apply needs every secret that the files refer to'
  )
}

function refuseForbidden({ summary, findings }: Plan, desired: Desired, options: Options): void {
  const unmanaged = findings.find(({ code }) => code === 'UNMANAGED')
  const refusal = overLimits(summary, desired.policy, options.maxChanges)[0] ?? unmanaged
  if (refusal === undefined) return
  throw new Failure(exit.refused, `refused: ${refusal.message}; nothing was sent`, refusal.hint)
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
    parallelism: options.parallelism,
    failFast: options.failFast === true,
    interrupted: io.interrupted,
    onOutcome: () => progress.step()
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
