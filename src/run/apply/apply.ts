import { Observers, reasonOf } from '../../core/model/failure.ts'
import { isSuccess, type Outcome, outcomeClause } from '../../core/model/outcome.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import { type PlannedWave, waveTitle } from '../../core/plan/rollout.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { inParallelGroups } from '../../service/http/concurrency.ts'
import type { Gate, Pacing } from '../pacing.ts'
import { guardedRecorder } from '../record/recorder.ts'
import { type ApplyContext, applyChange, StopSignal } from './change.ts'
import { outcome } from './outcome.ts'
import { type Guards, RolloutGuard } from './rollout-guard.ts'

export interface ApplyOptions extends Omit<ApplyContext, 'stopSignal' | 'sentUpdates' | 'undoes'> {
  /** The number of sites that are changed at the same time. */
  readonly parallelism: number
  /** Start nothing new after the first change whose outcome is neither applied nor unchanged. */
  readonly failFast: boolean
  /** When aborted, nothing new starts. */
  readonly interrupted: AbortSignal
  /** Called before the first change of a wave; the function that it returns, after the last one. */
  readonly onWave: (wave: PlannedWave) => () => void
  /** Called with each outcome as soon as it is known. */
  readonly onOutcome: (outcome: Outcome) => void
  /** Checks a wave whose changes all succeeded. Returns why the wave failed, if it did. */
  readonly check: (wave: PlannedWave) => Promise<string | undefined>
  /** Waits between a successful wave and the next one; an interrupt ends the wait. */
  readonly pause: (wave: PlannedWave, next: PlannedWave) => Promise<void>
  /** When waves may start, and whether they are good; default: at once, and all are. */
  readonly pacing?: Pacing
  /** Default: no hold, no rollback and no confirmation. */
  readonly guards?: Guards
}

/** The result of a run. */
export interface ApplyResult {
  /** One for each change, sorted by address. */
  readonly outcomes: readonly Outcome[]
  /** Why a wave failed, such as `wave canary: hq/guest is diverged`, or the run was not confirmed. */
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
 * interrupted. With guards, a wave succeeds only after its hold, and failed changes are put back, the newest
 * first.
 */
export async function applyChanges(
  waves: readonly PlannedWave[],
  options: ApplyOptions
): Promise<ApplyResult> {
  const run = startRun(waves, options)
  // A wave without changes is checked too if a later wave has changes.
  const busy = waves.slice(0, waves.findLastIndex(({ changes }) => changes.length > 0) + 1)
  let failedWave: string | undefined
  for (const [at, wave] of busy.entries()) {
    const waiting = run.guard.outcomes.find(({ status }) => status === 'deferred')
    const gate = waiting ? afterWaiting(waiting) : await gateOf(wave, run)
    if (gate && 'problem' in gate) {
      failedWave ??= gate.problem
      run.stopSignal.stop(gate.problem)
    }
    const isStopped = run.stopSignal.reason !== undefined || gate !== undefined
    const endWave = isStopped ? undefined : startWave(wave, run)
    if (endWave !== undefined) await measureBefore(wave, busy.slice(at + 1), run)
    const done = await applyWave(wave, run, gate && 'reason' in gate ? gate : undefined)
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
  const stopped = failedWave ?? run.stopSignal.reason
  return { outcomes, ...compact({ failedWave, stopped, observerError: run.observers.error }) }
}

type Wait = Extract<Gate, { readonly reason: string }>

interface Run {
  readonly options: ApplyOptions
  /** The callbacks of the options, guarded against their errors. */
  readonly observers: Observers
  readonly stopSignal: StopSignal
  readonly context: ApplyContext
  /** False if all sites are in a single wave. */
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

async function gateOf(wave: PlannedWave, run: Run): Promise<Gate | undefined> {
  const { pacing, recorder } = run.options
  if (run.stopSignal.reason !== undefined || wave.changes.length === 0) return undefined
  return pacing?.gate(wave, recorder).catch(thrown => ({
    problem: `the judgement before ${waveTitle(wave.name)} failed: ${reasonOf(thrown)}`
  }))
}

/** Measures the sites, unless all changes of the wave wait for a window. */
async function measureBefore(
  wave: PlannedWave,
  later: readonly PlannedWave[],
  { options: { pacing, recorder, deferral }, observers }: Run
): Promise<void> {
  if (wave.changes.every(({ change }) => deferral?.(change) !== undefined)) return
  await pacing?.begins(wave, later, recorder).catch(thrown => observers.recordError(thrown))
}

/** Calls `onWave`, and returns the function to call at the end of the wave. */
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
  const { stopSignal, options, inWaves, guard } = run
  const problem = stopSignal.reason === undefined ? await problemOf(wave, done, run) : undefined
  const why = options.interrupted.aborted ? undefined : (problem ?? stopSignal.reason)
  if (guard.revertsOnFailure && why !== undefined) {
    await guard.putBack(wave, inWaves ? `${waveTitle(wave.name)}: ${why}` : why)
  }
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
  run: Run
): Promise<string | undefined> {
  const { options, inWaves, guard, stopSignal } = run
  const bad = done.filter(outcome => !isSuccess(outcome))
  const [first] = bad
  if (first === undefined && wave.obstacle === undefined) {
    if (done.length > 0 && done.every(({ status }) => status === 'deferred')) return undefined
    const moved = await guard.hold(wave).catch(thrown => `the hold failed: ${reasonOf(thrown)}`)
    if (moved !== undefined || stopSignal.reason !== undefined) return moved
    const failed = await options
      .check(wave)
      .catch(thrown => `the check failed: ${reasonOf(thrown)}`)
    const isPart = done.some(({ status }) => status === 'deferred')
    if (failed !== undefined || stopSignal.reason !== undefined || isPart) return failed
    return options.pacing
      ?.ends(wave, options.recorder)
      .catch(thrown => `the judgement failed: ${reasonOf(thrown)}`)
  }
  if (!inWaves && !guard.revertsOnFailure) return undefined
  if (first === undefined) return wave.obstacle
  const more = bad.length === 1 ? '' : ` (${bad.length} of ${done.length} changes not applied)`
  return `${outcomeClause(first)}${more}`
}

/** `wait`: why all changes of the wave are deferred. */
async function applyWave(
  { name, changes }: PlannedWave,
  run: Run,
  wait: Wait | undefined
): Promise<Outcome[]> {
  const { stopSignal, context, options, observers, guard } = run
  const siteOf = ({ change }: PlannedChange) => change.site.id
  return inParallelGroups(changes, siteOf, options.parallelism, async planned => {
    const { reason } = stopSignal
    const result =
      reason === undefined
        ? wait === undefined
          ? await applyChange(planned, context)
          : outcome(planned.change, 'deferred', wait)
        : outcome(planned.change, 'skipped', { reason })
    const next = name === undefined ? result : { ...result, wave: name }
    if (options.failFast && !isSuccess(next)) {
      stopSignal.stop(`${outcomeClause(next)} (policy.rollout.fail_fast)`)
    }
    guard.settle({ planned, outcome: next })
    observers.notify(() => options.onOutcome(next))
    return next
  })
}

/** The wait of a wave that comes after a deferred change. */
function afterWaiting({ address, wave }: Outcome): Wait {
  const of = wave === undefined ? '' : ` of the wave ${wave}`
  return { reason: `after ${address}${of}, which waits` }
}
