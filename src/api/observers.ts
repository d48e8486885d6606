import { reasonOf } from '../model/failure.ts'

/**
 * Calls the observers of a run: progress, reports, a record. An error of an observer stops nothing; the first
 * one is kept, to be reported once when the run ends.
 */
export class Observers {
  #error: string | undefined

  /** The message of the first error of an observer; undefined as long as there is none. */
  get error(): string | undefined {
    return this.#error
  }

  /** Calls an observer; does not wait for a promise that it returns. */
  notify(call: () => unknown): void {
    try {
      const result = call()
      if (result instanceof Promise) result.catch(thrown => this.recordError(thrown))
    } catch (thrown) {
      this.recordError(thrown)
    }
  }

  /** Keeps the first error. */
  recordError(thrown: unknown): void {
    this.#error ??= reasonOf(thrown)
  }
}
