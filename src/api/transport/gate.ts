import type { Clock } from '../clock.ts'
import type { ApiError } from '../error.ts'

/**
 * Holds back every request of a run while the service asks for quiet: a 429 that one of them gets
 * is meant for all.
 */
export class Gate {
  readonly #clock: Clock
  #openAt = Number.NEGATIVE_INFINITY
  #shut: ApiError | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits until the gate is open; gives false if the wait was cut. Throws why it stays shut. */
  async pass(until?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (this.#shut !== undefined) throw this.#shut
      const left = this.#openAt - this.#clock.now()
      if (left <= 0) return true
      if (!(await this.#clock.sleep(left, until))) return false
    }
  }

  /** Closes it for so many milliseconds, at least. */
  close(milliseconds: number): void {
    this.#openAt = Math.max(this.#openAt, this.#clock.now() + milliseconds)
  }

  /** Closes it for the rest of the run. */
  shut(reason: ApiError): void {
    this.#shut ??= reason
  }
}
