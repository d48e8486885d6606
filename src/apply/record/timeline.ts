import { reasonOf } from '../../model/failure.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import type { TimelineEvent } from '../../model/record.ts'
import type { PlannedWave } from '../../plan/rollout.ts'
import type { Verified } from '../verify.ts'
import type { Recorder } from './recorder.ts'

/** Notes when each step was, for the report of the run, and passes all of it on to the record. */
export class TimelineRecorder implements Recorder {
  readonly #recorder: Recorder
  readonly #now: () => Date
  readonly #moments = new Map<string, TimelineEvent[]>()

  constructor(recorder: Recorder, now: () => Date) {
    this.#recorder = recorder
    this.#now = now
  }

  get failure(): string | undefined {
    return this.#recorder.failure
  }

  /** What was noted of each change, by address. */
  get moments(): ReadonlyMap<string, readonly TimelineEvent[]> {
    return this.#moments
  }

  sending(change: Change, attempt: number): Promise<void> {
    this.#note(change.address, 'sending', attempt > 1 ? `attempt ${attempt}` : undefined)
    return this.#recorder.sending(change, attempt)
  }

  answered(change: Change, error: unknown): void {
    this.#note(change.address, 'answered', error === undefined ? undefined : reasonOf(error))
    this.#recorder.answered(change, error)
  }

  readBack(change: Change, seen: Verified): void {
    this.#note(change.address, 'read', seen.status)
    this.#recorder.readBack(change, seen)
  }

  waveBegins(wave: PlannedWave): void {
    this.#recorder.waveBegins(wave)
  }

  waveEnds(wave: PlannedWave, problem: string | undefined): void {
    this.#recorder.waveEnds(wave, problem)
  }

  settled(outcome: Outcome): void {
    this.#note(outcome.address, 'outcome')
    this.#recorder.settled(outcome)
  }

  #note(address: string, step: TimelineEvent['step'], note?: string): void {
    const moments = this.#moments.get(address) ?? []
    this.#moments.set(address, moments)
    const at = this.#now().toISOString()
    moments.push({ at, step, ...(note === undefined ? {} : { note }) })
  }
}
