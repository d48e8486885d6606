import { child, type Pointer } from '../../../core/values/pointer.ts'
import {
  type Entry,
  type MapNode,
  memberNode,
  type Node,
  nodeKindOf,
  textOf
} from '../../yaml/tree.ts'
import {
  all,
  countTrue,
  type Evaluation,
  equals,
  isAtLeast,
  isAtMost,
  isRuleList,
  isRuleObject,
  type Range,
  type RuleObject,
  type RuleValue,
  ruleMember,
  type SchemaCheck,
  type Truth,
  Unknown
} from './evaluation.ts'
import type { Matcher } from './patterns.ts'
import { anything, type Scope } from './scope.ts'

/** The schema that contains a keyword, and the means to compile its argument. */
export interface Surroundings {
  readonly siblings: MapNode
  readonly scope: Scope
  /** Compiles a schema for values of a scope. */
  compile(schema: Node, scope: Scope): SchemaCheck
  /** The scope of a member that the keyword names. Reports a name that no WLAN has. */
  member(name: string, place: Node | Entry): Scope
  matcher(pattern: string, place: Node | Entry): Matcher | undefined
  /** The schema that a `$ref` refers to. */
  referred(to: string, place: Node): SchemaCheck | undefined
  refuse(place: Node | Entry, problem: string): undefined
}

interface Keyword {
  /** Its argument is a schema, or a list or map of schemas: a `$ref` may refer to them. */
  readonly holds?: 'schema' | 'schemas'
  /** True if it may depend on members that it does not name. */
  readonly readsAll?: true
  /** Undefined if the keyword restricts no value, or has an invalid argument. */
  compile(argument: Node, within: Surroundings, name: string): SchemaCheck | undefined
}

/** A keyword for readers of the schema. */
const annotation: Keyword = { compile: () => undefined }

/** The keywords of JSON Schema 2020-12 that a rule may use, by name. */
export const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({
    $ref: { compile: referenceTo },
    $defs: { holds: 'schemas', compile: definitions },
    $comment: annotation,
    title: annotation,
    description: annotation,
    default: annotation,
    examples: annotation,
    deprecated: annotation,
    readOnly: annotation,
    writeOnly: annotation,

    type: assertion(
      'one or a list of string, number, integer, boolean, object, array, null',
      typesIn,
      isOfType
    ),
    const: { ...assertion('a value', plain, equals), readsAll: true },
    enum: { ...assertion('a list of values', valuesIn, isOneOf), readsAll: true },

    minimum: limit((value, least) => value >= least),
    maximum: limit((value, most) => value <= most),
    exclusiveMinimum: limit((value, below) => value > below),
    exclusiveMaximum: limit((value, above) => value < above),
    multipleOf: assertion('a number above 0', positiveIn, (value, step) =>
      typeof value === 'number' ? Number.isInteger(value / step) : true
    ),

    minLength: size(isAtLeast, lengthOf),
    maxLength: size(isAtMost, lengthOf),
    pattern: { compile: patternOf },

    minItems: size(isAtLeast, itemsOf),
    maxItems: size(isAtMost, itemsOf),
    prefixItems: { holds: 'schemas', compile: firstItems },
    items: { holds: 'schema', compile: otherItems },
    contains: { holds: 'schema', compile: someItems },
    minContains: { compile: boundOfContains },
    maxContains: { compile: boundOfContains },

    minProperties: { ...size(isAtLeast, membersOf), readsAll: true },
    maxProperties: { ...size(isAtMost, membersOf), readsAll: true },
    required: { compile: requiredMembers },
    properties: { holds: 'schemas', compile: namedMembers },
    patternProperties: { holds: 'schemas', readsAll: true, compile: matchingMembers },
    additionalProperties: { holds: 'schema', readsAll: true, compile: otherMembers },
    propertyNames: { holds: 'schema', readsAll: true, compile: memberNames },
    dependentRequired: { compile: dependentNames },
    dependentSchemas: { holds: 'schemas', compile: dependentSchemas },

    allOf: { holds: 'schemas', compile: allOf },
    anyOf: { holds: 'schemas', compile: anyOf },
    oneOf: { holds: 'schemas', compile: oneOf },
    not: { holds: 'schema', compile: not },
    if: { holds: 'schema', compile: ifThenElse },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { holds: 'schema', compile: branch },
    else: { holds: 'schema', compile: branch }
  } satisfies Record<string, Keyword>)
)

// Arguments: each function returns undefined for an invalid one.

function numberIn(node: Node): number | undefined {
  return node.kind === 'scalar' && typeof node.value === 'number' ? node.value : undefined
}

function positiveIn(node: Node): number | undefined {
  const value = numberIn(node)
  return value !== undefined && value > 0 ? value : undefined
}

function countIn(node: Node): number | undefined {
  const value = numberIn(node)
  return value !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined
}

function valuesIn(node: Node): readonly RuleValue[] | undefined {
  return node.kind === 'list' && node.items.length > 0 ? node.items.map(plain) : undefined
}

function namesIn(node: Node): readonly string[] | undefined {
  if (node.kind !== 'list') return undefined
  const names = new Set(node.items.flatMap(item => textOf(item) ?? []))
  return names.size === node.items.length ? [...names] : undefined
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

function typesIn(node: Node): readonly string[] | undefined {
  const names = node.kind === 'scalar' ? [textOf(node) ?? ''] : (namesIn(node) ?? [])
  return names.length > 0 && names.every(name => TYPES.includes(name)) ? names : undefined
}

/** The node as plain data; a schema contains neither variables nor secrets. */
function plain(node: Node): RuleValue {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(plain)
  return Object.fromEntries([...node.entries].map(([name, { value }]) => [name, plain(value)]))
}

function argumentIn<T>(
  wanted: string,
  read: (node: Node) => T | undefined,
  node: Node,
  { refuse }: Surroundings,
  name: string
): T | undefined {
  const argument = read(node)
  if (argument === undefined)
    refuse(node, `\`${name}\` must be ${wanted}, and is ${nodeKindOf(node)}`)
  return argument
}

function schemasIn(node: Node, { refuse }: Surroundings, name: string): readonly Node[] {
  if (node.kind === 'list' && node.items.length > 0) return node.items
  refuse(node, `\`${name}\` must be a list of schemas`)
  return []
}

function entriesIn(node: Node, { refuse }: Surroundings, name: string): Iterable<[string, Entry]> {
  if (node.kind === 'map') return node.entries
  refuse(node, `\`${name}\` must be a map of schemas`)
  return []
}

// Kinds of keywords.

/** A keyword whose argument is data. Its test is true of the values that it does not restrict. */
function assertion<T>(
  wanted: string,
  read: (node: Node) => T | undefined,
  test: (value: RuleValue, argument: T, evaluation: Evaluation) => Truth
): Keyword {
  return {
    compile(node, within, name) {
      const argument = argumentIn(wanted, read, node, within, name)
      if (argument === undefined) return undefined
      return (value, pointer, evaluation) => {
        if (value instanceof Unknown) return undefined
        const truth = test(value, argument, evaluation)
        return truth === false ? evaluation.fail(pointer, name) : truth
      }
    }
  }
}

function limit(isWithin: (value: number, limit: number) => boolean): Keyword {
  return {
    compile(node, within, name) {
      const argument = argumentIn('a number', numberIn, node, within, name)
      if (argument === undefined) return undefined
      return (value, pointer, evaluation) => {
        if (value instanceof Unknown) return undefined
        if (typeof value !== 'number' || isWithin(value, argument)) return true
        return evaluation.fail(pointer, name, { excess: Math.abs(value - argument) })
      }
    }
  }
}

/** `sizeOf`: undefined for a value without this size. */
function size(
  isWithin: (size: Range, limit: number) => Truth,
  sizeOf: (value: RuleValue, evaluation: Evaluation) => Range | undefined
): Keyword {
  return assertion('a whole number from 0', countIn, (value, argument, evaluation) => {
    const range = sizeOf(value, evaluation)
    return range === undefined || isWithin(range, argument)
  })
}

function lengthOf(value: RuleValue, evaluation: Evaluation): Range | undefined {
  if (typeof value !== 'string') return undefined
  evaluation.spend(value.length / 16)
  let length = 0
  for (const _ of value) length += 1
  return [length, length]
}

function itemsOf(value: RuleValue): Range | undefined {
  return isRuleList(value) ? [value.length, value.length] : undefined
}

function membersOf(value: RuleValue, evaluation: Evaluation): Range | undefined {
  if (!isRuleObject(value)) return undefined
  const members = Object.values(value)
  evaluation.spend(members.length)
  return countTrue(members.map(isPresent))
}

function isPresent(value: RuleValue): Truth {
  return value instanceof Unknown && !value.isPresent ? undefined : true
}

function isOfType(value: RuleValue, types: readonly string[]): boolean {
  if (typeof value === 'number') {
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
  }
  if (value === null) return types.includes('null')
  if (isRuleList(value)) return types.includes('array')
  return types.includes(typeof value)
}

function isOneOf(value: RuleValue, values: readonly RuleValue[], evaluation: Evaluation): Truth {
  const [least, most] = countTrue(values.map(each => equals(value, each, evaluation)))
  if (least > 0) return true
  return most > 0 ? undefined : false
}

function patternOf(node: Node, within: Surroundings, name: string): SchemaCheck | undefined {
  const pattern = argumentIn('a text', textOf, node, within, name)
  const matches = pattern === undefined ? undefined : within.matcher(pattern, node)
  if (matches === undefined) return undefined
  return (value, pointer, evaluation) => {
    if (value instanceof Unknown) return undefined
    if (typeof value !== 'string' || matches(value)) return true
    return evaluation.fail(pointer, name)
  }
}

// Lists.

type CheckContext = [pointer: Pointer, evaluation: Evaluation]

/** A check of values of a kind: it is true of others. */
function about<T extends RuleValue>(
  isOfKind: (value: RuleValue) => value is T,
  check: (value: T, ...context: CheckContext) => Truth
): SchemaCheck {
  return (value, ...context) => {
    if (value instanceof Unknown) return undefined
    return isOfKind(value) ? check(value, ...context) : true
  }
}

function firstItems(node: Node, within: Surroundings, name: string): SchemaCheck {
  const checks = schemasIn(node, within, name).map(part =>
    within.compile(part, within.scope.item())
  )
  return about(isRuleList, (list, pointer, evaluation) =>
    all(checks.slice(0, list.length).entries(), ([at, check]) =>
      check(list[at] ?? null, child(pointer, at), evaluation)
    )
  )
}

function otherItems(node: Node, within: Surroundings): SchemaCheck {
  const check = within.compile(node, within.scope.item())
  const first = memberNode(within.siblings, 'prefixItems')
  const start = first?.kind === 'list' ? first.items.length : 0
  return about(isRuleList, (list, pointer, evaluation) =>
    all(list.slice(start).entries(), ([at, item]) =>
      check(item, child(pointer, start + at), evaluation)
    )
  )
}

/** `contains` evaluates it. */
function boundOfContains(node: Node, within: Surroundings, name: string): undefined {
  argumentIn('a whole number from 0', countIn, node, within, name)
}

function someItems(node: Node, within: Surroundings, name: string): SchemaCheck {
  const check = within.compile(node, within.scope.item())
  const limitOf = (keyword: string) => {
    const limit = memberNode(within.siblings, keyword)
    return limit && countIn(limit)
  }
  const [least = 1, most = Number.POSITIVE_INFINITY] = [
    limitOf('minContains'),
    limitOf('maxContains')
  ]
  return about(isRuleList, (list, pointer, evaluation) => {
    const count = evaluation.errors.length
    const range = countTrue(list.map((item, at) => check(item, child(pointer, at), evaluation)))
    const isEnough = isAtLeast(range, least)
    if (isEnough !== false) evaluation.errors.length = count
    const truth = all([isEnough, isAtMost(range, most)], part => part)
    return truth === false ? evaluation.fail(pointer, name) : truth
  })
}

// Objects.

function hasAll(names: readonly string[], keyword: string): SchemaCheck {
  return about(isRuleObject, (object, pointer, evaluation) => {
    evaluation.spend(names.length)
    return all(names, name => {
      const value = ruleMember(object, name)
      if (value === undefined) return evaluation.fail(pointer, keyword, { missing: name })
      return isPresent(value)
    })
  })
}

/** The names that a list contains, each of which is reported if no WLAN has it. */
function fieldsIn(node: Node, { member }: Surroundings): readonly string[] {
  const items = node.kind === 'list' ? node.items : []
  return items.map(item => {
    const name = textOf(item) ?? ''
    member(name, item)
    return name
  })
}

function requiredMembers(node: Node, within: Surroundings, name: string): SchemaCheck | undefined {
  const names = argumentIn('a list of names, each once', namesIn, node, within, name)
  return names && hasAll(fieldsIn(node, within), name)
}

function dependentNames(node: Node, within: Surroundings, name: string): SchemaCheck | undefined {
  const read = (map: Node) =>
    map.kind === 'map' && [...map.entries.values()].every(({ value }) => namesIn(value))
      ? map.entries
      : undefined
  const entries = argumentIn('a map of lists of names', read, node, within, name) ?? []
  return dependent(
    [...entries].map(([when, entry]) => {
      within.member(when, entry)
      return [when, hasAll(fieldsIn(entry.value, within), name)]
    })
  )
}

function dependentSchemas(node: Node, within: Surroundings, name: string): SchemaCheck {
  return dependent(
    [...entriesIn(node, within, name)].map(([when, entry]) => {
      within.member(when, entry)
      return [when, within.compile(entry.value, within.scope)]
    })
  )
}

/** Each check applies to objects that have a member. */
function dependent(checks: readonly (readonly [when: string, check: SchemaCheck])[]): SchemaCheck {
  return about(isRuleObject, (object, pointer, evaluation) => {
    evaluation.spend(checks.length)
    return all(checks, ([when, check]) =>
      evaluation.ifPresent(ruleMember(object, when), () => check(object, pointer, evaluation))
    )
  })
}

function namedMembers(node: Node, within: Surroundings, name: string): SchemaCheck {
  const checks = [...entriesIn(node, within, name)].map(([member, entry]) => ({
    member,
    step: child('', member),
    check: within.compile(entry.value, within.member(member, entry))
  }))
  return about(isRuleObject, (object, pointer, evaluation) => {
    evaluation.spend(checks.length)
    return all(checks, ({ member, step, check }) =>
      evaluation.ifPresent(ruleMember(object, member), value =>
        check(value, pointer + step, evaluation)
      )
    )
  })
}

function eachMember(
  object: RuleObject,
  isWanted: (name: string) => boolean,
  check: SchemaCheck,
  [pointer, evaluation]: CheckContext
): Truth {
  return all(Object.keys(object).filter(isWanted), name =>
    evaluation.ifPresent(ruleMember(object, name), value =>
      check(value, child(pointer, name), evaluation)
    )
  )
}

function matchersIn(node: Node | undefined, { matcher }: Surroundings): readonly Matcher[] {
  const entries = node?.kind === 'map' ? [...node.entries] : []
  return entries.flatMap(([pattern, entry]) => matcher(pattern, entry) ?? [])
}

function matchingMembers(node: Node, within: Surroundings, name: string): SchemaCheck {
  const checks = [...entriesIn(node, within, name)].flatMap(([pattern, entry]) => {
    const matches = within.matcher(pattern, entry)
    const check = within.compile(entry.value, anything)
    return matches ? [{ matches, check }] : []
  })
  return about(isRuleObject, (object, ...context) =>
    all(checks, ({ matches, check }) => eachMember(object, name => matches(name), check, context))
  )
}

function otherMembers(node: Node, within: Surroundings): SchemaCheck {
  const { siblings } = within
  const named = memberNode(siblings, 'properties')
  const names = new Set(named?.kind === 'map' ? named.entries.keys() : [])
  const matchers = matchersIn(memberNode(siblings, 'patternProperties'), within)
  const check = within.compile(node, anything)
  return about(isRuleObject, (object, ...context) => {
    const isOther = (name: string) => !names.has(name) && !matchers.some(matches => matches(name))
    return eachMember(object, isOther, check, context)
  })
}

function memberNames(node: Node, within: Surroundings): SchemaCheck {
  const check = within.compile(node, anything)
  return about(isRuleObject, (object, pointer, evaluation) =>
    all(Object.keys(object), name =>
      evaluation.ifPresent(ruleMember(object, name), () =>
        check(name, child(pointer, name), evaluation)
      )
    )
  )
}

// Schemas for the value itself.

function inPlace(node: Node, within: Surroundings, name: string): readonly SchemaCheck[] {
  return schemasIn(node, within, name).map(part => within.compile(part, within.scope))
}

function referenceTo(node: Node, within: Surroundings, name: string): SchemaCheck | undefined {
  const to = argumentIn('a text', textOf, node, within, name)
  return to === undefined ? undefined : within.referred(to, node)
}

/** Compiles schemas that `$ref` refers to, for their findings. */
function definitions(node: Node, within: Surroundings, name: string): undefined {
  for (const [, { value }] of entriesIn(node, within, name)) within.compile(value, anything)
}

function allOf(node: Node, within: Surroundings, name: string): SchemaCheck {
  const checks = inPlace(node, within, name)
  return (...context) => all(checks, check => check(...context))
}

function anyOf(node: Node, within: Surroundings, name: string): SchemaCheck {
  const verdict = ([least, most]: Range) => (most === 0 ? false : least > 0 || undefined)
  return counting(inPlace(node, within, name), verdict, name)
}

function oneOf(node: Node, within: Surroundings, name: string): SchemaCheck {
  const verdict = ([least, most]: Range) =>
    most === 0 || least > 1 ? false : least === most || undefined
  return counting(inPlace(node, within, name), verdict, name)
}

/** The verdict by the number of checks that are true; their errors count if none can be. */
function counting(
  checks: readonly SchemaCheck[],
  verdict: (range: Range) => Truth,
  keyword: string
): SchemaCheck {
  return (value, pointer, evaluation) => {
    const count = evaluation.errors.length
    const range = countTrue(checks.map(check => check(value, pointer, evaluation)))
    if (range[1] > 0) evaluation.errors.length = count
    const truth = verdict(range)
    return truth === false ? evaluation.fail(pointer, keyword) : truth
  }
}

function not(node: Node, within: Surroundings, name: string): SchemaCheck {
  const check = within.compile(node, within.scope)
  return (value, pointer, evaluation) => {
    const truth = evaluation.quietly(() => check(value, pointer, evaluation))
    if (truth === undefined) return undefined
    return truth ? evaluation.fail(pointer, name) : true
  }
}

const always: SchemaCheck = () => true

function ifThenElse(node: Node, within: Surroundings, name: string): SchemaCheck {
  const { siblings, scope } = within
  const condition = within.compile(node, scope)
  const branches = ['then', 'else'].map(keyword => {
    const schema = memberNode(siblings, keyword)
    return schema === undefined ? always : within.compile(schema, scope)
  })
  const [yes = always, no = always] = branches
  const verdict = ([least, most]: Range) => (most === 0 ? false : least === 2 || undefined)
  const either = counting(branches, verdict, name)
  return (...context) => {
    const truth = context[2].quietly(() => condition(...context))
    return (truth === undefined ? either : truth ? yes : no)(...context)
  }
}

/** `then` and `else`: `if` evaluates them. */
function branch(node: Node, within: Surroundings): undefined {
  within.compile(node, within.scope)
}
