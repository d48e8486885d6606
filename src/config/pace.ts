import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work after which signals, timers and sockets get their turn. */
const SLICE = 20

/**
 * Lets others work while a fleet is read and validated: signals, timers and sockets get their turn
 * after each slice of time.
 */
export class Pace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  /** With a signal, a run that was interrupted ends at its next turn. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** True once a slice is over, and `turn` is to be waited for. To be asked after each unit of work. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE
  }

  /** Gives others their turn. Rejects once the run is interrupted. */
  async turn(): Promise<void> {
    await setImmediate()
    this.#signal?.throwIfAborted()
    this.#since = performance.now()
  }
}
