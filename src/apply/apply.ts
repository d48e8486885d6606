import { Observers } from '../api/observers.ts'
import { inParallel, yielding } from '../api/parallel.ts'
import { byCodeUnit } from '../model/collections.ts'
import { reasonOf } from '../model/failure.ts'
import { isSuccess, type Outcome } from '../model/outcome.ts'
import type { PlannedChange } from '../model/plan.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import { applyChange } from './change.ts'
import { guardedRecorder } from './guarded-observers.ts'
import { outcome } from './outcome.ts'
import type { ApplyContext } from './send.ts'
import { type StopSignal, stopOnFatalError, stopSignalOf } from './stop-signal.ts'

export interface ApplyOptions extends Omit<ApplyContext, 'halted'> {
  /** Sites worked on at once. */
  readonly parallelism: number
  /** Start nothing new after the first change that is neither applied nor unchanged. */
  readonly failFast: boolean
  /** Start nothing new once this is aborted. */
  readonly interrupted: AbortSignal
  /** Told of each wave before its first change; what it gives is called when the last one is done. */
  readonly onWave: (wave: PlannedWave) => () => void
  /** Told of each outcome as it comes. */
  readonly onOutcome: (outcome: Outcome) => void
  /** Asked after a wave all of which is as declared: why it is not good all the same, if so. */
  readonly check: (wave: PlannedWave) => Promise<string | undefined>
  /** Takes the time that has to pass after a good wave before the next one; less if interrupted. */
  readonly pause: (wave: PlannedWave, next: PlannedWave) => Promise<void>
}

/** What became of a run. */
export interface ApplyResult {
  /** One for each change, sorted by address. */
  readonly outcomes: readonly Outcome[]
  /** The wave that was not good, and why: `wave canary: hq/guest is diverged`. */
  readonly failedWave?: string
  /** What the first observer that failed has thrown: it ended nothing, and is to be told. */
  readonly observerError?: string
}

/**
 * Executes planned changes, wave by wave: the sites of a wave side by side, the changes of a site one
 * after the other. After a wave that is not good nothing is begun. Every change gets its outcome, also
 * when the run is cut short; it thinks up nothing itself.
 */
export async function applyChanges(
  waves: readonly PlannedWave[],
  given: ApplyOptions
): Promise<ApplyResult> {
  const observers = new Observers()
  const options = { ...given, recorder: guardedRecorder(given.recorder, observers) }
  const brake = stopSignalOf(options)
  const run: Run = {
    options,
    observers,
    brake,
    tools: { ...options, writer: stopOnFatalError(options.writer, brake), halted: brake.reason },
    inWaves: waves.some(({ name }) => name !== undefined)
  }
  // A wave without changes is looked at, too, as long as others wait for it.
  const busy = waves.slice(0, waves.findLastIndex(({ changes }) => changes.length > 0) + 1)
  const outcomes: Outcome[] = []
  let failedWave: string | undefined
  for (const [at, wave] of busy.entries()) {
    const { done, failure } = await applyWave(wave, busy[at + 1], run)
    outcomes.push(...done)
    failedWave ??= failure
  }
  outcomes.sort((a, b) => byCodeUnit(a.address, b.address))
  const observerError = observers.error
  return {
    outcomes,
    ...(failedWave === undefined ? {} : { failedWave }),
    ...(observerError === undefined ? {} : { observerError })
  }
}

interface Run {
  readonly options: ApplyOptions
  /** Those of the options are called through it. */
  readonly observers: Observers
  readonly brake: StopSignal
  readonly tools: ApplyContext
  /** False where there is one wave only, of all sites. */
  readonly inWaves: boolean
}

async function applyWave(wave: PlannedWave, next: PlannedWave | undefined, run: Run) {
  const { brake, options, observers, inWaves } = run
  if (brake.reason() !== undefined) return { done: await applyWaveChanges(wave, run) }
  if (inWaves) options.recorder.waveBegins(wave)
  let end: () => unknown = () => undefined
  observers.notify(() => {
    end = options.onWave(wave)
  })
  const done = await applyWaveChanges(wave, run)
  observers.notify(end)
  const problem = brake.reason() === undefined ? await problemOf(wave, done, run) : undefined
  // What interrupts the check ends the wave, too.
  if (inWaves) options.recorder.waveEnds(wave, brake.reason() ?? problem)
  if (problem !== undefined) {
    const failure = inWaves ? `${titleOf(wave)}: ${problem}` : problem
    brake.pull(failure)
    return { done, failure }
  }
  const pauses = brake.reason() === undefined && wave.changes.length > 0
  if (pauses && next !== undefined) {
    await options.pause(wave, next).catch(thrown => {
      brake.pull(`the pause after ${titleOf(wave)} failed: ${reasonOf(thrown)}`)
    })
  }
  return { done }
}

/** Why a wave is not good; without waves, what became of each change says enough. */
async function problemOf(
  wave: PlannedWave,
  done: readonly Outcome[],
  { options, inWaves }: Run
): Promise<string | undefined> {
  const bad = done.filter(outcome => !isSuccess(outcome))
  const [first] = bad
  if (first === undefined && wave.obstacle === undefined) {
    return options.check(wave).catch(thrown => `the check failed: ${reasonOf(thrown)}`)
  }
  if (!inWaves) return undefined
  if (first === undefined) return wave.obstacle
  const more = bad.length === 1 ? '' : ` (${bad.length} of ${done.length} changes not applied)`
  return `${first.address} is ${first.status}${more}`
}

/** What a wave is called in a sentence. */
function titleOf({ name }: PlannedWave): string {
  return name === undefined ? 'last wave' : `wave ${name}`
}

async function applyWaveChanges({ name, changes }: PlannedWave, run: Run): Promise<Outcome[]> {
  const { brake, tools, options, observers } = run
  const rest = yielding()
  const bySite = await inParallel(groupBySite(changes), options.parallelism, async siteChanges => {
    const outcomes: Outcome[] = []
    for (const change of siteChanges) {
      const became = await oneChange(change, tools)
      const next = name === undefined ? became : { ...became, wave: name }
      if (options.failFast && !isSuccess(next)) {
        brake.pull(`${next.address} is ${next.status} (--fail-fast)`)
      }
      options.recorder.settled(next)
      observers.notify(() => options.onOutcome(next))
      outcomes.push(next)
      await rest()
    }
    return outcomes
  })
  return bySite.flat()
}

async function oneChange(planned: PlannedChange, tools: ApplyContext): Promise<Outcome> {
  const reason = tools.halted()
  return reason === undefined
    ? applyChange(planned, tools)
    : outcome(planned.change, 'skipped', { reason })
}

/** The changes of each site, in the order in which the sites first come. */
function groupBySite(changes: readonly PlannedChange[]): PlannedChange[][] {
  const sites = new Map<string, PlannedChange[]>()
  for (const planned of changes) {
    const { id } = planned.change.site
    const others = sites.get(id)
    if (others) others.push(planned)
    else sites.set(id, [planned])
  }
  return [...sites.values()]
}
