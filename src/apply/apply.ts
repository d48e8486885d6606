import { inParallelGroups } from '../api/concurrency.ts'
import { Observers } from '../api/observers.ts'
import { byCodeUnit } from '../model/collections.ts'
import { reasonOf } from '../model/failure.ts'
import { isSuccess, type Outcome } from '../model/outcome.ts'
import type { PlannedChange } from '../model/plan.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { type ApplyContext, applyChange } from './change.ts'
import { outcome } from './outcome.ts'
import { guardedRecorder } from './record/recorder.ts'
import { type Guards, RolloutGuard } from './rollout-guard.ts'
import { StopSignal } from './stop-signal.ts'

export interface ApplyOptions extends Omit<ApplyContext, 'stopSignal' | 'sentUpdates'> {
  /** Sites that are changed at once. */
  readonly parallelism: number
  /** Start nothing new after the first change that is neither applied nor unchanged. */
  readonly failFast: boolean
  /** When aborted, nothing new starts. */
  readonly interrupted: AbortSignal
  /** Called before the first change of each wave; the function it gives is called after the last one. */
  readonly onWave: (wave: PlannedWave) => () => void
  /** Called with each outcome as it comes. */
  readonly onOutcome: (outcome: Outcome) => void
  /** Checks a wave whose changes all succeeded; gives the reason if it fails all the same. */
  readonly check: (wave: PlannedWave) => Promise<string | undefined>
  /** Waits between a good wave and the next one; less if interrupted. */
  readonly pause: (wave: PlannedWave, next: PlannedWave) => Promise<void>
  /** Default: nothing is held, put back or confirmed. */
  readonly guards?: Guards
}

/** The result of a run. */
export interface ApplyResult {
  /** One for each change, sorted by address. */
  readonly outcomes: readonly Outcome[]
  /** The wave that failed, and why: `wave canary: hq/guest is diverged`; or why the run was not confirmed. */
  readonly failedWave?: string
  /** The message of the first error of an observer, which stopped nothing and has to be reported. */
  readonly observerError?: string
}

/**
 * Executes planned changes wave by wave: the sites of a wave in parallel, the changes of a site one after the
 * other. After a wave that failed, nothing starts. After a wave with changes that wait for their window, the
 * later waves wait, too: they must not go before their canary. Every change gets an outcome, also when the run
 * is cut short. With guards, a wave is held before it is good, and changes are put back, the newest first.
 */
export async function applyChanges(
  waves: readonly PlannedWave[],
  options: ApplyOptions
): Promise<ApplyResult> {
  const run = startRun(waves, options)
  // A wave without changes is checked too, as long as a later one has changes.
  const busy = waves.slice(0, waves.findLastIndex(({ changes }) => changes.length > 0) + 1)
  let failedWave: string | undefined
  for (const [at, wave] of busy.entries()) {
    const waiting = run.guard.outcomes.find(({ status }) => status === 'deferred')
    const isStopped = run.stopSignal.reason !== undefined || waiting !== undefined
    const endWave = isStopped ? undefined : startWave(wave, run)
    const done = await applyWave(wave, run, waiting)
    if (endWave === undefined) continue
    run.observers.notify(endWave)
    const failure = await finishWave(wave, done, run)
    failedWave ??= failure
    const next = busy[at + 1]
    const isDone = failure === undefined && !done.some(({ status }) => status === 'deferred')
    if (isDone && next !== undefined) await pauseBefore(next, wave, run)
  }
  const unconfirmed = await run.guard.confirm()
  failedWave ??= unconfirmed
  const outcomes = run.guard.outcomes.sort((a, b) => byCodeUnit(a.address, b.address))
  const observerError = run.observers.error
  return {
    outcomes,
    ...(failedWave === undefined ? {} : { failedWave }),
    ...(observerError === undefined ? {} : { observerError })
  }
}

interface Run {
  readonly options: ApplyOptions
  /** Calls the observers of the options. */
  readonly observers: Observers
  readonly stopSignal: StopSignal
  readonly context: ApplyContext
  /** False where there is a single wave of all sites. */
  readonly inWaves: boolean
  readonly guard: RolloutGuard
}

function startRun(waves: readonly PlannedWave[], given: ApplyOptions): Run {
  const observers = new Observers()
  const options = { ...given, recorder: guardedRecorder(given.recorder, observers) }
  const stopSignal = new StopSignal(options.interrupted, options.recorder)
  const unguarded = { ...options, stopSignal }
  const guard = new RolloutGuard(options, unguarded, observers)
  const inWaves = waves.some(({ name }) => name !== undefined)
  return { options, observers, stopSignal, context: guard.context, inWaves, guard }
}

/** Gives what the observer wants to have called at the end of the wave. */
function startWave(wave: PlannedWave, { options, observers, inWaves }: Run): () => unknown {
  if (inWaves) options.recorder.waveBegins(wave)
  let end: () => unknown = () => undefined
  observers.notify(() => {
    end = options.onWave(wave)
  })
  return () => end()
}

/** Checks a wave whose changes are done; gives its failure, which stops the run. */
async function finishWave(
  wave: PlannedWave,
  done: readonly Outcome[],
  run: Run
): Promise<string | undefined> {
  const { stopSignal, options, inWaves, guard } = run
  const problem = stopSignal.reason === undefined ? await problemOf(wave, done, run) : undefined
  const why = options.interrupted.aborted ? undefined : (problem ?? stopSignal.reason)
  if (guard.revertsOnFailure && why !== undefined) {
    await guard.putBack(wave, inWaves ? `${titleOf(wave)}: ${why}` : why)
  }
  // An interrupt during the check ends the wave too.
  if (inWaves) options.recorder.waveEnds(wave, stopSignal.reason ?? problem)
  if (problem === undefined) return undefined
  const failure = inWaves ? `${titleOf(wave)}: ${problem}` : problem
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
    stopSignal.stop(`the pause after ${titleOf(wave)} failed: ${reasonOf(thrown)}`)
  })
}

/** Why a wave failed; without waves, the outcomes of its changes report it. */
async function problemOf(
  wave: PlannedWave,
  done: readonly Outcome[],
  run: Run
): Promise<string | undefined> {
  const { options, inWaves, guard, stopSignal } = run
  const bad = done.filter(outcome => !isSuccess(outcome))
  const [first] = bad
  if (first === undefined && wave.obstacle === undefined) {
    if (done.length > 0 && done.every(({ status }) => status === 'deferred')) return undefined
    const moved = await guard.hold(wave).catch(thrown => `the hold failed: ${reasonOf(thrown)}`)
    if (moved !== undefined || stopSignal.reason !== undefined) return moved
    return options.check(wave).catch(thrown => `the check failed: ${reasonOf(thrown)}`)
  }
  if (!inWaves && !guard.revertsOnFailure) return undefined
  if (first === undefined) return wave.obstacle
  const more = bad.length === 1 ? '' : ` (${bad.length} of ${done.length} changes not applied)`
  return `${first.address} is ${first.status}${more}`
}

/** The name of a wave within a sentence. */
function titleOf({ name }: PlannedWave): string {
  return name === undefined ? 'last wave' : `wave ${name}`
}

/** `waiting`: the change of an earlier wave that waits, and so does this wave. */
async function applyWave(
  { name, changes }: PlannedWave,
  run: Run,
  waiting: Outcome | undefined
): Promise<Outcome[]> {
  const { stopSignal, context, options, observers, guard } = run
  const siteOf = ({ change }: PlannedChange) => change.site.id
  return inParallelGroups(changes, siteOf, options.parallelism, async planned => {
    const { reason } = stopSignal
    const result =
      reason === undefined
        ? (afterWaiting(planned, waiting) ?? (await applyChange(planned, context)))
        : outcome(planned.change, 'skipped', { reason })
    const next = name === undefined ? result : { ...result, wave: name }
    if (options.failFast && !isSuccess(next)) {
      stopSignal.stop(`${next.address} is ${next.status} (--fail-fast)`)
    }
    guard.settle({ planned, outcome: next })
    observers.notify(() => options.onOutcome(next))
    return next
  })
}

/** The outcome of a change whose wave comes after one that waits; undefined where none does. */
function afterWaiting(
  { change }: PlannedChange,
  waiting: Outcome | undefined
): Outcome | undefined {
  if (waiting === undefined) return undefined
  const wave = waiting.wave === undefined ? '' : ` of the wave ${waiting.wave}`
  return outcome(change, 'deferred', { reason: `after ${waiting.address}${wave}, which waits` })
}
