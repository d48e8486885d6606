import type { Source } from '../files/source.ts'

/**
 * How much work a fleet may cause beyond its own size. Profiles, variables, rules and lists of sites
 * multiply what a few files say; an honest fleet stays far below, a hostile one is stopped.
 */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** Takes steps from what is left. False once nothing is. */
  spend(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }

  get exhausted(): boolean {
    return this.#left < 0
  }
}

/** The budget of the values that these files declare. */
export function budgetFor(sources: readonly Source[]): Budget {
  return new Budget(2_000_000 + sources.reduce((total, { text }) => total + text.length, 0))
}
