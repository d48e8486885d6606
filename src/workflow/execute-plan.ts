import type { Writer } from '../api/client.ts'
import { clockUntil } from '../api/clock.ts'
import { type ApplyOptions, applyChanges } from '../apply/apply.ts'
import { protectedOutcomes } from '../apply/outcome.ts'
import { TimelineRecorder } from '../apply/record/recorder.ts'
import { startRecording } from '../apply/record/recording.ts'
import { byCodeUnit, compact } from '../model/collections.ts'
import type { Desired } from '../model/desired.ts'
import { type ExitCode, exit, worst } from '../model/failure.ts'
import type { Outcome, Status } from '../model/outcome.ts'
import { clientsReached } from '../plan/clients.ts'
import { outcomesExit } from '../plan/exit-codes.ts'
import type { Allowances } from '../plan/limits.ts'
import { escapeText } from '../report/escape.ts'
import type { OutcomesReport } from '../report/report.ts'
import { deferralOf } from '../time/plan-times.ts'
import { confirmChanges, type LimitedChanges, refuseForbidden } from './approve.ts'
import type { Progress, WorkflowHost } from './host.ts'
import type { PlanResult } from './make-plan.ts'
import { noHooks, type Rollout, type RolloutHooks } from './rollout.ts'

/** Checks the limits, asks for confirmation, executes the plan and reports the outcome of each change. */
export async function executePlan(
  input: ExecutePlanInput,
  writer: Writer,
  options: ExecuteOptions,
  host: WorkflowHost
): Promise<ExitCode> {
  const { command, changes, waves = [{ sites: [], changes }], hooks = noHooks, guards } = input
  refuseForbidden(input, options)
  await host.printChangeEstimate(changes.length, writer)
  if (changes.length > 0 && !options.yes) await confirmChanges(command, changes, waves, host)
  const run = { command, base_url: writer.baseUrl, digest: input.plan.digest }
  const recording = await startRecording(options.record, changes, run, host)
  try {
    if (guards?.confirm !== undefined) host.keepRequests()
    const recorder = new TimelineRecorder(recording.recorder, host.now)
    const deferral = await deferralOf(input.calendar, options, host.now)
    const { outcomes, failedWave, observerError } = await applyChanges(waves, {
      ...applyOptions(options, writer, host),
      failFast: input.policy.rollout.failFast,
      ...hooks,
      ...compact({ deferral, guards }),
      recorder
    })
    const executed = outcomes.map(input.annotate ?? (outcome => outcome))
    await recording.end(executed)
    const report = outcomesReport(input, executed, failedWave, recorder)
    const written = await host.writeOutcomes(report)
    await printRemaining(input, executed, writer, observerError, host)
    return worst(
      outcomesExit(report),
      written,
      recording.recorder.failure ? exit.failed : exit.done,
      host.interrupted.aborted ? exit.interrupted : exit.done
    )
  } finally {
    await recording.close()
  }
}

/** The options of an execution. */
export interface ExecuteOptions extends Allowances {
  /** Executes without confirmation. */
  readonly yes?: true
  /** In seconds. */
  readonly verifyTimeout: number
  /** Sends changes outside of their windows and during a freeze. */
  readonly ignoreWindows?: true
  /** The record to append to. */
  readonly record?: string
  /** The number of sites that are changed at the same time. */
  readonly parallelism: number
  readonly maxAttempts: number
}

/** A plan, its changes to execute, and their rollout; by default there is a single wave without guards. */
export interface ExecutePlanInput
  extends LimitedChanges,
    Partial<Rollout>,
    Pick<PlanResult, 'verdicts'>,
    Pick<Desired, 'calendar'> {
  readonly command: 'apply' | 'revert'
  /** Adds details to an outcome for the report. */
  readonly annotate?: (outcome: Outcome) => Outcome
}

function applyOptions(
  { verifyTimeout, maxAttempts, parallelism }: ExecuteOptions,
  writer: Writer,
  host: WorkflowHost
): Omit<ApplyOptions, 'recorder' | 'failFast' | keyof RolloutHooks> {
  let progress: Progress | undefined
  return {
    writer,
    clock: clockUntil(host.abortSignal),
    verifyTimeout: verifyTimeout * 1000,
    maxAttempts,
    random: Math.random,
    parallelism,
    interrupted: host.interrupted,
    onWave: ({ name = '', changes }) => {
      const doing = `applying ${escapeText(name)}`.trimEnd()
      progress = host.startProgress({ doing, total: changes.length, reader: writer })
      return progress.end
    },
    onOutcome: ({ address, status }) => progress?.step(`${address}: ${status}`, { [status]: 1 })
  }
}

function outcomesReport(
  { command, plan, verdicts, kept, decided }: ExecutePlanInput,
  executed: readonly Outcome[],
  failedWave: string | undefined,
  { timeline }: TimelineRecorder
): OutcomesReport {
  const others = [...decided, ...protectedOutcomes(kept)]
  const outcomes = [...executed, ...others].sort((a, b) => byCodeUnit(a.address, b.address))
  const failed = failedWave === undefined ? {} : { failedWave }
  const clients = compact({ clients: clientsReached(plan, executed) })
  return { kind: 'outcomes', command, plan, verdicts, outcomes, timeline, ...clients, ...failed }
}

/**
 * Suggests how to continue. To read the unread sites again costs a request each, so `apply` suggests shards
 * for them.
 */
async function printRemaining(
  { command, plan: { summary }, changes }: ExecutePlanInput,
  executed: readonly Outcome[],
  { requests, end, observerError: waitError }: Writer,
  applyError: string | undefined,
  host: WorkflowHost
): Promise<void> {
  const count = (wanted: Status) => executed.filter(({ status }) => status === wanted).length
  const counts = {
    skipped: count('skipped'),
    reverted: count('reverted'),
    unknown: count('unknown')
  }
  const again = summary.sites_failed === 0 ? 'again' : 'by shards'
  const rest = command === 'revert' ? 'in parts' : again
  const observerError = waitError ?? applyError
  await host.printRequestSummary(
    { ...summary, changes: changes.length, ...counts, rest },
    { requests, end, observerError }
  )
}
