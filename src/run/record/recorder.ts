import { type Observers, reasonOf } from '../../core/model/failure.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import { compact } from '../../core/values/collections.ts'
import type { RunStep, StartStep } from './write.ts'

/** Receives the steps of a run. */
export interface Recorder {
  /** After this error nothing more can be recorded, so nothing new starts. */
  readonly failure: string | undefined
  /** Records a step that happened. */
  record(step: RunStep): void
  /** Records an update before it is sent. Resolves when it is durable that the change was started. */
  starting(step: StartStep): Promise<void>
}

export const noRecorder: Recorder = {
  failure: undefined,
  record: () => undefined,
  starting: async () => undefined
}

/** Never throws: an error becomes its `failure`, after which nothing new starts. */
export function guardedRecorder(recorder: Recorder, observers: Observers): Recorder {
  let failure: string | undefined
  const fail = (thrown: unknown) => {
    failure ??= reasonOf(thrown)
    observers.recordError(thrown)
  }
  return {
    get failure() {
      return failure ?? recorder.failure
    },
    record(step) {
      if (failure !== undefined) return
      try {
        recorder.record(step)
      } catch (thrown) {
        fail(thrown)
      }
    },
    async starting(step) {
      if (failure === undefined) await recorder.starting(step).catch(fail)
    }
  }
}

/** A recorder that also keeps the steps of each change, by address. */
interface TimelineRecorder extends Recorder {
  readonly timeline: ReadonlyMap<string, readonly TimelineEvent[]>
}

/** Keeps the time of each step for the report of the run, and forwards all steps to another recorder. */
export function timelineRecorder(recorder: Recorder, now: () => Date): TimelineRecorder {
  const timeline = new Map<string, TimelineEvent[]>()
  const keep = (step: RunStep) => {
    if ('address' in step) {
      const event = timelineEvent(step, now().toISOString())
      timeline.set(step.address, [...(timeline.get(step.address) ?? []), event])
    }
  }
  return {
    timeline,
    get failure() {
      return recorder.failure
    },
    record(step) {
      keep(step)
      recorder.record(step)
    },
    starting(step) {
      keep(step)
      return recorder.starting(step)
    }
  }
}

export function timelineEvent(
  step: Extract<RunStep, { readonly address: string }>,
  at: string
): TimelineEvent {
  return { at, step: step.step, ...compact({ note: noteOf(step) }) }
}

function noteOf(step: Extract<RunStep, { readonly address: string }>): string | undefined {
  switch (step.step) {
    case 'sending':
      return step.attempt > 1 ? `attempt ${step.attempt}` : undefined
    case 'answered':
      return step.error
    case 'read':
      return step.seen
    case 'outcome':
      return undefined
  }
}
