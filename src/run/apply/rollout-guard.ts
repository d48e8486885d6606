import { type Observers, reasonOf } from '../../core/model/failure.ts'
import { mayHaveChanged, type Outcome, outcomeData } from '../../core/model/outcome.ts'
import type { PlannedWave } from '../../core/plan/rollout.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { inParallelGroups } from '../../service/http/concurrency.ts'
import { type ApplyContext, StopSignal } from './change.ts'
import { putBack, type SettledChange } from './put-back.ts'
import { LAG, type SentUpdate, verify } from './verify.ts'

/** How a run holds its waves, rolls failed ones back, and asks for confirmation. */
export interface Guards {
  /** Reads the WLANs of a wave again after `wait`, which resolves with false if it is interrupted. */
  readonly hold?: {
    readonly seconds: number
    readonly wait: (wave: PlannedWave) => Promise<boolean>
  }
  /** Puts back the changes of a failed wave, or also those of the waves before; default: nothing. */
  readonly revertOnFailure?: 'wave' | 'all'
  /** Puts back all changes unless `ask` confirms them; `ask` returns why not. */
  readonly confirm?: {
    readonly seconds: number
    readonly ask: (changes: number) => Promise<string | undefined>
  }
  /** Called before changes are put back, with the reason and their number. */
  readonly onPutBack: (why: string, changes: number) => void
  /** With `confirm`, this signal stops putting changes back; without it, an interrupt does. */
  readonly abortSignal: AbortSignal
}

const noGuards: Guards = {
  onPutBack: () => undefined,
  abortSignal: new AbortController().signal
}

interface HeldChange {
  readonly settled: SettledChange
  /** The reason why the wave fails; absent if the WLAN is as the update left it. */
  readonly problem?: string
}

interface GuardedRun {
  readonly guards?: Guards
  readonly parallelism: number
  readonly interrupted: AbortSignal
}

/** Collects the outcomes of a run, holds its waves, and rolls changes back. */
export class RolloutGuard {
  /** The context that the changes of the run must be applied with. */
  readonly context: ApplyContext
  readonly #guards: Guards
  readonly #run: GuardedRun
  readonly #observers: Observers
  /** By address, in the order in which they first got an outcome. */
  readonly #settled = new Map<string, SettledChange>()
  /** By address. */
  readonly #updates = new Map<string, SentUpdate>()

  constructor(run: GuardedRun, context: ApplyContext, observers: Observers) {
    this.#guards = run.guards ?? noGuards
    this.#run = run
    this.#observers = observers
    this.context = { ...context, sentUpdates: this.#updates }
  }

  get revertsOnFailure(): boolean {
    return this.#guards.revertOnFailure !== undefined
  }

  /** The current outcome of each settled change. */
  get outcomes(): Outcome[] {
    return [...this.#settled.values()].map(({ outcome }) => outcome)
  }

  /** Stores and records the outcome of a change, which may replace an earlier one. */
  settle(change: SettledChange): void {
    this.#settled.set(change.outcome.address, change)
    this.context.recorder.record({ step: 'outcome', ...outcomeData(change.outcome) })
  }

  /**
   * Waits, and reads the applied changes of a wave again. Returns why the wave fails, if it does: a field
   * differs from the read-back, declared or not, or a WLAN cannot be read.
   */
  async hold(wave: PlannedWave): Promise<string | undefined> {
    const { hold } = this.#guards
    const { recorder, stopSignal } = this.context
    const applied = this.#of(wave).filter(({ outcome }) => outcome.status === 'applied')
    if (hold === undefined || applied.length === 0) return undefined
    recorder.record({ step: 'wave-holds', ...compact({ wave: wave.name }), seconds: hold.seconds })
    if (!(await hold.wait(wave)) || stopSignal.reason !== undefined) return undefined
    const held = await this.#eachOfSite(applied, settled => this.#readAgain(settled))
    const bad = held.filter(({ problem }) => problem !== undefined)
    const [first] = bad
    if (first === undefined) return undefined
    const more = bad.length === 1 ? '' : ` (${bad.length} of ${held.length} changes)`
    return `${first.settled.outcome.address} ${first.problem}${more}`
  }

  /** Puts back the changes of this wave, or of all waves so far, the newest first. */
  putBack(wave: PlannedWave, why: string): Promise<void> {
    const isAll = this.#guards.revertOnFailure === 'all'
    return this.#putBack(isAll ? [...this.#settled.values()] : this.#of(wave), why)
  }

  /** Without the confirmation of a run with changes, puts them all back and returns the reason. */
  async confirm(): Promise<string | undefined> {
    const { confirm } = this.#guards
    const changed = [...this.#settled.values()].filter(({ outcome }) => mayHaveChanged(outcome))
    if (confirm === undefined || changed.length === 0) return undefined
    const { recorder } = this.context
    recorder.record({ step: 'confirm-begins', seconds: confirm.seconds })
    const problem = this.#run.interrupted.aborted
      ? 'interrupted before the changes were confirmed'
      : await confirm
          .ask(changed.length)
          .catch(thrown => `the question failed: ${reasonOf(thrown)}`)
    recorder.record({ step: 'confirm-ends', ...compact({ problem }) })
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
    recorder.record({ step: 'held', address: outcome.address, seen: seen.status })
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

  /** The newest first. A failed record does not stop it: a later revert finds the former values. */
  async #putBack(changes: readonly SettledChange[], why: string): Promise<void> {
    const changed = changes.filter(({ outcome }) => mayHaveChanged(outcome))
    if (changed.length === 0) return
    const { onPutBack, confirm, abortSignal } = this.#guards
    this.#observers.notify(() => onPutBack(why, changed.length))
    const order = new Map([...this.#settled.keys()].map((address, at) => [address, at]))
    const age = ({ outcome }: SettledChange) => order.get(outcome.address) ?? 0
    const newestFirst = [...changed].sort((a, b) => age(b) - age(a))
    const afterInterrupt = confirm !== undefined
    const ended = confirm === undefined ? this.#run.interrupted : abortSignal
    const stopSignal = new StopSignal(ended, { failure: undefined })
    // Windows and freezes do not defer a rollback.
    const { sentUpdates: _, deferral: __, ...context } = this.context
    await this.#eachOfSite(newestFirst, async each => {
      const undoes = this.#updates.get(each.outcome.address)
      if (undoes === undefined) return
      const undoing = { ...context, undoes, stopSignal, afterInterrupt }
      const outcome = await putBack(each, why, undoing)
      if (outcome !== each.outcome) this.settle({ ...each, outcome })
    })
  }

  /** Calls a function for each change: the sites in parallel, the changes of a site one after the other. */
  #eachOfSite<T>(
    changes: readonly SettledChange[],
    action: (change: SettledChange) => Promise<T>
  ): Promise<T[]> {
    const siteOf = ({ planned }: SettledChange) => planned.change.site.id
    return inParallelGroups(changes, siteOf, this.#run.parallelism, action)
  }
}
