import { type ExitCode, exit, Failure, worst } from '../core/model/failure.ts'
import type { Plan, PlannedChange } from '../core/model/plan.ts'
import { outcomesExit } from '../core/plan/exit-codes.ts'
import type { PlannedWave } from '../core/plan/planned-waves.ts'
import { plural } from '../core/values/text.ts'
import { refuseOtherService } from '../files/saved-file.ts'
import { intactPlan, planForm } from '../files/saved-plan.ts'
import type { NextStep } from '../report/report.ts'
import { type ExecutePlanInput, type Execution, executePlan } from '../run/execute-plan.ts'
import type { PlanResult } from '../run/make-plan.ts'
import type { Writer } from '../service/client.ts'
import { openRecord, readSaved } from './files/saved-files.ts'
import type { ApprovalOptions, ExecuteCommandOptions, ReportOptions } from './options.ts'
import { writeOutcomes } from './output.ts'
import { confirm } from './terminal/confirm.ts'
import { type Io, writeLine } from './terminal/io.ts'
import { printNextSteps } from './terminal/next-steps.ts'
import { runContext } from './terminal/progress.ts'
import { printChangeEstimate, printRequestSummary } from './terminal/request-summary.ts'

/**
 * Reads the plans of `--plan`; undefined if none is needed. Throws (exit 3, 4) if one is unusable.
 */
export async function readApproval(
  { plan: files }: ApprovalOptions,
  baseUrl: string,
  io: Io
): Promise<readonly Plan[] | undefined> {
  if (files.length === 0) return undefined
  const plans: Plan[] = []
  for (const file of files) {
    const plan = intactPlan(await readSaved(file, io, planForm), file)
    refuseOtherService(file, plan.base_url, baseUrl, 'make a plan for this service')
    plans.push(plan)
  }
  return plans
}

type Options = ExecuteCommandOptions & ReportOptions

/** Checks the limits, asks for confirmation, executes the plan, and reports the outcome of each change and the next steps. */
export async function execute(
  input: ExecutePlanInput & Pick<PlanResult, 'planned' | 'groups'>,
  writer: Writer,
  options: Options,
  io: Io,
  stepsAfter: (code: ExitCode) => readonly NextStep[]
): Promise<ExitCode> {
  const { command, plan, planned, groups, changes, waves = [] } = input
  refuseSuspended(io)
  const confirmed = async () => {
    await printChangeEstimate(changes.length, options, io)
    if (changes.length > 0 && !options.yes) await confirmChanges(command, changes, waves, io)
  }
  const { record: file, ...others } = options
  const record = file && { file, open: (bytes: number) => openRecord(file, io.cwd, bytes) }
  const consent = { allowances: options, confirm: confirmed }
  const run = { ...others, ...consent, ...(record && { record }) }
  const result = await executePlan(input, writer, run, runContext(options, io))
  const { executed, recordFailure, observerError: _, ...outcomes } = result
  if (recordFailure !== undefined) {
    const problem = `${file} is incomplete, it could not be written: ${recordFailure}`
    await writeLine(io, `wlanctl: ${problem}`)
  }
  const report = { kind: 'outcomes', command, plan, planned, groups, ...outcomes } as const
  const ended = worst(
    outcomesExit(report),
    recordFailure === undefined ? exit.done : exit.failed,
    io.interrupted.aborted ? exit.interrupted : exit.done
  )
  const written = await writeOutcomes(report, options, io, { next: stepsAfter(ended) })
  await printRemaining(input, result, writer, options, io)
  const code = worst(ended, written)
  await printNextSteps(stepsAfter(code), options, io)
  return code
}

/** Throws (exit 4) while WLANCTL_SUSPEND holds a reason. */
function refuseSuspended({ env }: Io): void {
  const reason = env['WLANCTL_SUSPEND']
  if (!reason) return
  throw new Failure(
    exit.refused,
    `suspended: ${reason}; nothing was sent`,
    'to go on, empty the variable WLANCTL_SUSPEND'
  )
}

/** Throws a `Failure` after any other answer than yes. */
function confirmChanges(
  command: 'apply' | 'revert',
  changes: readonly PlannedChange[],
  waves: readonly PlannedWave[],
  io: Io
): Promise<void> {
  const busy = waves.filter(wave => wave.changes.length > 0).length
  const steps = busy > 1 ? `, in ${busy} waves` : ''
  const these =
    changes.length === 1 ? 'this change' : `these ${plural(changes.length, 'change')}${steps}`
  const [verb, done] = command === 'apply' ? ['Apply', 'applied'] : ['Undo', 'reverted']
  return confirm({ question: `${verb} ${these}?`, done, refused: 'nothing was sent' }, io)
}

/** Reading unread sites again costs a request each, so `apply` suggests shards for them. */
async function printRemaining(
  { command, plan: { summary }, changes }: ExecutePlanInput,
  { executed, observerError: ofRun }: Execution,
  { requests, end, observerError = ofRun }: Writer,
  options: Options,
  io: Io
): Promise<void> {
  // A skipped change with a hint needs more than another run.
  const counts = {
    skipped: executed.filter(({ status, hint }) => status === 'skipped' && hint === undefined)
      .length,
    unknown: executed.filter(({ status }) => status === 'unknown').length
  }
  const again = summary.sites_failed === 0 ? ('again' as const) : undefined
  const rest = command === 'revert' ? ('in parts' as const) : again
  const work = { ...summary, changes: changes.length, ...counts, ...(rest && { rest }) }
  await printRequestSummary(work, options, io, { requests, end, observerError })
}
