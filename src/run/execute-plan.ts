import type { DeferralCheck } from '../core/model/calendar.ts'
import type { Desired } from '../core/model/desired.ts'
import type { Outcome } from '../core/model/outcome.ts'
import type { Plan } from '../core/model/plan.ts'
import type { TimelineEvent } from '../core/model/record.ts'
import type { Allowances } from '../core/plan/guards.ts'
import { type SentSecrets, withoutSentSecrets } from '../core/plan/rotation.ts'
import { byCodeUnit, compact } from '../core/values/collections.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import type { Writer } from '../service/client.ts'
import { clockUntil } from '../service/http/clock.ts'
import { type ApplyOptions, applyChanges } from './apply/apply.ts'
import { protectedOutcomes } from './apply/outcome.ts'
import {
  approvePlan,
  type LimitedChanges,
  refuseForbidden,
  refuseUnresolved,
  wlansIn
} from './approve.ts'
import type { RunContext } from './context.ts'
import { makePlan, type PlanRequest, type PlanResult } from './make-plan.ts'
import { type OpenRecord, startRecording } from './record/recorder.ts'
import {
  noHooks,
  planRollout,
  type Rollout,
  type RolloutHooks,
  type RolloutSettings
} from './rollout.ts'

/**
 * Plans a fleet and what `apply` sends of it: the changes that saved plans approve, in the waves of the fleet. Throws a
 * `Failure` if a secret is missing (exit 3), or if the plan is not the expected one (exit 4).
 */
export async function planApply(
  desired: Desired,
  writer: Writer,
  options: ApplyPlanOptions,
  run: RunContext
): Promise<ExecutePlanInput & PlanResult> {
  const { request, approvals, expect, sent, onPlan, check } = options
  const { sites, policy, managed, calendar } = desired
  const wanted = sent ? { ...desired, sites: withoutSentSecrets(sites, sent) } : desired
  const keep = wlansIn(approvals)
  const result = await makePlan(wanted, writer, { ...request, keep }, run)
  refuseUnresolved(desired, result)
  await onPlan?.(result)
  const approved = approvePlan(result, approvals, expect, { sites, sent })
  const rollout = planRollout(desired, result, approved, { check }, run)
  const context = { command: 'apply', policy, managed, ...compact({ calendar }) } as const
  return { ...result, ...approved, ...rollout, ...context }
}

interface ApplyPlanOptions extends RolloutSettings {
  readonly request: PlanRequest
  readonly approvals?: readonly Plan[] | undefined
  readonly expect?: string | undefined
  /** The secrets that earlier runs applied, which are not sent again. */
  readonly sent?: SentSecrets | undefined
  readonly onPlan?: (result: PlanResult) => Promise<void>
}

/**
 * Executes a plan whose changes are approved: sends each update, reads it back, and records it. Every change has an
 * outcome, also after an interrupt. Throws before anything is sent if the policy or a limit forbids the changes (exit 4),
 * if the caller does not confirm them, or if the record cannot be begun (exit 1).
 */
export async function executePlan(
  input: ExecutePlanInput,
  writer: Writer,
  options: ExecuteOptions,
  context: RunContext
): Promise<Execution> {
  const { command, plan, changes, waves = [{ sites: [], changes }], hooks = noHooks } = input
  refuseForbidden(input, { ...options.allowances, ...(command === 'revert' && { command }) })
  await options.confirm()
  const { digest, rollout } = plan
  const run = { command, base_url: writer.baseUrl, digest, ...compact({ rollout }) }
  const { recorder, close } = await startRecording(options.record, changes, { ...run, ...context })
  try {
    const check = input.deferral ?? (await deferralOf(input.calendar, options, context.now))
    const deferral = heldBack(plan, check)
    const { outcomes, failedWave, stopped, observerError } = await applyChanges(waves, {
      ...applyOptions(options, writer, context),
      ...hooks,
      ...compact({ deferral }),
      restores: command === 'revert',
      recorder
    })
    const executed = outcomes.map(input.annotate ?? (outcome => outcome))
    await recorder.end(executed, stopped)
    const all = [...executed, ...input.decided, ...protectedOutcomes(input.kept)]
    return {
      executed,
      outcomes: all.sort((a, b) => byCodeUnit(a.address, b.address)),
      timeline: recorder.timeline,
      ...compact({
        failedWave,
        observerError,
        recordFailure: options.record && recorder.failure
      })
    }
  } finally {
    await close()
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

export interface ExecuteOptions {
  /** The seconds to wait for a change to be visible. */
  readonly verifyTimeout: number
  /** Sends changes outside of their windows and during a freeze. */
  readonly ignoreWindows?: true
  readonly record?: OpenRecord
  readonly parallelism: number
  readonly maxAttempts: number
  readonly allowances: Allowances
  /** Called before anything is sent, unless a limit forbids the changes. Throws to send nothing. */
  readonly confirm: () => Promise<void>
}

/** A plan, its changes to execute, and their rollout; by default there is a single wave. */
export interface ExecutePlanInput
  extends LimitedChanges,
    Partial<Rollout>,
    Pick<Desired, 'calendar'> {
  readonly command: 'apply' | 'revert'
  /** In place of the windows and freezes of the calendar. */
  readonly deferral?: DeferralCheck
  readonly annotate?: (outcome: Outcome) => Outcome
}

export interface Execution {
  readonly executed: readonly Outcome[]
  readonly outcomes: readonly Outcome[]
  /** The steps of each change, by address. */
  readonly timeline: ReadonlyMap<string, readonly TimelineEvent[]>
  readonly failedWave?: string
  /** The message of the first error of an observer of the run. */
  readonly observerError?: string
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
