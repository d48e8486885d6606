import { hrtime } from 'node:process'
import { RE2JS, RE2JSException } from 're2js'
import { getOrInsert } from '../../../core/values/collections.ts'
import { type Budget, limits } from '../../limits.ts'
import { RuleTimeout } from './evaluation.ts'

/** Loaded only for a fleet with rules, because loading code takes most of the time of a short run. */

/** The steps that compiling an instruction of a pattern costs. */
const COMPILING = 200

/** The most milliseconds for a character and an instruction; most patterns take a thousandth, so they are timed. */
const SLOWEST = 0.0004

/** True if a string contains a match. Throws a `RuleTimeout` if that takes too long. */
export type Matcher = (text: string) => boolean

/** Compiles patterns. A pattern that RE2 rejects, such as a lookaround, gives the reason as a string. */
export class Patterns {
  readonly #budget: Budget
  readonly #compiled = new Map<string, Matcher | string>()

  /** Milliseconds that are left for matching. */
  #left: number

  constructor(budget: Budget, milliseconds: number = limits.patternTime) {
    this.#budget = budget
    this.#left = milliseconds
  }

  compile(pattern: string): Matcher | string {
    return getOrInsert(this.#compiled, pattern, () => this.#compile(pattern))
  }

  #compile(pattern: string): Matcher | string {
    try {
      const compiled = RE2JS.compile(pattern)
      const size = compiled.programSize()
      if (!this.#budget.spend(size * COMPILING)) throw new RuleTimeout()
      return text => {
        const most = text.length * size * SLOWEST
        if (most > limits.match || this.#left < 0) throw new RuleTimeout()
        const start = hrtime()
        const isMatch = compiled.test(text)
        const [seconds, nanoseconds] = hrtime(start)
        // The process may have been paused meanwhile.
        this.#left -= Math.min(seconds * 1000 + nanoseconds / 1e6, most)
        return isMatch
      }
    } catch (thrown) {
      if (!(thrown instanceof RE2JSException)) throw thrown
      return thrown.message.replace('error parsing regexp: ', '')
    }
  }
}
