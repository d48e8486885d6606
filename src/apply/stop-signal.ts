import type { Recorder } from './record/recorder.ts'

/** Stops a run from starting anything new. Requests in progress continue. */
export class StopSignal {
  readonly #interrupted: AbortSignal
  readonly #recorder: Pick<Recorder, 'failure'>
  #reason: string | undefined

  /** Stops automatically when the run is interrupted or can no longer be recorded. */
  constructor(interrupted: AbortSignal, recorder: Pick<Recorder, 'failure'>) {
    this.#interrupted = interrupted
    this.#recorder = recorder
  }

  /** The first reason to stop; undefined if there is none. */
  get reason(): string | undefined {
    if (this.#interrupted.aborted) this.stop('interrupted')
    if (this.#recorder.failure !== undefined) this.stop('the record could not be written any more')
    return this.#reason
  }

  /** Stops the run; does nothing without a reason. */
  stop(reason: string | undefined): void {
    this.#reason ??= reason
  }
}
