import type { DeferralCheck } from '../core/model/calendar.ts'
import type { Desired } from '../core/model/desired.ts'
import type { Outcome } from '../core/model/outcome.ts'
import type { Plan } from '../core/model/plan.ts'
import type { TimelineEvent } from '../core/model/record.ts'
import { byCodeUnit, compact } from '../core/values/collections.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import type { Writer } from '../service/client.ts'
import { clockUntil } from '../service/http/clock.ts'
import { type ApplyOptions, applyChanges } from './apply/apply.ts'
import { protectedOutcomes } from './apply/outcome.ts'
import type { LimitedChanges } from './approve.ts'
import type { RunContext } from './context.ts'
import { timelineRecorder } from './record/recorder.ts'
import { type OpenRecord, startRecording } from './record/recording.ts'
import { noHooks, type Rollout, type RolloutHooks } from './rollout.ts'

/**
 * Executes a plan whose changes are approved and allowed: sends each update, reads it back, and records it. Every
 * change has an outcome, also after an interrupt. Throws (exit 1) if the record cannot be begun: then nothing was
 * sent.
 */
export async function executePlan(
  input: ExecutePlanInput,
  writer: Writer,
  options: ExecuteOptions,
  context: RunContext
): Promise<Execution> {
  const { command, plan, changes, waves = [{ sites: [], changes }], hooks = noHooks } = input
  const { digest, rollout } = plan
  const run = { command, base_url: writer.baseUrl, digest, ...compact({ rollout }) }
  const recording = await startRecording(options.record, changes, { ...run, ...context })
  try {
    const recorder = timelineRecorder(recording.recorder, context.now)
    const deferral = heldBack(plan, await deferralOf(input.calendar, options, context.now))
    const { outcomes, failedWave, stopped, observerError } = await applyChanges(waves, {
      ...applyOptions(options, writer, context),
      ...hooks,
      ...compact({ deferral }),
      recorder
    })
    const executed = outcomes.map(input.annotate ?? (outcome => outcome))
    await recording.end(executed, stopped)
    const all = [...executed, ...input.decided, ...protectedOutcomes(input.kept)]
    return {
      executed,
      outcomes: all.sort((a, b) => byCodeUnit(a.address, b.address)),
      timeline: recorder.timeline,
      ...compact({
        failedWave,
        observerError,
        recordFailure: recording.recorder.failure
      })
    }
  } finally {
    await recording.close()
  }
}

/** What the plan defers waits in this run: limits did not count it, whatever opens in the meantime. */
function heldBack(
  { deferred = [] }: Pick<Plan, 'deferred'>,
  check: DeferralCheck | undefined
): DeferralCheck | undefined {
  if (check === undefined) return undefined
  const waits = new Map(deferred.map(wait => [wait.address, wait]))
  return change => waits.get(change.address) ?? check(change)
}

/** How a plan is executed. */
export interface ExecuteOptions {
  /** In seconds. */
  readonly verifyTimeout: number
  /** Sends changes outside of their windows and during a freeze. */
  readonly ignoreWindows?: true
  /** The record to append to. */
  readonly record?: OpenRecord
  /** The number of sites that are changed at the same time. */
  readonly parallelism: number
  readonly maxAttempts: number
}

/** A plan, its changes to execute, and their rollout; by default there is a single wave. */
export interface ExecutePlanInput
  extends LimitedChanges,
    Partial<Rollout>,
    Pick<Desired, 'calendar'> {
  readonly command: 'apply' | 'revert'
  /** Adds details to an outcome for the report. */
  readonly annotate?: (outcome: Outcome) => Outcome
}

/** The result of an execution. */
export interface Execution {
  /** The outcomes of the changes to execute. */
  readonly executed: readonly Outcome[]
  /** Those of all changes of the plan, by address. */
  readonly outcomes: readonly Outcome[]
  /** The steps of each change, by address. */
  readonly timeline: ReadonlyMap<string, readonly TimelineEvent[]>
  readonly failedWave?: string
  /** The message of the first error of an observer of the run. */
  readonly observerError?: string
  /** Why the record is incomplete. */
  readonly recordFailure?: string
}

function applyOptions(
  { verifyTimeout, maxAttempts, parallelism }: ExecuteOptions,
  writer: Writer,
  { abortSignal, interrupted, on }: RunContext
): Omit<ApplyOptions, 'recorder' | keyof RolloutHooks> {
  return {
    writer,
    clock: clockUntil(abortSignal),
    verifyTimeout: verifyTimeout * 1000,
    maxAttempts,
    random: Math.random,
    parallelism,
    interrupted,
    onWave: ({ name = '', changes }) => {
      const doing = `applying ${name}`.trimEnd()
      const task = { doing, total: changes.length, reader: writer, stays: name !== '' }
      void on({ type: 'started', task })
      return () => void on({ type: 'ended' })
    },
    onOutcome: ({ address, status }) =>
      void on({ type: 'step', text: `${address}: ${status}`, found: { [status]: 1 } })
  }
}
