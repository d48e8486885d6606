import { type Command, Option } from 'commander'
import type { Writer } from '../api/client.ts'
import { clockUntil } from '../api/clock.ts'
import { type ApplyResult, applyChanges as applyWaves } from '../apply/apply.ts'
import type { Recorder } from '../apply/record/recorder.ts'
import { TimelineRecorder } from '../apply/record/timeline.ts'
import { confirm, toSend } from '../cli/confirm.ts'
import { outcomesExit } from '../cli/exit-codes.ts'
import { checkTarget } from '../cli/files/files.ts'
import type { Io } from '../cli/io.ts'
import {
  integerBetween,
  numberOrAll,
  type ReportOptions,
  type ServiceOptions
} from '../cli/options.ts'
import { tellOutcomes, writeReportToStderr } from '../cli/output.ts'
import { type Progress, startProgress } from '../cli/progress.ts'
import { printChangeEstimate, printRequestSummary } from '../cli/request-summary.ts'
import { byCodeUnit } from '../model/collections.ts'
import type { Policy } from '../model/desired.ts'
import { type ExitCode, exit, worst } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan, PlannedChange, WlanPlan } from '../model/plan.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { escapeText } from '../report/escape.ts'
import { startRecording } from './recording.ts'
import { type Allowances, refuseForbidden, requireTerminal } from './refusals.ts'
import { noHooks, type RolloutHooks } from './rollout.ts'

/** How a plan is approved and carried out; none of it from the environment. */
export interface ExecuteOptions extends ServiceOptions, ReportOptions, Allowances {
  readonly yes?: true
  readonly failFast?: true
  /** Seconds. */
  readonly verifyTimeout: number
  readonly record?: string
}

export function addExecuteOptions(command: Command): Command {
  return command
    .addOption(new Option('--yes', 'do not ask; needed where there is no terminal'))
    .addOption(
      new Option('--max-changes <n|all>', 'the most WLANs to change').argParser(numberOrAll)
    )
    .addOption(new Option('--allow-downgrade', 'let WLANs get less safe'))
    .addOption(
      new Option('--max-impact <impact>', 'the most that may be done to clients').choices([
        'none',
        'reconnect',
        'outage'
      ])
    )
    .addOption(new Option('--fail-fast', 'start nothing new after the first failure'))
    .addOption(
      new Option('--verify-timeout <seconds>', 'how long reading back may go on')
        .argParser(integerBetween(0, 3600))
        .default(30)
    )
    .addOption(new Option('--record <file>', 'append each step to a file, for `show` and `revert`'))
}

/** Throws, before anything is asked of the service, if nobody could approve or a file not be written. */
export async function checkPreconditions(options: ExecuteOptions, io: Io): Promise<void> {
  if (!options.yes) requireTerminal(io)
  await checkFiles(options, io)
}

/** Throws, before anything is asked of the service, if a file of the run could not be written. */
export async function checkFiles(options: ExecuteOptions, io: Io): Promise<void> {
  const files = options.report.map(({ file }) => file)
  for (const file of [...files, ...(options.record === undefined ? [] : [options.record])]) {
    await checkTarget(file, io.cwd)
  }
}

/** Whoever is asked sees the plan; `--quiet` leaves what is wrong with it. */
export async function showPlan(plan: Plan, options: ExecuteOptions, io: Io): Promise<void> {
  const { findings } = plan
  if (!options.quiet || !options.yes) await writeReportToStderr({ kind: 'plan', plan }, options, io)
  else if (findings.length > 0)
    await writeReportToStderr({ kind: 'findings', findings }, options, io)
}

/** A plan, and what of it is to be done. */
export interface ExecutePlanInput {
  readonly command: 'apply' | 'revert'
  readonly plan: Plan
  /** What was planned of each declared WLAN, for the report. */
  readonly verdicts: readonly WlanPlan[]
  readonly changes: readonly PlannedChange[]
  /** All of the changes in their waves; absent where they are one. */
  readonly waves?: readonly PlannedWave[]
  readonly gates?: RolloutHooks
  /** Outcomes of what is not to be done, or beside it. */
  readonly decided: readonly Outcome[]
  readonly policy: Policy
  /** How many WLANs the limits of the policy are about, where it is not those of the plan. */
  readonly declared?: number
  /** What is to be said of an outcome beside what became of it. */
  readonly remark?: (outcome: Outcome) => Outcome
}

/** Gets a plan that was shown approved, executes it, and tells what became of each change. */
export async function executePlan(
  work: ExecutePlanInput,
  writer: Writer,
  options: ExecuteOptions,
  io: Io
): Promise<ExitCode> {
  const { command, plan, verdicts, changes, decided, policy, remark = outcome => outcome } = work
  const { declared: wlans = plan.summary.wlans } = work
  refuseForbidden({ ...plan, summary: { ...plan.summary, wlans } }, changes, policy, options)
  await printChangeEstimate(changes.length, options, io, writer)
  if (changes.length > 0 && !options.yes) {
    const busy = work.waves?.filter(wave => wave.changes.length > 0) ?? []
    await confirm(toSend(command, changes.length, busy.length), io)
  }
  const recording = await startRecording(work, writer, options, io)
  try {
    const chronicle = new TimelineRecorder(recording.recorder, io.now)
    const { failedWave, observerError, ...applied } = await execute(
      work,
      writer,
      chronicle,
      options,
      io
    )
    const executed = applied.outcomes.map(remark)
    await recording.end(executed)
    const outcomes = [...executed, ...decided].sort((a, b) => byCodeUnit(a.address, b.address))
    const failed = failedWave === undefined ? {} : { failedWave }
    const { moments } = chronicle
    const told = { command, plan, verdicts, outcomes, moments, ...failed }
    const report = { kind: 'outcomes', ...told } as const
    const telling = await tellOutcomes(report, options, io)
    const skipped = executed.filter(({ status }) => status === 'skipped').length
    const rest = restOf(command, plan)
    const undone = { ...plan.summary, changes: changes.length, skipped, rest }
    const { requests, end } = writer
    const ended = { requests, end, observerError: writer.observerError ?? observerError }
    await printRequestSummary(undone, options, io, ended)
    return worst(
      outcomesExit(report),
      telling,
      recording.recorder.failure ? exit.failed : exit.done,
      io.interrupted.aborted ? exit.interrupted : exit.done
    )
  } finally {
    await recording.close()
  }
}

/** How another run does what this one left: what was not read takes as many requests again. */
function restOf(
  command: ExecutePlanInput['command'],
  { summary }: Plan
): 'by shards' | 'in parts' | 'again' {
  if (command === 'revert') return 'in parts'
  return summary.sites_failed === 0 ? 'again' : 'by shards'
}

async function execute(
  { changes, waves = [{ sites: [], changes }], gates = noHooks }: ExecutePlanInput,
  writer: Writer,
  recorder: Recorder,
  options: ExecuteOptions,
  io: Io
): Promise<ApplyResult> {
  let progress: Progress | undefined
  return applyWaves(waves, {
    ...gates,
    writer,
    clock: clockUntil(io.cut),
    verifyTimeout: options.verifyTimeout * 1000,
    maxAttempts: options.maxAttempts,
    random: Math.random,
    parallelism: options.parallelism,
    failFast: options.failFast === true,
    interrupted: io.interrupted,
    recorder,
    onWave: ({ name = '', changes }) => {
      const doing = `applying ${escapeText(name)}`.trimEnd()
      progress = startProgress({ doing, total: changes.length, reader: writer }, options, io)
      return progress.end
    },
    onOutcome: ({ address, status }) => progress?.step(`${address}: ${status}`, { [status]: 1 })
  })
}
