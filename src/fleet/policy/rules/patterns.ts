import { RE2JS, RE2JSException } from 're2js'
import { getOrInsert } from '../../../core/values/collections.ts'
import { limits } from '../../limits.ts'
import type { RunTime } from '../../usage.ts'
import { RuleTooLarge } from './evaluation.ts'

/** Loaded only for a fleet with rules, because loading code takes most of the time of a short run. */

/** True if a string contains a match. Throws a `RuleTooLarge` for a string that would take too long. */
export type Matcher = (text: string) => boolean

/** Compiles patterns. A pattern that RE2 rejects, such as a lookaround, gives the reason as a string. */
export class Patterns {
  readonly #time: RunTime
  readonly #compiled = new Map<string, Matcher | string>()
  #instructions = 0

  constructor(time: RunTime) {
    this.#time = time
  }

  compile(pattern: string): Matcher | string {
    return getOrInsert(this.#compiled, pattern, () => this.#compile(pattern))
  }

  #compile(pattern: string): Matcher | string {
    this.#time.check()
    try {
      const compiled = RE2JS.compile(pattern)
      const size = compiled.programSize()
      this.#instructions += size
      if (this.#instructions > limits.instructions) {
        throw new RuleTooLarge('its patterns are too large: repeat fewer parts in them')
      }
      return text => {
        this.#time.check()
        if (text.length * size > limits.match) {
          throw new RuleTooLarge(`a text of ${text.length} characters is too long for a pattern`)
        }
        return compiled.test(text)
      }
    } catch (thrown) {
      if (!(thrown instanceof RE2JSException)) throw thrown
      return thrown.message.replace('error parsing regexp: ', '')
    }
  }
}
