import { reasonOf } from '../model/failure.ts'

/**
 * Calls the observers of a run, such as progress, reports and a record. An error of an observer does not stop
 * the run; the first one is reported at the end.
 */
export class Observers {
  #error: string | undefined

  /** The message of the first error of an observer; undefined if there is none. */
  get error(): string | undefined {
    return this.#error
  }

  /** Calls an observer without awaiting a promise that it returns. */
  notify(call: () => unknown): void {
    try {
      const result = call()
      if (result instanceof Promise) result.catch(thrown => this.recordError(thrown))
    } catch (thrown) {
      this.recordError(thrown)
    }
  }

  /** Stores the error if it is the first one. */
  recordError(thrown: unknown): void {
    this.#error ??= reasonOf(thrown)
  }
}
