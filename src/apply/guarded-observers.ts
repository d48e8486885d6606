import type { Observers } from '../api/observers.ts'
import { reasonOf } from '../model/failure.ts'
import type { Recorder } from './record/recorder.ts'

/**
 * The same recorder, which never throws: what it throws is its failure, after which nothing new is started,
 * as after a line that could not be written.
 */
export function guardedRecorder(recorder: Recorder, observers: Observers): Recorder {
  let failure: string | undefined
  const fail = (thrown: unknown) => {
    failure ??= reasonOf(thrown)
    observers.keep(thrown)
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
    readBack: (change, seen) => record(() => recorder.readBack(change, seen)),
    waveBegins: wave => record(() => recorder.waveBegins(wave)),
    waveEnds: (wave, problem) => record(() => recorder.waveEnds(wave, problem)),
    settled: outcome => record(() => recorder.settled(outcome))
  }
}
