import { type Observers, reasonOf } from '../../core/model/failure.ts'
import type { Outcome } from '../../core/model/outcome.ts'
import type { Change } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import type { PlannedWave } from '../../core/plan/rollout.ts'
import type { Verified } from '../apply/verify.ts'

/** Receives the steps of each change before and after they happen. */
export interface Recorder {
  /** After this error nothing more can be recorded, so nothing new starts. */
  readonly failure: string | undefined
  /** An update is about to be sent. Resolves when it is durable that the change was started. */
  sending(change: Change, attempt: number): Promise<void>
  /** The service responded, or the request failed; no `error` if the service accepted the update. */
  answered(change: Change, error: unknown): void
  readBack(change: Change, seen: Verified): void
  /** A wave whose changes are applied is held for this number of seconds. */
  waveHolds(wave: PlannedWave, seconds: number): void
  /** A WLAN was read again after the hold. */
  held(change: Change, seen: Verified): void
  /** The former values are about to be sent. Resolves as `sending` does. */
  reverting(change: Change, attempt: number): Promise<void>
  /** The run waits at most this number of seconds for a confirmation of its changes. */
  confirmBegins(seconds: number): void
  /** `problem`: the reason why the changes are put back; undefined if they were confirmed. */
  confirmEnds(problem: string | undefined): void
  waveBegins(wave: PlannedWave): void
  /** `problem`: the reason why no later wave starts; undefined after a successful wave. */
  waveEnds(wave: PlannedWave, problem: string | undefined): void
  settled(outcome: Outcome): void
}

/** A recorder that records nothing. */
export const noRecorder: Recorder = {
  failure: undefined,
  sending: async () => undefined,
  answered: () => undefined,
  readBack: () => undefined,
  waveHolds: () => undefined,
  held: () => undefined,
  reverting: async () => undefined,
  confirmBegins: () => undefined,
  confirmEnds: () => undefined,
  waveBegins: () => undefined,
  waveEnds: () => undefined,
  settled: () => undefined
}

/** Never throws: an error becomes its `failure`, after which nothing new starts. */
export function guardedRecorder(recorder: Recorder, observers: Observers): Recorder {
  let failure: string | undefined
  const fail = (thrown: unknown) => {
    failure ??= reasonOf(thrown)
    observers.recordError(thrown)
  }
  const record = (step: () => void) => {
    if (failure !== undefined) return
    try {
      step()
    } catch (thrown) {
      fail(thrown)
    }
  }
  return {
    get failure() {
      return failure ?? recorder.failure
    },
    async sending(change, attempt) {
      if (failure === undefined) await recorder.sending(change, attempt).catch(fail)
    },
    answered: (change, error) => record(() => recorder.answered(change, error)),
    async reverting(change, attempt) {
      if (failure === undefined) await recorder.reverting(change, attempt).catch(fail)
    },
    readBack: (change, seen) => record(() => recorder.readBack(change, seen)),
    waveHolds: (wave, seconds) => record(() => recorder.waveHolds(wave, seconds)),
    held: (change, seen) => record(() => recorder.held(change, seen)),
    confirmBegins: seconds => record(() => recorder.confirmBegins(seconds)),
    confirmEnds: problem => record(() => recorder.confirmEnds(problem)),
    waveBegins: wave => record(() => recorder.waveBegins(wave)),
    waveEnds: (wave, problem) => record(() => recorder.waveEnds(wave, problem)),
    settled: outcome => record(() => recorder.settled(outcome))
  }
}

/** Records the time of each step for the report of the run, and forwards all steps to another recorder. */
export class TimelineRecorder implements Recorder {
  readonly #recorder: Recorder
  readonly #now: () => Date
  readonly #events = new Map<string, TimelineEvent[]>()

  constructor(recorder: Recorder, now: () => Date) {
    this.#recorder = recorder
    this.#now = now
  }

  get failure(): string | undefined {
    return this.#recorder.failure
  }

  /** The steps of each change, by address. */
  get timeline(): ReadonlyMap<string, readonly TimelineEvent[]> {
    return this.#events
  }

  sending(change: Change, attempt: number): Promise<void> {
    this.#add(change.address, 'sending', attempt > 1 ? `attempt ${attempt}` : undefined)
    return this.#recorder.sending(change, attempt)
  }

  answered(change: Change, error: unknown): void {
    this.#add(change.address, 'answered', error === undefined ? undefined : reasonOf(error))
    this.#recorder.answered(change, error)
  }

  readBack(change: Change, seen: Verified): void {
    this.#add(change.address, 'read', seen.status)
    this.#recorder.readBack(change, seen)
  }

  waveHolds(wave: PlannedWave, seconds: number): void {
    this.#recorder.waveHolds(wave, seconds)
  }

  held(change: Change, seen: Verified): void {
    this.#add(change.address, 'held', seen.status)
    this.#recorder.held(change, seen)
  }

  reverting(change: Change, attempt: number): Promise<void> {
    this.#add(change.address, 'reverting', attempt > 1 ? `attempt ${attempt}` : undefined)
    return this.#recorder.reverting(change, attempt)
  }

  confirmBegins(seconds: number): void {
    this.#recorder.confirmBegins(seconds)
  }

  confirmEnds(problem: string | undefined): void {
    this.#recorder.confirmEnds(problem)
  }

  waveBegins(wave: PlannedWave): void {
    this.#recorder.waveBegins(wave)
  }

  waveEnds(wave: PlannedWave, problem: string | undefined): void {
    this.#recorder.waveEnds(wave, problem)
  }

  settled(outcome: Outcome): void {
    this.#add(outcome.address, 'outcome')
    this.#recorder.settled(outcome)
  }

  #add(address: string, step: TimelineEvent['step'], note?: string): void {
    const events = this.#events.get(address) ?? []
    this.#events.set(address, events)
    const at = this.#now().toISOString()
    events.push({ at, step, ...(note === undefined ? {} : { note }) })
  }
}
