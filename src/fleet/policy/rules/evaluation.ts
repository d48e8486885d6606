import type { Pointer } from '../../../core/values/pointer.ts'
import type { Budget } from '../../limits.ts'

/** In place of a value that no rule can see: a secret, or a string with a variable of the service. */
export class Unknown {
  /** False if it is also unknown whether there is a value. */
  readonly isPresent: boolean

  constructor(isPresent: boolean) {
    this.isPresent = isPresent
  }
}

/** A value as rules read it. */
export type RuleValue =
  | null
  | boolean
  | number
  | string
  | Unknown
  | readonly RuleValue[]
  | RuleObject

export interface RuleObject {
  readonly [member: string]: RuleValue
}

export function isRuleObject(value: RuleValue): value is RuleObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Unknown)
  )
}

export function isRuleList(value: RuleValue): value is readonly RuleValue[] {
  return Array.isArray(value)
}

/** The own member of an object, or undefined. */
export function ruleMember(object: RuleObject, name: string): RuleValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Whether a value matches a schema; undefined if that depends on an unknown value. */
export type Truth = boolean | undefined

/** Decides whether a value matches. It adds errors to the evaluation if it returns false, and only then. */
export type SchemaCheck = (value: RuleValue, pointer: Pointer, evaluation: Evaluation) => Truth

/** An error of a value under a schema, without the value. */
export interface RuleError {
  /** The place of the value, or of a member that an object must not have. */
  readonly pointer: Pointer
  readonly keyword: string
  /** The name of an absent member. */
  readonly missing?: string
  /** The distance of a number from its limit. */
  readonly excess?: number
}

/** Thrown when the rules of a fleet exceed their budget. */
export class RuleTimeout extends Error {
  constructor() {
    super('the rules of the fleet take too long')
  }
}

/** Steps for an error: more than its time, because all errors of a value are in memory at once. */
const ERROR_COST = 64

/** The evaluation of one value: its errors, and the budget that it uses. */
export class Evaluation {
  readonly errors: RuleError[] = []
  readonly #budget: Budget

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Uses steps of the budget. Throws a `RuleTimeout` if it is exhausted. */
  spend(steps: number): void {
    if (!this.#budget.spend(steps)) throw new RuleTimeout()
  }

  /** Adds an error, and returns false. */
  fail(pointer: Pointer, keyword: string, more?: Pick<RuleError, 'missing' | 'excess'>): false {
    this.spend(ERROR_COST)
    this.errors.push({ pointer, keyword, ...more })
    return false
  }

  /** The result of a check whose errors are discarded. */
  quietly(check: () => Truth): Truth {
    const count = this.errors.length
    const truth = check()
    this.errors.length = count
    return truth
  }

  /** The result of a check about a member, which says nothing if the member is absent. */
  ifPresent(member: RuleValue | undefined, check: (member: RuleValue) => Truth): Truth {
    if (member === undefined) return true
    if (!(member instanceof Unknown) || member.isPresent) return check(member)
    return this.quietly(() => check(member)) === true ? true : undefined
  }
}

/** True if the check is true of all items, false if it is false of one. Checks all of them for their errors. */
export function all<T>(items: Iterable<T>, check: (item: T) => Truth): Truth {
  let truth: Truth = true
  for (const item of items) {
    const one = check(item)
    if (one === false) truth = false
    else if (one === undefined && truth === true) truth = undefined
  }
  return truth
}

/** Whether a number that is known to be in a range is at least a limit. */
export function isAtLeast([least, most]: Range, limit: number): Truth {
  if (most < limit) return false
  return least >= limit ? true : undefined
}

/** Whether a number that is known to be in a range is at most a limit. */
export function isAtMost([least, most]: Range, limit: number): Truth {
  if (least > limit) return false
  return most <= limit ? true : undefined
}

export type Range = readonly [least: number, most: number]

/** The number of items of which a result is true. */
export function countTrue(results: Iterable<Truth>): Range {
  let [least, most] = [0, 0]
  for (const truth of results) {
    if (truth === true) least += 1
    if (truth !== false) most += 1
  }
  return [least, most]
}

/** Whether a value equals plain data; numbers and the order of members as in JSON. */
export function equals(value: RuleValue, data: RuleValue, evaluation: Evaluation): Truth {
  evaluation.spend(1)
  if (value instanceof Unknown) return undefined
  if (isRuleList(value)) {
    if (!isRuleList(data) || value.length !== data.length) return false
    return all(value.entries(), ([at, item]) => equals(item, data[at] ?? null, evaluation))
  }
  if (!isRuleObject(value) || !isRuleObject(data)) return value === data
  const names = new Set([...Object.keys(value), ...Object.keys(data)])
  return all(names, name => {
    const [part, wanted] = [ruleMember(value, name), ruleMember(data, name)]
    if (part === undefined) return false
    if (wanted !== undefined) return equals(part, wanted, evaluation)
    return part instanceof Unknown && !part.isPresent ? undefined : false
  })
}
