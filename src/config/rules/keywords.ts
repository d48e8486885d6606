import type { Pointer } from '../../model/pointer.ts'
import { limits } from '../limits.ts'
import { type Node, nodeKindOf, textOf } from '../yaml/tree.ts'

/** A keyword of JSON Schema and its arguments. */
export interface Keyword {
  readonly holds: 'schema' | 'schemas' | 'members' | 'patterns' | 'reference' | 'pattern' | 'data'
  /** True if its schemas apply to every member or item of a value. */
  readonly each?: true
  /** Describes the expected argument; undefined if the argument is valid. */
  readonly wanted?: (node: Node) => string | undefined
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/**
 * The keywords of JSON Schema 2020-12 that a rule may use: those with bounded cost and an unambiguous
 * meaning.
 */
const known = new Map<string, Keyword>()

define({ holds: 'reference' }, '$ref')
define({ holds: 'pattern' }, 'pattern')
define({ holds: 'schema' }, 'not', 'if', 'then', 'else')
define({ holds: 'schema', each: true }, 'items', 'contains', 'additionalProperties')
define(
  { holds: 'schema', each: true },
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties'
)
define({ holds: 'schemas' }, 'allOf', 'anyOf', 'oneOf', 'prefixItems')
define({ holds: 'members' }, 'properties', 'dependentSchemas', '$defs')
define({ holds: 'patterns', each: true }, 'patternProperties')
define({ holds: 'data' }, 'const', 'default', 'examples')
define(data('a list of values', isList), 'enum')
define(data('a text', isText), 'title', 'description', '$comment')
define(data('true or false', isFlag), 'deprecated', 'readOnly', 'writeOnly')
define(data(`one or a list of ${TYPES.join(', ')}`, isType), 'type')
define(data('a number', isNumber), 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum')
define(data('a number above 0', isPositive), 'multipleOf')
define(data('a whole number from 0', isCount), 'minLength', 'maxLength', 'minItems', 'maxItems')
define(data('a whole number from 0', isCount), 'minProperties', 'maxProperties')
define(data('a whole number from 0', isCount), 'minContains', 'maxContains')
define(data('a list of names, each once', areNames), 'required')
define(data('a map of lists of names', areDependencies), 'dependentRequired')

/** The reasons why rules do not support other keywords of JSON Schema. */
const refused: Readonly<Record<string, string>> = {
  $schema: 'a rule is JSON Schema 2020-12, and nothing else',
  $id: 'it would give the schema another address; refer with `#/…`',
  $anchor: 'refer with `#/…`',
  $dynamicAnchor: 'refer with `$ref`, and `#/…`',
  $dynamicRef: 'refer with `$ref`, and `#/…`',
  $recursiveAnchor: 'refer with `$ref`, and `#/…`',
  $recursiveRef: 'refer with `$ref`, and `#/…`',
  $vocabulary: 'a rule is JSON Schema 2020-12, and nothing else',
  $data: 'a rule does not take its limits from the WLAN it judges',
  definitions: 'it is called `$defs` now',
  dependencies: 'it is called `dependentRequired` or `dependentSchemas` now',
  additionalItems: 'it is called `items` now, behind `prefixItems`',
  format: 'formats are not checked; say it with `pattern`',
  contentEncoding: 'contents are not looked into',
  contentMediaType: 'contents are not looked into',
  contentSchema: 'contents are not looked into',
  uniqueItems: 'comparing every item with every other takes too long'
}

export function keywordOf(name: string): Keyword | undefined {
  return known.get(name)
}

export function keywordNames(): IterableIterator<string> {
  return known.keys()
}

/** The reason why rules do not support a keyword; undefined for a supported or unknown one. */
export function refusalOf(name: string): string | undefined {
  return Object.hasOwn(refused, name) ? refused[name] : undefined
}

function define(keyword: Keyword, ...names: readonly string[]): void {
  for (const name of names) known.set(name, keyword)
}

function data(wanted: string, fits: (node: Node) => boolean): Keyword {
  return {
    holds: 'data',
    wanted: node => (fits(node) ? undefined : `must be ${wanted}, and is ${nodeKindOf(node)}`)
  }
}

function isText(node: Node): boolean {
  return textOf(node) !== undefined
}

function isFlag(node: Node): boolean {
  return node.kind === 'scalar' && typeof node.value === 'boolean'
}

function isNumber(node: Node): boolean {
  return node.kind === 'scalar' && typeof node.value === 'number'
}

function isPositive(node: Node): boolean {
  return node.kind === 'scalar' && typeof node.value === 'number' && node.value > 0
}

function isCount(node: Node): boolean {
  return node.kind === 'scalar' && Number.isInteger(node.value) && Number(node.value) >= 0
}

function isList(node: Node): boolean {
  return node.kind === 'list' && node.items.length > 0
}

function isType(node: Node): boolean {
  if (node.kind === 'list')
    return areNames(node) && node.items.length > 0 && node.items.every(isType)
  return TYPES.includes(textOf(node) ?? '')
}

function areNames(node: Node): boolean {
  if (node.kind !== 'list' || !node.items.every(isText)) return false
  return new Set(node.items.map(textOf)).size === node.items.length
}

function areDependencies(node: Node): boolean {
  return node.kind === 'map' && [...node.entries.values()].every(({ value }) => areNames(value))
}

/** A schema inside a rule: its own cost, and the schemas that it applies. */
export interface SchemaPart {
  own: number
  /** Schemas for the value itself or one of its members. */
  readonly once: Pointer[]
  /** Schemas for every member or item. */
  readonly each: Pointer[]
  reference?: Reference
}

/** A `$ref`: its target and its place. */
interface Reference {
  readonly to: string
  readonly node: Node
}

/** The maximum cost to evaluate a WLAN in steps: `once`, and `each` for every value of the WLAN. */
export interface Cost {
  readonly once: number
  readonly each: number
}

const NOTHING: Cost = { once: 0, each: 0 }

/**
 * Computes the cost of a rule's schemas, including references. It rejects a reference without a target, a
 * circular one, and references that multiply each other: a few lines could stand for billions of schemas.
 */
export class Costs {
  readonly #parts: ReadonlyMap<Pointer, SchemaPart>
  readonly #refuse: (node: Node, problem: string) => void
  readonly #known = new Map<Pointer, Cost | 'open'>()
  #wrong = false

  /** `parts` by their pointers; the root schema is `''`. */
  constructor(
    parts: ReadonlyMap<Pointer, SchemaPart>,
    refuse: (node: Node, problem: string) => void
  ) {
    this.#parts = parts
    this.#refuse = refuse
  }

  /** The cost of the root schema. Checks unused schemas, too. */
  total(): Cost {
    for (const pointer of this.#parts.keys()) this.#of(pointer)
    return this.#of('')
  }

  #of(pointer: Pointer): Cost {
    const known = this.#known.get(pointer)
    const part = this.#parts.get(pointer)
    if (part === undefined || known === 'open' || this.#wrong) return NOTHING
    if (known !== undefined) return known
    this.#known.set(pointer, 'open')
    const once = part.once.map(below => this.#of(below))
    const each = part.each.map(below => this.#of(below))
    if (part.reference !== undefined) once.push(this.#follow(part.reference))
    const cost = {
      once: part.own + sum(once, 'once'),
      each: sum(once, 'each') + sum(each, 'once') + sum(each, 'each')
    }
    this.#known.set(pointer, cost)
    return cost
  }

  #follow(reference: Reference): Cost {
    const { to } = reference
    const target = /^#(?:\/[^%]*)?$/.test(to) ? to.slice(1) : undefined
    if (target === undefined) return this.#fail(reference, 'it leads out; a rule refers with `#/…`')
    if (!this.#parts.has(target)) return this.#fail(reference, 'there is no schema')
    if (this.#known.get(target) === 'open') return this.#fail(reference, 'it leads to itself')
    const cost = this.#of(target)
    if (cost.once + cost.each <= limits.ruleSteps) return cost
    return this.#fail(reference, 'the references multiply each other beyond measure')
  }

  #fail({ to, node }: Reference, problem: string): Cost {
    if (!this.#wrong) this.#refuse(node, `\`$ref\` to ${JSON.stringify(to)}: ${problem}`)
    this.#wrong = true
    return NOTHING
  }
}

function sum(costs: readonly Cost[], kind: keyof Cost): number {
  return costs.reduce((total, cost) => total + cost[kind], 0)
}
