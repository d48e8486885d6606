import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS, RE2JSException } from 're2js'
import type { Pointer } from '../../model/pointer.ts'
import type { ValueObject } from '../../model/value.ts'
import { type Budget, limits } from '../limits.ts'

/**
 * The libraries that evaluate rules. They are loaded only for a fleet with rules, because loading code takes
 * most of the time of a short run.
 */

/** An error of a value under a schema, without the value. */
export interface RuleError {
  /** The place of the invalid value, or of the map or list with missing or surplus members. */
  readonly instancePath: Pointer
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Returns the errors of a value. Uses `steps` of the budget. */
export type Evaluator = (value: ValueObject, steps: number) => readonly RuleError[]

/** The number of steps per character and instruction of a pattern: much less than one. */
const STEPS_PER_CHARACTER = 1 / 16

/** The number of steps to compile an instruction of a pattern, and a keyword of a schema. */
const COMPILING = { instruction: 64, keyword: 1000 }

/** Thrown when the rules exceed their budget. */
class RuleTimeout extends Error {}

/**
 * The interface of a pattern for the generated code of the schema library; its name distinguishes patterns.
 */
interface Pattern {
  test(text: string): boolean
  toString(): string
}

/** Compiles the schemas that `schemaIn` has read. Compiling and evaluating use the budget. */
export class Compiler {
  readonly #ajv: Ajv2020
  readonly #budget: Budget
  readonly #patterns = new Map<string, Pattern>()

  constructor(budget: Budget) {
    this.#budget = budget
    const regExp = Object.assign((pattern: string) => this.#pattern(pattern), { code: 're2' })
    this.#ajv = new Ajv2020({
      // `schemaIn` has checked the schemas.
      strict: false,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      addUsedSchema: false,
      // Inlined references would multiply the code.
      inlineRefs: false,
      allErrors: true,
      // Values never become part of an error, and fields may have the names of Object.prototype.
      messages: false,
      verbose: false,
      ownProperties: true,
      logger: false,
      code: { regExp, optimize: false }
    })
  }

  /**
   * The reason why RE2 rejects a pattern, such as a lookaround or a backreference; undefined if it accepts
   * it.
   */
  problemOf(pattern: string): string | undefined {
    try {
      this.#pattern(pattern)
      return undefined
    } catch (thrown) {
      if (!(thrown instanceof RE2JSException)) throw thrown
      return thrown.message.replace('error parsing regexp: ', '')
    }
  }

  /** Compiles a schema. Throws the errors of the libraries. */
  compile(schema: ValueObject, size: number): Evaluator {
    this.#spend(size * COMPILING.keyword)
    const validate = this.#ajv.compile(schema)
    return (value, steps) => {
      if (steps > limits.ruleSteps)
        throw new RuleTimeout('it takes too long on a WLAN of this size')
      this.#spend(steps)
      if (validate(value)) return []
      const errors = validate.errors ?? []
      // The function would keep the errors in memory, and there may be many.
      validate.errors = null
      return errors
    }
  }

  /** RE2 takes time proportional to the length of the string, for any pattern. */
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

/** A message for an error that the libraries threw. */
export function failureOf(thrown: unknown): string {
  if (thrown instanceof RuleTimeout) return thrown.message
  return `it cannot be evaluated (${thrown instanceof Error ? thrown.name : 'unknown reason'})`
}
