import { nearest } from '../../schema/nearest.ts'

/** Names that are compared in a run before it stops guessing: thousands of mistakes need no hints. */
const MAX_COMPARISONS = 50_000

/** Guesses what somebody meant by an unknown name, at bounded cost. */
export class Suggestions {
  #left = MAX_COMPARISONS

  /** The known name that is near, if one is. */
  near(name: string, known: readonly string[]): string | undefined {
    this.#left -= known.length
    return this.#left < 0 ? undefined : nearest(name, known)
  }

  /** The same among the keys of a map. */
  nearKey(name: string, known: ReadonlyMap<string, unknown>): string | undefined {
    this.#left -= known.size
    return this.#left < 0 ? undefined : nearest(name, known.keys())
  }
}
