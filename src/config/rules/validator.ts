import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS, RE2JSException } from 're2js'
import type { Pointer } from '../../model/pointer.ts'
import type { ValueObject } from '../../model/value.ts'
import type { Budget } from '../checks/budget.ts'

/**
 * The libraries that judge WLANs by a rule. They are loaded for a fleet that has rules, and for no
 * other: a short run is mostly loading.
 */

/** What a schema has against a value; the value is no part of it. */
export interface Complaint {
  /** The place of the wrong value, or of the map or list that lacks or has too much. */
  readonly instancePath: Pointer
  readonly params: Readonly<Record<string, unknown>>
}

/** Judges a value: what is wrong with it; nothing, if it fits. */
export type Judge = (value: ValueObject) => readonly Complaint[]

/** Steps that a character takes for each instruction of a pattern: far less than one. */
const STEPS_PER_CHARACTER = 1 / 16

/** Steps that it takes to make an instruction of a pattern, and a keyword of a schema. */
const COMPILING = { instruction: 64, keyword: 1500 }

/** Thrown in the middle of the libraries' work, once the rules have had their share of the run. */
export class Exhausted extends Error {}

/** Compiles schemas that `schemaIn` has read. What it does, and what they do, is taken from the budget. */
export class Compiler {
  readonly #ajv: Ajv2020
  readonly #budget: Budget
  readonly #patterns = new Map<string, { test(text: string): boolean }>()

  constructor(budget: Budget) {
    this.#budget = budget
    const regExp = Object.assign((pattern: string) => this.pattern(pattern), { code: '' })
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

  /** Throws whatever the library throws, and `Exhausted`. */
  compile(schema: ValueObject, size: number): Judge {
    this.#spend(size * COMPILING.keyword)
    const validate = this.#ajv.compile(schema)
    return value => (validate(value) ? [] : (validate.errors ?? []))
  }

  /**
   * A pattern as RE2 has it, which takes time in proportion to the text, whatever the pattern is.
   * Throws a `RE2JSException` for what RE2 does not have, such as lookaround and backreferences.
   */
  pattern(pattern: string): { test(text: string): boolean } {
    const known = this.#patterns.get(pattern)
    if (known !== undefined) return known
    const compiled = RE2JS.compile(pattern)
    const size = compiled.programSize()
    this.#spend(size * COMPILING.instruction)
    const test = (text: string) => {
      this.#spend(1 + text.length * size * STEPS_PER_CHARACTER)
      return compiled.test(text)
    }
    this.#patterns.set(pattern, { test })
    return { test }
  }

  #spend(steps: number): void {
    if (!this.#budget.spend(steps)) throw new Exhausted()
  }
}

/** Why RE2 does not take a pattern; undefined for a failure of another kind. */
export function patternProblem(thrown: unknown): string | undefined {
  return thrown instanceof RE2JSException ? thrown.message : undefined
}
