import { reasonOf } from '../model/failure.ts'

/**
 * Calls the observers of a run: progress, reports, a record. What an observer throws ends nothing; the first
 * error is kept, to be told once when the run is over.
 */
export class Observers {
  #error: string | undefined

  /** What the first observer that failed has thrown; undefined as long as none has. */
  get error(): string | undefined {
    return this.#error
  }

  /** Calls one; a promise that it gives is not waited for. */
  notify(call: () => unknown): void {
    try {
      const given = call()
      if (given instanceof Promise) given.catch(thrown => this.keep(thrown))
    } catch (thrown) {
      this.keep(thrown)
    }
  }

  /** Takes note of what an observer has thrown. */
  keep(thrown: unknown): void {
    this.#error ??= reasonOf(thrown)
  }
}
