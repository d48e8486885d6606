import { randomBytes } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Writer } from '../api/client.ts'
import { clockUntil } from '../api/clock.ts'
import { apply as applyChanges } from '../apply/apply.ts'
import { noRecorder, type Recorder, RunRecorder } from '../apply/record/recorder.ts'
import { type ExitCode, exit, Failure, worst } from '../model/failure.ts'
import { byCodeUnit } from '../model/identity.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan, PlannedChange, Verdict } from '../model/plan.ts'
import type { Policy } from '../model/policy.ts'
import { tellChanges, tellUse } from './calls.ts'
import { confirm, toSend } from './confirm.ts'
import { outcomesExit } from './exit-codes.ts'
import { checkTarget } from './files.ts'
import { type Io, say } from './io.ts'
import { type ReportOptions, type ServiceOptions, whole } from './options.ts'
import { tell, tellAside } from './output.ts'
import { startProgress } from './progress.ts'
import { openRecord } from './record-file.ts'
import { type Allowances, refuseForbidden, requireTerminal } from './refuse.ts'
import { tool } from './version.ts'

/** How a plan is approved and carried out; none of it from the environment. */
export interface CarryOutOptions extends ServiceOptions, ReportOptions, Allowances {
  readonly yes?: true
  readonly failFast?: true
  /** Seconds. */
  readonly verifyTimeout: number
  readonly record?: string
}

export function addCarryOutOptions(command: Command): Command {
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
        .argParser(whole(0, 3600))
        .default(30)
    )
    .addOption(new Option('--record <file>', 'append each step to a file, for `show` and `revert`'))
}

/** Throws, before anything is asked of the service, if nobody could approve or a file not be written. */
export async function checkBefore(options: CarryOutOptions, io: Io): Promise<void> {
  if (!options.yes) requireTerminal(io)
  const files = options.report.map(({ file }) => file)
  for (const file of [...files, ...(options.record === undefined ? [] : [options.record])]) {
    await checkTarget(file, io.cwd)
  }
}

/** Whoever is asked sees the plan; `--quiet` leaves what is wrong with it. */
export async function showPlan(plan: Plan, options: CarryOutOptions, io: Io): Promise<void> {
  const { findings } = plan
  if (!options.quiet || !options.yes) await tellAside({ kind: 'plan', plan }, options, io)
  else if (findings.length > 0) await tellAside({ kind: 'findings', findings }, options, io)
}

/** A plan, and what of it is to be done. */
export interface Work {
  readonly command: 'apply' | 'revert'
  readonly plan: Plan
  /** What was planned of each declared WLAN, for the report. */
  readonly verdicts: readonly Verdict[]
  readonly changes: readonly PlannedChange[]
  /** Outcomes of what is not to be done, or beside it. */
  readonly decided: readonly Outcome[]
  readonly policy: Policy
  /** What is to be said of an outcome beside what became of it. */
  readonly remark?: (outcome: Outcome) => Outcome
}

/** Gets a plan that was shown approved, executes it, and tells what became of each change. */
export async function carryOut(
  work: Work,
  writer: Writer,
  options: CarryOutOptions,
  io: Io
): Promise<ExitCode> {
  const { command, plan, verdicts, changes, decided, policy, remark = outcome => outcome } = work
  refuseForbidden(plan, changes, policy, options)
  await tellChanges(changes.length, options, io)
  if (changes.length > 0 && !options.yes) await confirm(toSend(command, changes.length), io)
  const recording = await startRecording(work, writer, options, io)
  try {
    const executed = (await execute(changes, writer, recording.recorder, options, io)).map(remark)
    await recording.end(executed)
    const outcomes = [...executed, ...decided].sort((a, b) => byCodeUnit(a.address, b.address))
    await tell({ kind: 'outcomes', command, plan, verdicts, outcomes }, options, io)
    const skipped = executed.filter(({ status }) => status === 'skipped').length
    await tellUse(writer, { ...plan.summary, changes: changes.length, skipped }, options, io)
    return worst(
      outcomesExit(plan, outcomes),
      recording.recorder.failure ? exit.failed : exit.done,
      io.interrupted.aborted ? exit.interrupted : exit.done
    )
  } finally {
    await recording.close()
  }
}

interface Recording {
  readonly recorder: Recorder
  end(outcomes: readonly Outcome[]): Promise<void>
  close(): Promise<void>
}

/** Writes down what is about to be done; throws if that fails, for then nothing is done. */
async function startRecording(
  { command, changes }: Work,
  { baseUrl }: Writer,
  { record }: CarryOutOptions,
  io: Io
): Promise<Recording> {
  if (record === undefined) {
    return { recorder: noRecorder, end: async () => undefined, close: async () => undefined }
  }
  const file = await openRecord(record, io.cwd)
  const run = randomBytes(4).toString('hex')
  const facts = { run, tool: tool.name, command, base_url: baseUrl, now: io.now }
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
      await say(
        io,
        `wlanctl: ${record} is incomplete, it could not be written: ${recorder.failure}`
      )
    }
  }
}

async function execute(
  changes: readonly PlannedChange[],
  writer: Writer,
  recorder: Recorder,
  options: CarryOutOptions,
  io: Io
): Promise<Outcome[]> {
  const progress = startProgress(
    { doing: 'applying', total: changes.length, reader: writer },
    options,
    io
  )
  return applyChanges(changes, {
    writer,
    clock: clockUntil(io.cut),
    verifyTimeout: options.verifyTimeout * 1000,
    maxAttempts: options.maxAttempts,
    random: Math.random,
    parallelism: options.parallelism,
    failFast: options.failFast === true,
    interrupted: io.interrupted,
    recorder,
    onOutcome: ({ address, status }) => progress.step(`${address}: ${status}`, { [status]: 1 })
  }).finally(progress.end)
}

function numberOrAll(text: string): number | 'all' {
  if (text === 'all') return 'all'
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, or `all`.')
}
