import type { Recorder } from './record/recorder.ts'
import type { ApplyContext } from './send.ts'
import { fatalReason } from './update-errors.ts'

/** What stops a run from starting anything new. */
export interface StopSignal {
  /** The first reason there was; undefined as long as there is none. */
  readonly reason: () => string | undefined
  readonly pull: (reason: string) => void
}

interface BrakeOptions {
  readonly interrupted: AbortSignal
  readonly recorder: Pick<Recorder, 'failure'>
}

/** A brake that is pulled by itself when the run is interrupted, or cannot be recorded any more. */
export function stopSignalOf({ interrupted, recorder }: BrakeOptions): StopSignal {
  let first: string | undefined
  const pull = (reason: string) => {
    first ??= reason
  }
  const reason = () => {
    if (interrupted.aborted) pull('interrupted')
    if (recorder.failure !== undefined) pull('the record could not be written any more')
    return first
  }
  return { reason, pull }
}

/** The same service; when it takes no more requests of this run, the run ends. */
export function stopOnFatalError(
  writer: ApplyContext['writer'],
  brake: StopSignal
): ApplyContext['writer'] {
  const watch = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked
    } catch (error) {
      const reason = fatalReason(error)
      if (reason !== undefined) brake.pull(reason)
      throw error
    }
  }
  return {
    readWlan: (...wlan) => watch(writer.readWlan(...wlan)),
    updateWlan: (...update) => watch(writer.updateWlan(...update))
  }
}
