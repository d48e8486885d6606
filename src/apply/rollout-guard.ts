import { inParallelGroups } from '../api/concurrency.ts'
import type { Observers } from '../api/observers.ts'
import { byCodeUnit } from '../model/collections.ts'
import { reasonOf } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import type { PlannedWave } from '../plan/rollout.ts'
import type { ApplyContext } from './change.ts'
import { mayHaveChanged, putBack, type SettledChange } from './put-back.ts'
import { StopSignal } from './stop-signal.ts'
import { type SentUpdate, verify } from './verify.ts'

/** What a run does where a rollout may have to be turned back. */
export interface Guards {
  /** Reads the WLANs of a good wave again after `wait`, which resolves with false if it was cut short. */
  readonly hold?: {
    readonly seconds: number
    readonly wait: (wave: PlannedWave) => Promise<boolean>
  }
  /** Puts back what a failed wave changed. */
  readonly revertOnFailure: boolean
  /** Puts everything back unless `ask` confirms it; it gives why not. */
  readonly confirm?: {
    readonly seconds: number
    readonly ask: (changes: number) => Promise<string | undefined>
  }
  /** Called before changes are put back. */
  readonly onPutBack: (why: string, changes: number) => void
  /** Ends putting back what is to be confirmed; without `confirm`, an interrupt does. */
  readonly cut: AbortSignal
}

/** Reads may lag behind: a WLAN that is not as it was is read again for this long, in milliseconds. */
const LAG = 2_000

const noGuards: Guards = {
  revertOnFailure: false,
  onPutBack: () => undefined,
  cut: new AbortController().signal
}

/** A change that was read again after the hold of its wave. */
interface HeldChange {
  readonly settled: SettledChange
  /** Why the wave fails; absent where the WLAN is as the update left it. */
  readonly problem?: string
}

/** The options of a run that its guard needs. */
interface GuardedRun {
  readonly guards?: Guards
  readonly parallelism: number
  readonly interrupted: AbortSignal
}

/** Keeps the outcomes of a run, holds its waves, and puts changes back. */
export class RolloutGuard {
  /** With it the changes of the run are applied. */
  readonly context: ApplyContext
  readonly #guards: Guards
  readonly #run: GuardedRun
  readonly #observers: Observers
  /** By address, in the order in which they were first settled. */
  readonly #settled = new Map<string, SettledChange>()
  /** By address; empty unless waves are held. */
  readonly #updates = new Map<string, SentUpdate>()

  constructor(run: GuardedRun, context: ApplyContext, observers: Observers) {
    this.#guards = run.guards ?? noGuards
    this.#run = run
    this.#observers = observers
    this.context = this.#guards.hold ? { ...context, sentUpdates: this.#updates } : context
  }

  get revertsOnFailure(): boolean {
    return this.#guards.revertOnFailure
  }

  /** The present outcome of each settled change. */
  get outcomes(): Outcome[] {
    return [...this.#settled.values()].map(({ outcome }) => outcome)
  }

  /** Keeps and records the outcome of a change, which may replace an earlier one. */
  settle(change: SettledChange): void {
    this.#settled.set(change.outcome.address, change)
    this.context.recorder.settled(change.outcome)
  }

  /**
   * Waits, and reads the applied changes of a wave again; gives why the wave fails. Any field that differs
   * from the read-back, declared or not, fails it, and so does a WLAN that cannot be read.
   */
  async hold(wave: PlannedWave): Promise<string | undefined> {
    const { hold } = this.#guards
    const { recorder, stopSignal } = this.context
    const applied = this.#of(wave).filter(({ outcome }) => outcome.status === 'applied')
    if (hold === undefined || applied.length === 0) return undefined
    recorder.waveHolds(wave, hold.seconds)
    if (!(await hold.wait(wave)) || stopSignal.reason !== undefined) return undefined
    const held = await this.#eachOfSite(applied, settled => this.#readAgain(settled))
    const bad = held.filter(({ problem }) => problem !== undefined)
    const [first] = bad
    if (first === undefined) return undefined
    const more = bad.length === 1 ? '' : ` (${bad.length} of ${held.length} changes)`
    return `${first.settled.outcome.address} ${first.problem}${more}`
  }

  /** Puts back what this wave changed, the newest change first. */
  putBack(wave: PlannedWave, why: string): Promise<void> {
    return this.#putBack(this.#of(wave), why)
  }

  /**
   * Waits for the confirmation of a run that changed anything; puts all of it back without one, and gives why.
   */
  async confirm(): Promise<string | undefined> {
    const { confirm } = this.#guards
    const changed = [...this.#settled.values()].filter(({ outcome }) => mayHaveChanged(outcome))
    if (confirm === undefined || changed.length === 0) return undefined
    const { recorder } = this.context
    recorder.confirmBegins(confirm.seconds)
    const problem = this.#run.interrupted.aborted
      ? 'interrupted before the changes were confirmed'
      : await confirm
          .ask(changed.length)
          .catch(thrown => `the question failed: ${reasonOf(thrown)}`)
    recorder.confirmEnds(problem)
    if (problem !== undefined) await this.#putBack(changed, problem)
    return problem
  }

  #of({ changes }: PlannedWave): SettledChange[] {
    return changes.flatMap(({ change }) => this.#settled.get(change.address) ?? [])
  }

  async #readAgain(settled: SettledChange): Promise<HeldChange> {
    const { writer, clock, recorder, stopSignal } = this.context
    const { planned, outcome } = settled
    const update = this.#updates.get(outcome.address)
    if (update === undefined) return { settled }
    const seen = await verify(update, writer, LAG, clock)
    recorder.held(planned.change, seen)
    if (seen.status === 'unread') {
      stopSignal.stop(seen.fatalReason)
      return { settled, problem: `could not be read after the hold: ${seen.reason}` }
    }
    const others = seen.sideEffects.filter(pointer => !outcome.sideEffects.includes(pointer))
    const moved = [...seen.fields.map(({ pointer }) => pointer), ...others].sort(byCodeUnit)
    if (moved.length === 0) return { settled }
    const sideEffects = [...outcome.sideEffects, ...others].sort(byCodeUnit)
    const edited = { fields: seen.fields, reason: 'applied, and edited during the hold' } as const
    const changed: SettledChange =
      seen.status === 'applied'
        ? { planned, outcome: { ...outcome, sideEffects } }
        : {
            planned,
            outcome: { ...outcome, status: 'diverged', ...edited, sideEffects },
            moved: true
          }
    this.settle(changed)
    return { settled: changed, problem: `moved during the hold (${moved.join(', ')})` }
  }

  /**
   * Puts changes back, the newest first. A record that cannot be written does not stop it: a later revert finds
   * these WLANs as before.
   */
  async #putBack(changes: readonly SettledChange[], why: string): Promise<void> {
    const changed = changes.filter(({ outcome }) => mayHaveChanged(outcome))
    if (changed.length === 0) return
    const { onPutBack, confirm, cut } = this.#guards
    this.#observers.notify(() => onPutBack(why, changed.length))
    const order = new Map([...this.#settled.keys()].map((address, at) => [address, at]))
    const age = ({ outcome }: SettledChange) => order.get(outcome.address) ?? 0
    const newestFirst = [...changed].sort((a, b) => age(b) - age(a))
    const afterInterrupt = confirm !== undefined
    const ended = confirm === undefined ? this.#run.interrupted : cut
    const stopSignal = new StopSignal(ended, { failure: undefined })
    // What is put back waits for no window.
    const { sentUpdates: _, deferral: __, ...context } = this.context
    await this.#eachOfSite(newestFirst, async each => {
      const outcome = await putBack(each, why, { ...context, stopSignal, afterInterrupt })
      if (outcome !== each.outcome) this.settle({ ...each, outcome })
    })
  }

  /** Does the same with each change: the sites in parallel, the changes of a site one after the other. */
  #eachOfSite<T>(
    changes: readonly SettledChange[],
    action: (change: SettledChange) => Promise<T>
  ): Promise<T[]> {
    const siteOf = ({ planned }: SettledChange) => planned.change.site.id
    return inParallelGroups(changes, siteOf, this.#run.parallelism, action)
  }
}
