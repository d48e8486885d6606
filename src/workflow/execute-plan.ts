import { randomBytes } from 'node:crypto'
import type { Writer } from '../api/client.ts'
import { clockUntil } from '../api/clock.ts'
import { type ApplyOptions, applyChanges } from '../apply/apply.ts'
import { noRecorder, type Recorder, TimelineRecorder } from '../apply/record/recorder.ts'
import { RunRecorder } from '../apply/record/write.ts'
import type { Guards } from '../apply/rollout-guard.ts'
import type { Calendar } from '../model/calendar.ts'
import { byCodeUnit, compact } from '../model/collections.ts'
import type { Policy } from '../model/desired.ts'
import { type ExitCode, exit, Failure, worst } from '../model/failure.ts'
import { isSuccess, type Outcome } from '../model/outcome.ts'
import type { Plan, PlannedChange, WlanPlan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { clientsReached } from '../plan/clients.ts'
import type { Allowances } from '../plan/limits.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { escapeText } from '../report/escape.ts'
import type { OutcomesReport } from '../report/report.ts'
import { protectedOutcomes, refuseForbidden } from './approve.ts'
import type { Confirmation, Progress, WorkflowHost } from './host.ts'
import type { LintResult } from './lint.ts'
import { deferralOf, planExit } from './make-plan.ts'
import { noHooks, type RolloutHooks } from './rollout.ts'

/** The options of an execution. */
export interface ExecuteOptions extends Allowances {
  /** Executes without confirmation. */
  readonly yes?: true
  readonly failFast?: true
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

/** A plan, and the changes of it to execute. */
export interface ExecutePlanInput {
  readonly command: 'apply' | 'revert'
  readonly plan: Plan
  /** The plan of each declared WLAN, for the report. */
  readonly verdicts: readonly WlanPlan[]
  readonly changes: readonly PlannedChange[]
  /** The changes to protected WLANs, which are not sent; default: none. */
  readonly kept?: readonly PlannedChange[]
  /** The same changes by wave; absent if there is a single wave. */
  readonly waves?: readonly PlannedWave[]
  readonly hooks?: RolloutHooks
  /** Default: none. */
  readonly guards?: Guards
  /** Outcomes of changes that are not executed. */
  readonly decided: readonly Outcome[]
  readonly policy: Policy
  /** The number of WLANs that the percentages of the policy refer to; default: the number in the plan. */
  readonly declared?: number
  /** The windows and freezes of the fleet; absent if it declares none. */
  readonly calendar?: Calendar | undefined
  /** The findings that a saved plan must not contain, because they depend on secrets. */
  readonly lint?: Partial<Pick<LintResult, 'secretFindings'>>
  /** Adds details to an outcome for the report. */
  readonly annotate?: (outcome: Outcome) => Outcome
}

/** Checks the limits, asks for confirmation, executes the plan and reports the outcome of each change. */
export async function executePlan(
  input: ExecutePlanInput,
  writer: Writer,
  options: ExecuteOptions,
  host: WorkflowHost
): Promise<ExitCode> {
  const { plan, changes, kept = [], waves = [{ sites: [], changes }], policy } = input
  const { summary, clients } = plan
  const findings = [...plan.findings, ...(input.lint?.secretFindings ?? [])]
  refuseForbidden([...changes, ...kept], {
    policy,
    allowances: options,
    summary,
    declared: input.declared,
    findings,
    clients
  })
  await host.printChangeEstimate(changes.length, writer)
  if (changes.length > 0 && !options.yes) await host.confirm(confirmationOf(input))
  const recording = await startRecording(input, writer, options, host)
  try {
    if (input.guards?.confirm !== undefined) host.keepRequests()
    const timeline = new TimelineRecorder(recording.recorder, host.now)
    const result = await applyChanges(waves, {
      ...applyOptions(options, writer, host),
      ...compact({ deferral: await deferralOf(input.calendar, options, host.now) }),
      ...(input.hooks ?? noHooks),
      ...compact({ guards: input.guards }),
      recorder: timeline
    })
    const executed = result.outcomes.map(input.annotate ?? (outcome => outcome))
    await recording.end(executed)
    const report = outcomesReport(input, executed, result.failedWave, timeline)
    const written = await host.writeOutcomes(report)
    await printRemaining(input, executed, writer, result.observerError, host)
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

/** The exit code for the outcomes of a plan. */
export function outcomesExit({ plan, outcomes, failedWave }: OutcomesReport): ExitCode {
  const succeeded = failedWave === undefined && outcomes.every(isSuccess)
  return worst(planExit(plan, exit.done), succeeded ? exit.done : exit.incomplete)
}

function confirmationOf({ command, changes, waves = [] }: ExecutePlanInput): Confirmation {
  const busy = waves.filter(wave => wave.changes.length > 0).length
  const steps = busy > 1 ? `, in ${busy} waves` : ''
  const these =
    changes.length === 1 ? 'this change' : `these ${plural(changes.length, 'change')}${steps}`
  const [verb, done] = command === 'apply' ? ['Apply', 'applied'] : ['Undo', 'reverted']
  return { question: `${verb} ${these}?`, done, refused: 'nothing was sent' }
}

function applyOptions(
  { verifyTimeout, maxAttempts, parallelism, failFast }: ExecuteOptions,
  writer: Writer,
  host: WorkflowHost
): Omit<ApplyOptions, 'recorder' | keyof RolloutHooks> {
  let progress: Progress | undefined
  return {
    writer,
    clock: clockUntil(host.abortSignal),
    verifyTimeout: verifyTimeout * 1000,
    maxAttempts,
    random: Math.random,
    parallelism,
    failFast: failFast === true,
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
  { command, plan, verdicts, kept = [], decided }: ExecutePlanInput,
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
  const skipped = executed.filter(({ status }) => status === 'skipped').length
  const again = summary.sites_failed === 0 ? 'again' : 'by shards'
  const rest = command === 'revert' ? 'in parts' : again
  const observerError = waitError ?? applyError
  await host.printRequestSummary(
    { ...summary, changes: changes.length, skipped, rest },
    { requests, end, observerError }
  )
}

/** An upper estimate of the size of a change's steps in a record, in bytes, without the change itself. */
const STEPS_SIZE = 1500

function recordSize(changes: readonly PlannedChange[]): number {
  return changes.reduce((sum, { change }) => sum + JSON.stringify(change).length + STEPS_SIZE, 0)
}

interface Recording {
  readonly recorder: Recorder
  end(outcomes: readonly Outcome[]): Promise<void>
  close(): Promise<void>
}

/** Records the start of the run. Throws (exit 1) if that fails, before anything is sent. */
async function startRecording(
  { command, changes }: ExecutePlanInput,
  { baseUrl }: Writer,
  { record }: ExecuteOptions,
  host: WorkflowHost
): Promise<Recording> {
  if (record === undefined) {
    return { recorder: noRecorder, end: async () => undefined, close: async () => undefined }
  }
  const file = await host.openRecord(record, recordSize(changes))
  const run = randomBytes(4).toString('hex')
  const facts = { run, tool: host.tool, command, base_url: baseUrl, now: host.now }
  const recorder = new RunRecorder(file, facts)
  await recorder.begin(changes)
  if (recorder.failure !== undefined) {
    await file.close()
    const message = `${record} could not be written: ${recorder.failure}; nothing was sent`
    throw new Failure(exit.failed, message)
  }
  return {
    recorder,
    close: () => file.close(),
    async end(outcomes) {
      await recorder.end(outcomes)
      if (recorder.failure === undefined) return
      const problem = `${record} is incomplete, it could not be written: ${recorder.failure}`
      await host.printLine(`wlanctl: ${problem}`)
    }
  }
}
