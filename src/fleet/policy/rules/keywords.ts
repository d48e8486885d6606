import { child, type Pointer } from '../../../core/values/pointer.ts'
import {
  type Evaluation,
  isRuleList,
  isRuleObject,
  type RuleObject,
  type RuleValue,
  ruleMember,
  Unknown
} from './evaluation.ts'
import type { Matcher } from './patterns.ts'

/** Decides whether a value matches a schema. It adds errors to the evaluation if it returns false. */
export type SchemaCheck = (value: RuleValue, pointer: Pointer, run: Evaluation) => boolean

type ByName<T> = readonly (readonly [name: string, part: T])[]

export interface Keywords {
  readonly $ref: SchemaCheck
  readonly type: readonly string[]
  readonly const: RuleValue
  readonly enum: readonly RuleValue[]
  readonly minimum: number
  readonly maximum: number
  readonly exclusiveMinimum: number
  readonly exclusiveMaximum: number
  readonly multipleOf: number
  readonly minLength: number
  readonly maxLength: number
  readonly pattern: Matcher
  readonly minItems: number
  readonly maxItems: number
  readonly prefixItems: readonly SchemaCheck[]
  readonly items: SchemaCheck
  readonly contains: SchemaCheck
  readonly minContains: number
  readonly maxContains: number
  readonly minProperties: number
  readonly maxProperties: number
  readonly required: readonly string[]
  readonly properties: ByName<SchemaCheck>
  readonly patternProperties: readonly (readonly [pattern: Matcher, check: SchemaCheck])[]
  readonly additionalProperties: SchemaCheck
  readonly propertyNames: SchemaCheck
  readonly dependentRequired: ByName<readonly string[]>
  readonly dependentSchemas: ByName<SchemaCheck>
  readonly allOf: readonly SchemaCheck[]
  readonly anyOf: readonly SchemaCheck[]
  readonly oneOf: readonly SchemaCheck[]
  readonly not: SchemaCheck
  readonly if: SchemaCheck
  readonly then: SchemaCheck
  readonly else: SchemaCheck
}

/**
 * A test gets the arguments of its siblings; a failed one without an error is one of its keyword.
 */
type Tests<V extends RuleValue> = {
  readonly [K in keyof Keywords]?: Test<V, Keywords[K]>
}

type Test<V, T> = (
  value: V,
  argument: T,
  run: Evaluation,
  pointer: Pointer,
  siblings: Partial<Keywords>
) => boolean

const ofAny: Tests<RuleValue> = {
  type: (value, types) => types.some(type => isOfType(value, type)),
  const: equals,
  enum: (value, values, run) => values.some(each => equals(value, each, run))
}

const ofNumbers: Tests<number> = {
  minimum: limit('minimum', (value, least) => value >= least),
  maximum: limit('maximum', (value, most) => value <= most),
  exclusiveMinimum: limit('exclusiveMinimum', (value, below) => value > below),
  exclusiveMaximum: limit('exclusiveMaximum', (value, above) => value < above),
  multipleOf: (value, step) => Number.isInteger(value / step)
}

const ofTexts: Tests<string> = {
  minLength: (text, least) => lengthOf(text) >= least,
  maxLength: (text, most) => lengthOf(text) <= most,
  pattern: (text, matches) => matches(text)
}

const ofLists: Tests<readonly RuleValue[]> = {
  minItems: (list, least) => list.length >= least,
  maxItems: (list, most) => list.length <= most,
  prefixItems: (list, checks, run, pointer) =>
    all(checks.slice(0, list.length).entries(), ([at, check]) =>
      check(list[at] ?? null, child(pointer, at), run)
    ),
  items(list, check, run, pointer, { prefixItems = [] }) {
    const start = prefixItems.length
    return all(list.slice(start).entries(), ([at, item]) =>
      check(item, child(pointer, start + at), run)
    )
  },
  contains(list, check, run, pointer, { minContains = 1, maxContains = Infinity }) {
    const checks = list.map((item, at) => () => check(item, child(pointer, at), run))
    const [count, opposite] = countedBothWays(checks, minContains, run)
    return (count >= minContains && opposite <= maxContains) || run.fail(pointer, 'contains')
  }
}

const ofObjects: Tests<RuleObject> = {
  minProperties: (object, least, run) => membersOf(object, () => run.matchesUnknown) >= least,
  maxProperties: (object, most, run) => membersOf(object, () => !run.matchesUnknown) <= most,
  required: requires('required'),
  properties(object, checks, run, pointer) {
    return all(checks, ([name, check]) => memberMatches(object, name, check, run, pointer))
  },
  patternProperties: (object, checks, run, pointer) =>
    all(checks, ([matches, check]) => eachMember(object, matches, check, run, pointer)),
  additionalProperties(object, check, run, pointer, { properties = [], patternProperties = [] }) {
    const isOther = (name: string) =>
      !properties.some(([known]) => known === name) &&
      !patternProperties.some(([matches]) => matches(name))
    return eachMember(object, isOther, check, run, pointer)
  },
  propertyNames: (object, check, run, pointer) =>
    all(Object.entries(object), ([name, member]) =>
      run.ifPresent(member, () => check(name, child(pointer, name), run))
    ),
  dependentRequired: dependent(requires('dependentRequired')),
  dependentSchemas: dependent((object, check, run, pointer) => check(object, pointer, run))
}

/** Keywords about the value itself, even if it is unknown. */
const inPlace: Tests<RuleValue> = {
  $ref: (value, check, run, pointer) => check(value, pointer, run),
  allOf: (value, checks, run, pointer) => all(checks, check => check(value, pointer, run)),
  anyOf: (value, checks, run, pointer) => isAny(checks, value, run, pointer, 'anyOf'),
  oneOf(value, checks, run, pointer) {
    const calls = checks.map(check => () => check(value, pointer, run))
    const [count, opposite] = countedBothWays(calls, 1, run)
    return (count > 0 && opposite < 2) || run.fail(pointer, 'oneOf')
  },
  not: (value, check, run, pointer) => !run.opposite(() => check(value, pointer, run)),
  if(value, check, run, pointer, siblings) {
    const { then: yes = always, else: no = always } = siblings
    const errors = run.errors.length
    const [isMet, opposite] = run.bothWays(() => check(value, pointer, run))
    run.errors.length = errors
    if (isMet === opposite) return (isMet ? yes : no)(value, pointer, run)
    if (run.matchesUnknown) return isAny([yes, no], value, run, pointer, 'if')
    return all([yes, no], branch => branch(value, pointer, run))
  }
}

const always: SchemaCheck = () => true
const never: SchemaCheck = (_, pointer, run) => run.fail(pointer, 'false')

type IsOfKind = (value: RuleValue) => boolean

/** The tests of each kind of value; those without a kind apply to unknown values, too. */
const kinds: readonly (readonly [Tests<never>, IsOfKind?])[] = [
  [inPlace],
  [ofAny, () => true],
  [ofNumbers, value => typeof value === 'number'],
  [ofTexts, value => typeof value === 'string'],
  [ofLists, isRuleList],
  [ofObjects, isRuleObject]
]

export function checkOf(schema: Partial<Keywords> | boolean): SchemaCheck {
  if (typeof schema === 'boolean') return schema ? always : never
  const parts = (Object.keys(schema) as (keyof Keywords)[]).flatMap(name =>
    kinds.flatMap(([tests, isOfKind]) => {
      const test = tests[name] as Test<RuleValue, unknown> | undefined
      return test === undefined ? [] : { name, argument: schema[name], test, isOfKind }
    })
  )
  return (value, pointer, run) => {
    run.start()
    return all(parts, ({ name, argument, test, isOfKind }) => {
      if (isOfKind !== undefined) {
        if (value instanceof Unknown) return run.matchesUnknown
        if (!isOfKind(value)) return true
      }
      const errors = run.errors.length
      if (test(value, argument, run, pointer, schema)) return true
      return run.errors.length > errors ? false : run.fail(pointer, name)
    })
  }
}

/** True if the check is true of all items. Checks all of them for their errors. */
function all<T>(items: Iterable<T>, check: (item: T) => boolean): boolean {
  let isTrue = true
  for (const item of items) if (!check(item)) isTrue = false
  return isTrue
}

/** True if a schema matches; otherwise adds their errors, and one of the keyword. */
function isAny(
  checks: readonly SchemaCheck[],
  value: RuleValue,
  run: Evaluation,
  pointer: Pointer,
  keyword: string
): boolean {
  const errors = run.errors.length
  const isMet = checks.filter(check => check(value, pointer, run)).length > 0
  if (isMet) run.errors.length = errors
  return isMet || run.fail(pointer, keyword)
}

/** The number of calls that are true, under both assumptions; keeps their errors if fewer than `least` are. */
function countedBothWays(
  calls: readonly (() => boolean)[],
  least: number,
  run: Evaluation
): readonly [own: number, opposite: number] {
  const errors = run.errors.length
  const counts = run.bothWays(() => calls.filter(call => call()).length)
  if (counts[0] >= least) run.errors.length = errors
  return counts
}

function isOfType(value: RuleValue, type: string): boolean {
  if (typeof value === 'number')
    return type === 'number' || (type === 'integer' && Number.isInteger(value))
  if (value === null) return type === 'null'
  return type === (isRuleList(value) ? 'array' : typeof value)
}

function equals(value: RuleValue, data: RuleValue, run: Evaluation): boolean {
  if (value instanceof Unknown) return run.matchesUnknown
  if (isRuleList(value)) {
    if (!isRuleList(data) || value.length !== data.length) return false
    return value.every((item, at) => equals(item, data[at] ?? null, run))
  }
  if (!isRuleObject(value) || !isRuleObject(data)) return value === data
  const names = new Set([...Object.keys(value), ...Object.keys(data)])
  return [...names].every(name => {
    const [part, wanted] = [ruleMember(value, name), ruleMember(data, name)]
    if (part === undefined) return false
    if (wanted !== undefined) return equals(part, wanted, run)
    return !isPresent(part) && run.matchesUnknown
  })
}

function limit(
  keyword: string,
  isWithin: (value: number, limit: number) => boolean
): Test<number, number> {
  return (value, most, run, pointer) =>
    isWithin(value, most) || run.fail(pointer, keyword, { excess: Math.abs(value - most) })
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

function isPresent(value: RuleValue): boolean {
  return !(value instanceof Unknown) || value.isPresent
}

/** The number of members; `counts` says whether one that may be absent counts. */
function membersOf(object: RuleObject, counts: () => boolean): number {
  return Object.values(object).filter(member => isPresent(member) || counts()).length
}

function requires(keyword: string): Test<RuleObject, readonly string[]> {
  return (object, names, run, pointer) => {
    return all(names, name => {
      const value = ruleMember(object, name)
      if (value === undefined) return run.fail(pointer, keyword, { missing: name })
      return isPresent(value) || run.matchesUnknown
    })
  }
}

function dependent<T>(test: Test<RuleObject, T>): Test<RuleObject, ByName<T>> {
  return (object, parts, run, pointer, siblings) => {
    return all(parts, ([name, part]) =>
      run.ifPresent(ruleMember(object, name), () => test(object, part, run, pointer, siblings))
    )
  }
}

function eachMember(
  object: RuleObject,
  isWanted: (name: string) => boolean,
  check: SchemaCheck,
  run: Evaluation,
  pointer: Pointer
): boolean {
  return all(Object.keys(object).filter(isWanted), name =>
    memberMatches(object, name, check, run, pointer)
  )
}

function memberMatches(
  object: RuleObject,
  name: string,
  check: SchemaCheck,
  run: Evaluation,
  pointer: Pointer
): boolean {
  return run.ifPresent(ruleMember(object, name), value => check(value, child(pointer, name), run))
}
