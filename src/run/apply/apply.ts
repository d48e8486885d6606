import { waveTitle } from '../../core/model/desired.ts'
import { Observers, reasonOf } from '../../core/model/failure.ts'
import { isSuccess, type Outcome, outcomeClause, outcomeData } from '../../core/model/outcome.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import type { PlannedWave } from '../../core/plan/planned-waves.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { inParallelGroups } from '../../service/http/concurrency.ts'
import { type ApplyContext, applyChange, StopSignal } from './apply-change.ts'
import { outcome } from './outcome.ts'

export interface ApplyOptions extends Omit<ApplyContext, 'stopSignal'> {
  readonly parallelism: number
  /** When aborted, nothing new starts. */
  readonly interrupted: AbortSignal
  /** Called before the first change of a wave; the function that it returns, after the last one. */
  readonly onWave: (wave: PlannedWave) => () => void
  readonly before?: ((wave: PlannedWave) => Promise<void>) | undefined
  readonly onOutcome: (outcome: Outcome) => void
  /** Checks a wave whose changes all succeeded. Returns why the wave failed, if it did. */
  readonly check: (wave: PlannedWave) => Promise<string | undefined>
  /** Waits between a successful wave and the next one; an interrupt ends the wait. */
  readonly pause: (wave: PlannedWave, next: PlannedWave) => Promise<void>
}

export interface ApplyResult {
  readonly outcomes: readonly Outcome[]
  /** Why a wave failed, such as `wave canary: hq/guest is diverged`. */
  readonly failedWave?: string
  /** That, or the reason why nothing more started, such as `interrupted`; absent if the run went to its end. */
  readonly stopped?: string
  /** The first error of an observer: it does not stop the run, but must be reported. */
  readonly observerError?: string
}

/**
 * Executes planned changes wave by wave: the sites of a wave in parallel, the changes of a site one after the
 * other. After a failed wave, nothing starts. After a wave with deferred changes, all later waves are
 * deferred too: they must not start before their canary. Every change gets an outcome, also if the run is
 * interrupted.
 */
export async function applyChanges(
  waves: readonly PlannedWave[],
  options: ApplyOptions
): Promise<ApplyResult> {
  const run = startRun(waves, options)
  // A wave without changes is checked too if a later wave has changes.
  const isBusy = ({ changes, isRechecked }: PlannedWave) => changes.length > 0 || isRechecked
  const busy = waves.slice(0, waves.findLastIndex(isBusy) + 1)
  let outcomes: readonly Outcome[] = []
  let failedWave: string | undefined
  for (const [at, wave] of busy.entries()) {
    const waiting = outcomes.find(({ status }) => status === 'deferred')
    if (waiting === undefined) await options.before?.(wave)
    const isStopped = run.stopSignal.reason !== undefined || waiting !== undefined
    const endWave = isStopped ? undefined : startWave(wave, run)
    const done = await applyWave(wave, run, waiting && afterWaiting(waiting))
    outcomes = [...outcomes, ...done]
    if (endWave === undefined) continue
    run.observers.notify(endWave)
    failedWave = await finishWave(wave, done, run)
    const next = busy[at + 1]
    const isDone = failedWave === undefined && !done.some(({ status }) => status === 'deferred')
    if (isDone && next !== undefined) await pauseBefore(next, wave, run)
  }
  const stopped = failedWave ?? run.stopSignal.reason
  const sorted = [...outcomes].sort((a, b) => byCodeUnit(a.address, b.address))
  return {
    outcomes: sorted,
    ...compact({ failedWave, stopped, observerError: run.observers.error })
  }
}

interface Run {
  readonly options: ApplyOptions
  readonly observers: Observers
  readonly stopSignal: StopSignal
  readonly context: ApplyContext
  /** False if all sites are in a single wave. */
  readonly inWaves: boolean
}

function startRun(waves: readonly PlannedWave[], options: ApplyOptions): Run {
  const observers = new Observers()
  const stopSignal = new StopSignal(options.interrupted, options.recorder)
  const inWaves = waves.some(({ name }) => name !== undefined)
  return { options, observers, stopSignal, context: { ...options, stopSignal }, inWaves }
}

function startWave(wave: PlannedWave, { options, observers, inWaves }: Run): () => unknown {
  if (inWaves) {
    const { name, changes } = wave
    const begun = { ...compact({ wave: name }), changes: changes.length }
    options.recorder.record({ step: 'wave-begins', ...begun })
  }
  let end: () => unknown = () => undefined
  observers.notify(() => {
    end = options.onWave(wave)
  })
  return () => end()
}

/** Checks a wave whose changes are done. Returns why it failed, which stops the run. */
async function finishWave(
  wave: PlannedWave,
  done: readonly Outcome[],
  run: Run
): Promise<string | undefined> {
  const { stopSignal, options, inWaves } = run
  const problem = stopSignal.reason === undefined ? await problemOf(wave, done, run) : undefined
  // An interrupt during the check ends the wave, too.
  if (inWaves) {
    const ended = compact({ wave: wave.name, problem: stopSignal.reason ?? problem })
    options.recorder.record({ step: 'wave-ends', ...ended })
  }
  if (problem === undefined) return undefined
  const failure = inWaves ? `${waveTitle(wave.name)}: ${problem}` : problem
  stopSignal.stop(failure)
  return failure
}

async function pauseBefore(
  next: PlannedWave,
  wave: PlannedWave,
  { stopSignal, options }: Run
): Promise<void> {
  if (stopSignal.reason !== undefined || wave.changes.length === 0) return
  await options.pause(wave, next).catch(thrown => {
    stopSignal.stop(`the pause after ${waveTitle(wave.name)} failed: ${reasonOf(thrown)}`)
  })
}

/** The reason why a wave failed. Without waves, the outcomes of the changes report it. */
async function problemOf(
  wave: PlannedWave,
  done: readonly Outcome[],
  { options, inWaves }: Run
): Promise<string | undefined> {
  const bad = done.filter(outcome => !isSuccess(outcome))
  const [first] = bad
  if (first === undefined && wave.obstacle === undefined) {
    if (done.length > 0 && done.every(({ status }) => status === 'deferred')) return undefined
    return options.check(wave).catch(thrown => `the check failed: ${reasonOf(thrown)}`)
  }
  if (!inWaves) return undefined
  if (first === undefined) return wave.obstacle
  const more = bad.length === 1 ? '' : ` (${bad.length} of ${done.length} changes not applied)`
  return `${outcomeClause(first)}${more}`
}

/** `waits`: why all changes of the wave are deferred. */
async function applyWave(
  { name, changes }: PlannedWave,
  run: Run,
  waits: string | undefined
): Promise<Outcome[]> {
  const { stopSignal, context, options, observers } = run
  const siteOf = ({ change }: PlannedChange) => change.site.id
  return inParallelGroups(changes, siteOf, options.parallelism, async planned => {
    const { reason } = stopSignal
    const result =
      reason === undefined
        ? waits === undefined
          ? await applyChange(planned, context)
          : outcome(planned.change, 'deferred', { reason: waits })
        : outcome(planned.change, 'skipped', { reason })
    const next = name === undefined ? result : { ...result, wave: name }
    context.recorder.record({ step: 'outcome', ...outcomeData(next) })
    observers.notify(() => options.onOutcome(next))
    return next
  })
}

/** Why a wave waits that comes after a deferred change. */
function afterWaiting({ address, wave }: Outcome): string {
  const of = wave === undefined ? '' : ` of the wave ${wave}`
  return `after ${address}${of}, which waits`
}
