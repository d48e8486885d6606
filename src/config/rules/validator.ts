import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS, RE2JSException } from 're2js'
import type { Pointer } from '../../model/pointer.ts'
import type { ValueObject } from '../../model/value.ts'
import { type Budget, limits } from '../limits.ts'

/**
 * The libraries that judge WLANs by a rule. They are loaded for a fleet that has rules, and for no
 * other: a short run is mostly loading.
 */

/** An error of a value under a schema, without the value. */
export interface RuleError {
  /** The place of the wrong value, or of the map or list that lacks or has too much. */
  readonly instancePath: Pointer
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Returns the errors of a value. Takes `steps` of the budget. */
export type Evaluator = (value: ValueObject, steps: number) => readonly RuleError[]

/** Steps that a character takes for each instruction of a pattern: far less than one. */
const STEPS_PER_CHARACTER = 1 / 16

/** Steps that it takes to make an instruction of a pattern, and a keyword of a schema. */
const COMPILING = { instruction: 64, keyword: 1000 }

/** Thrown once the rules exceed their budget. */
class RuleTimeout extends Error {}

/** What the code that the schema library makes needs of a pattern; its name tells patterns apart. */
interface Pattern {
  test(text: string): boolean
  toString(): string
}

/** Compiles schemas that `schemaIn` has read. What it does, and what they do, is taken from the budget. */
export class Compiler {
  readonly #ajv: Ajv2020
  readonly #budget: Budget
  readonly #patterns = new Map<string, Pattern>()

  constructor(budget: Budget) {
    this.#budget = budget
    const regExp = Object.assign((pattern: string) => this.#pattern(pattern), { code: 're2' })
    this.#ajv = new Ajv2020({
      // The schemas are checked: what is left to the library is to judge.
      strict: false,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      addUsedSchema: false,
      // References that were followed in place would multiply the code.
      inlineRefs: false,
      allErrors: true,
      // No value ever enters an error, and fields may have the names of Object.prototype.
      messages: false,
      verbose: false,
      ownProperties: true,
      logger: false,
      code: { regExp, optimize: false }
    })
  }

  /** What RE2 has against a pattern, such as a lookaround or a backreference; undefined if nothing. */
  problemOf(pattern: string): string | undefined {
    try {
      this.#pattern(pattern)
      return undefined
    } catch (thrown) {
      if (!(thrown instanceof RE2JSException)) throw thrown
      return thrown.message.replace('error parsing regexp: ', '')
    }
  }

  /** Throws whatever the libraries throw. */
  compile(schema: ValueObject, size: number): Evaluator {
    this.#spend(size * COMPILING.keyword)
    const validate = this.#ajv.compile(schema)
    return (value, steps) => {
      if (steps > limits.ruleSteps)
        throw new RuleTimeout('it takes too long on a WLAN of this size')
      this.#spend(steps)
      if (validate(value)) return []
      const errors = validate.errors ?? []
      // They can be many, and the function would keep them.
      validate.errors = null
      return errors
    }
  }

  /** RE2 takes time in proportion to the text, whatever the pattern is. */
  #pattern(pattern: string): Pattern {
    const known = this.#patterns.get(pattern)
    if (known !== undefined) return known
    const compiled = RE2JS.compile(pattern)
    const size = compiled.programSize()
    this.#spend(size * COMPILING.instruction)
    const made = {
      test: (text: string) => {
        this.#spend(1 + text.length * size * STEPS_PER_CHARACTER)
        return compiled.test(text)
      },
      toString: () => pattern
    }
    this.#patterns.set(pattern, made)
    return made
  }

  #spend(steps: number): void {
    if (!this.#budget.spend(steps)) throw new RuleTimeout('the rules of the fleet take too long')
  }
}

/** Why a rule cannot be used, in words: whatever it was that the libraries threw. */
export function failureOf(thrown: unknown): string {
  if (thrown instanceof RuleTimeout) return thrown.message
  return `it cannot be evaluated (${thrown instanceof Error ? thrown.name : 'unknown reason'})`
}
