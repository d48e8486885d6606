import { type Command, InvalidArgumentError, Option } from 'commander'
import { openWriter, type Writer } from '../api/client.ts'
import { apply as applyChanges } from '../apply/apply.ts'
import type { PlannedChange } from '../apply/change.ts'
import { clockUntil } from '../apply/clock.ts'
import type { Desired } from '../model/desired.ts'
import { type ExitCode, exit, Failure, worst } from '../model/failure.ts'
import { count } from '../model/identity.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value } from '../model/value.ts'
import { overLimits } from '../plan/limits.ts'
import { shownPlace } from '../report/text-findings.ts'
import { confirm } from './confirm.ts'
import { connectionOf } from './connection.ts'
import { derive, desire, planExit } from './derive.ts'
import { checkTarget } from './files.ts'
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
  for (const { file } of options.report) await checkTarget(file, io.cwd)
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

/**
 * A plan may leave a secret open; what is written must be known. What the WLANs lack that the run
 * leaves out does not matter.
 */
function refuseUnresolved({ sites, findings }: Desired): void {
  const lacking = sites
    .flatMap(({ wlans }) => wlans)
    .filter(({ leftOut, fields }) => leftOut === undefined && lacksSecret(fields))
  if (lacking[0] === undefined) return
  const others = lacking.length === 1 ? '' : ` and ${count(lacking.length - 1, 'other')}`
  const reasons = findings
    .filter(({ code }) => code === 'SECRET_UNRESOLVED')
    .map(({ place, message }) => (place ? `${shownPlace(place)}: ${message}` : message))
  const more = reasons.length > 3 ? `; and ${reasons.length - 3} more` : ''
  throw new Failure(
    exit.wrongInput,
    `no secret is at hand for ${lacking[0].address}${others}; nothing was sent`,
    reasons.slice(0, 3).join('; ') + more
  )
}

function lacksSecret(value: Value): boolean {
  if (value instanceof Secret) return !value.known
  if (isList(value)) return value.some(lacksSecret)
  return isObject(value) && Object.values(value).some(lacksSecret)
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
