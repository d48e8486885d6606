import type { RuleSite } from '../../../core/model/fleet-rules.ts'
import type { Subject } from '../../../core/query/field.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { limits } from '../../limits.ts'
import type { RunTime } from '../../usage.ts'

/** In place of a value that no rule can see: a secret, or a string with a variable of the service. */
export class Unknown {
  /** False if it is also unknown whether there is a value. */
  readonly isPresent: boolean

  constructor(isPresent: boolean) {
    this.isPresent = isPresent
  }
}

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

export function ruleMember(object: RuleObject, name: string): RuleValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** An error of a value under a schema, without the value. */
export interface RuleError {
  /** The place of the value, or of a member that an object must not have. */
  readonly pointer: Pointer
  readonly keyword: string
  readonly missing?: string
  /** The distance of a number from its limit. */
  readonly excess?: number
}

/** A WLAN as rules read it; unknown values break no rule. */
export interface Effective {
  readonly value: RuleObject
  readonly context: Readonly<Record<'$site' | '$live', RuleValue>>
  /** What conditions read; `site` is absent where it is unknown. */
  readonly subject: Pick<Subject, 'fields' | 'wlan' | 'isDeclared'> & {
    readonly site?: RuleSite | undefined
    readonly showsSecrets?: () => boolean
  }
}

/** What a rule or a test demands of a WLAN, or which ones it is about: a JSON Schema, or conditions. */
export interface Requirement {
  /** The members of a WLAN that it mentions, `$site` and `$live` among them. */
  readonly named: ReadonlySet<string>
  /** True if its result may depend on other members, too. */
  readonly readsAll: boolean
  /** The errors of a WLAN that fails it whatever its unknown values are; none if it may match. */
  errors(wlan: Effective, time: RunTime): readonly RuleError[]
  /** True if a WLAN matches it whatever its unknown values are. */
  matches(wlan: Effective, time: RunTime): boolean
}

/** Thrown when a rule exceeds a limit. */
export class RuleTooLarge extends Error {}

/** The schemas after which the clock is read, which takes longer than a schema. */
const SCHEMAS = 256

/**
 * The evaluation of a value. It assumes that unknown values match each keyword, or that they match none: a value that breaks a
 * schema under the first assumption breaks it for certain, and one that meets it under the second meets it for certain.
 */
export class Evaluation {
  readonly errors: RuleError[] = []
  readonly #time: RunTime
  #matchesUnknown: boolean
  #isUncertain = false
  #schemas = 0

  constructor(time: RunTime, matchesUnknown: boolean) {
    this.#time = time
    this.#matchesUnknown = matchesUnknown
  }

  /** Whether a keyword matches the unknown value that it met. */
  get matchesUnknown(): boolean {
    this.#isUncertain = true
    return this.#matchesUnknown
  }

  /** Call it for each schema and condition: nested schemas may take exponential time if a value is unknown. */
  start(): void {
    this.#schemas += 1
    if (this.#schemas % SCHEMAS === 0) this.#time.check()
  }

  fail(pointer: Pointer, keyword: string, more?: Pick<RuleError, 'missing' | 'excess'>): false {
    if (this.errors.length === limits.ruleErrors) {
      throw new RuleTooLarge(`a WLAN violates it in more than ${limits.ruleErrors} places`)
    }
    this.errors.push({ pointer, keyword, ...more })
    return false
  }

  /** The result under the opposite assumption; discards the errors. */
  opposite<T>(check: () => T): T {
    const count = this.errors.length
    this.#matchesUnknown = !this.#matchesUnknown
    const result = check()
    this.#matchesUnknown = !this.#matchesUnknown
    this.errors.length = count
    return result
  }

  /** The result with its errors, and that under the opposite assumption. */
  bothWays<T>(check: () => T): readonly [own: T, opposite: T] {
    const wasUncertain = this.#isUncertain
    this.#isUncertain = false
    const own = check()
    const opposite = this.#isUncertain ? this.opposite(check) : own
    this.#isUncertain ||= wasUncertain
    return [own, opposite]
  }

  /** The result of a check about a member, which says nothing if the member is absent. */
  ifPresent(member: RuleValue | undefined, check: (member: RuleValue) => boolean): boolean {
    if (member === undefined) return true
    const mayBeAbsent = member instanceof Unknown && !member.isPresent
    return (mayBeAbsent && this.matchesUnknown) || check(member)
  }
}
