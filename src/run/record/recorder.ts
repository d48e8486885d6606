import { type Observers, reasonOf } from '../../core/model/failure.ts'
import type { Judgement, Measurement } from '../../core/model/judgement.ts'
import type { Outcome } from '../../core/model/outcome.ts'
import type { Change } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import type { PlannedWave } from '../../core/plan/rollout.ts'
import { compact } from '../../core/values/collections.ts'
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
  /** The metrics of sites were measured. */
  measured(measurement: Measurement): void
  /** A wave was judged, of this run or of an earlier one. */
  judged(judgement: Judgement): void
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
  measured: () => undefined,
  judged: () => undefined,
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
    measured: measurement => record(() => recorder.measured(measurement)),
    judged: judgement => record(() => recorder.judged(judgement)),
    settled: outcome => record(() => recorder.settled(outcome))
  }
}

/** A recorder that also keeps the steps of each change, by address. */
export interface TimelineRecorder extends Recorder {
  readonly timeline: ReadonlyMap<string, readonly TimelineEvent[]>
  readonly judgements: readonly Judgement[]
}

/** Keeps the time of each step for the report of the run, and forwards all steps to another recorder. */
export function timelineRecorder(recorder: Recorder, now: () => Date): TimelineRecorder {
  const timeline = new Map<string, TimelineEvent[]>()
  const judgements: Judgement[] = []
  const add = (address: string, step: TimelineEvent['step'], note?: string) => {
    const event = { at: now().toISOString(), step, ...compact({ note }) }
    timeline.set(address, [...(timeline.get(address) ?? []), event])
  }
  const attemptNote = (attempt: number) => (attempt > 1 ? `attempt ${attempt}` : undefined)
  return {
    timeline,
    judgements,
    measured: measurement => recorder.measured(measurement),
    judged(judgement) {
      judgements.push(judgement)
      recorder.judged(judgement)
    },
    get failure() {
      return recorder.failure
    },
    sending(change, attempt) {
      add(change.address, 'sending', attemptNote(attempt))
      return recorder.sending(change, attempt)
    },
    answered(change, error) {
      add(change.address, 'answered', error === undefined ? undefined : reasonOf(error))
      recorder.answered(change, error)
    },
    readBack(change, seen) {
      add(change.address, 'read', seen.status)
      recorder.readBack(change, seen)
    },
    held(change, seen) {
      add(change.address, 'held', seen.status)
      recorder.held(change, seen)
    },
    reverting(change, attempt) {
      add(change.address, 'reverting', attemptNote(attempt))
      return recorder.reverting(change, attempt)
    },
    settled(outcome) {
      add(outcome.address, 'outcome')
      recorder.settled(outcome)
    },
    waveBegins: wave => recorder.waveBegins(wave),
    waveHolds: (wave, seconds) => recorder.waveHolds(wave, seconds),
    waveEnds: (wave, problem) => recorder.waveEnds(wave, problem),
    confirmBegins: seconds => recorder.confirmBegins(seconds),
    confirmEnds: problem => recorder.confirmEnds(problem)
  }
}
