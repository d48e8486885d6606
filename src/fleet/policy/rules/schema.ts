import { type Finding, finding } from '../../../core/model/finding.ts'
import { fieldsCalled, nearest } from '../../../core/schema/nearest.ts'
import { steps } from '../../../core/values/pointer.ts'
import { at, atKey } from '../../files/source.ts'
import { limits } from '../../limits.ts'
import type { RunTime } from '../../usage.ts'
import { type Entry, type MapNode, type Node, nodeKindOf, textOf } from '../../yaml/tree.ts'
import {
  type Effective,
  Evaluation,
  type Requirement,
  type RuleError,
  type RuleObject,
  type RuleValue
} from './evaluation.ts'
import { checkOf, type Keywords, type SchemaCheck } from './keywords.ts'
import type { Matcher, Patterns } from './patterns.ts'
import { anything, type Scope, wlan } from './scope.ts'

const CONTEXT = ['$site', '$live'] as const

export class Schema implements Requirement {
  readonly named: ReadonlySet<string>
  readonly readsAll: boolean
  readonly #check: SchemaCheck
  readonly #context: readonly ('$site' | '$live')[]

  constructor(check: SchemaCheck, named: ReadonlySet<string>, readsAll: boolean) {
    this.#check = check
    this.named = named
    this.readsAll = readsAll
    this.#context = CONTEXT.filter(each => named.has(each))
  }

  errors(wlan: Effective, time: RunTime): readonly RuleError[] {
    const run = new Evaluation(time, true)
    this.#check(this.#valueOf(wlan), '', run)
    return run.errors
  }

  matches(wlan: Effective, time: RunTime): boolean {
    return this.#check(this.#valueOf(wlan), '', new Evaluation(time, false))
  }

  #valueOf({ value, context }: Effective): RuleObject {
    if (this.#context.length === 0) return value
    return { ...value, ...Object.fromEntries(this.#context.map(name => [name, context[name]])) }
  }
}

export interface SchemaReport {
  invalid(place: Node | Entry, problem: string, hint?: string): void
  /**
   * Reports a name that no WLAN has, and the nearest: such a rule always passes, or selects none.
   */
  unknownField(
    place: Node | Entry,
    name: string,
    near: string | undefined,
    places: readonly string[]
  ): void
}

/** An argument that is data: undefined if it is invalid. */
interface Data {
  readonly wanted: string
  readonly read: (node: Node) => unknown
}

/** An argument that is a schema, or a list or map of schemas, for values of a scope. */
interface Schemas {
  readonly holds: 'schema' | 'list' | 'map'
  readonly scopeOf: (scope: Scope) => Scope
}

const text: Data = { wanted: 'a text', read: textOf }
const number: Data = { wanted: 'a number', read: numberIn }
const count: Data = {
  wanted: 'a whole number from 0',
  read: node => [numberIn(node) ?? -1].find(value => Number.isInteger(value) && value >= 0)
}
const annotation: Data = { wanted: 'a value', read: plain }

const own = (scope: Scope) => scope
const item = (scope: Scope) => scope.item()
const unnamed = () => anything

export const keywords: ReadonlyMap<string, Data | Schemas> = new Map(
  Object.entries({
    $ref: text,
    $defs: { holds: 'map', scopeOf: unnamed },
    $comment: annotation,
    title: annotation,
    description: annotation,
    default: annotation,
    examples: annotation,
    deprecated: annotation,
    readOnly: annotation,
    writeOnly: annotation,
    type: {
      wanted: 'one or a list of string, number, integer, boolean, object, array, null',
      read: typesIn
    },
    const: annotation,
    enum: {
      wanted: 'a list of values',
      read: node => (node.kind === 'list' && node.items.length > 0 ? plain(node) : undefined)
    },
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: {
      wanted: 'a number above 0',
      read: node => [numberIn(node) ?? 0].find(value => value > 0)
    },
    minLength: count,
    maxLength: count,
    pattern: text,
    minItems: count,
    maxItems: count,
    prefixItems: { holds: 'list', scopeOf: item },
    items: { holds: 'schema', scopeOf: item },
    contains: { holds: 'schema', scopeOf: item },
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    required: { wanted: 'a list of names, each once', read: namesIn },
    properties: { holds: 'map', scopeOf: own },
    patternProperties: { holds: 'map', scopeOf: unnamed },
    additionalProperties: { holds: 'schema', scopeOf: unnamed },
    propertyNames: { holds: 'schema', scopeOf: unnamed },
    dependentRequired: { wanted: 'a map of lists of names', read: namesByNameIn },
    dependentSchemas: { holds: 'map', scopeOf: own },
    allOf: { holds: 'list', scopeOf: own },
    anyOf: { holds: 'list', scopeOf: own },
    oneOf: { holds: 'list', scopeOf: own },
    not: { holds: 'schema', scopeOf: own },
    if: { holds: 'schema', scopeOf: own },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { holds: 'schema', scopeOf: own },
    else: { holds: 'schema', scopeOf: own }
  } satisfies Record<string, Data | Schemas>)
)

/** The keywords that may depend on members that they do not name. */
const readingAll: ReadonlySet<string> = new Set([
  'const',
  'enum',
  'minProperties',
  'maxProperties',
  'patternProperties',
  'additionalProperties',
  'propertyNames'
])

/** The node as plain data; a schema contains neither variables nor secrets. */
function plain(node: Node): RuleValue {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(plain)
  return Object.fromEntries([...node.entries].map(([name, { value }]) => [name, plain(value)]))
}

function numberIn(node: Node): number | undefined {
  return node.kind === 'scalar' && typeof node.value === 'number' ? node.value : undefined
}

function namesIn(node: Node): readonly string[] | undefined {
  if (node.kind !== 'list') return undefined
  const names = new Set(node.items.flatMap(each => textOf(each) ?? []))
  return names.size === node.items.length ? [...names] : undefined
}

function namesByNameIn(node: Node): Keywords['dependentRequired'] | undefined {
  if (node.kind !== 'map') return undefined
  const lists = [...node.entries].flatMap(([name, { value }]) => {
    const names = namesIn(value)
    return names === undefined ? [] : [[name, names] as const]
  })
  return lists.length === node.entries.size ? lists : undefined
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

function typesIn(node: Node): readonly string[] | undefined {
  const names = node.kind === 'scalar' ? [textOf(node) ?? ''] : (namesIn(node) ?? [])
  return names.length > 0 && names.every(name => TYPES.includes(name)) ? names : undefined
}

/**
 * Compiles the schema of a rule; undefined, with findings, if it is invalid. An unknown keyword is
 * an error: JSON Schema ignores a misspelled one, so that every WLAN would pass.
 */
export function compileSchema(
  root: MapNode,
  patterns: Patterns,
  report: SchemaReport
): Schema | undefined {
  const tooMany = nodeAt(limits.ruleNodes, root)
  if (tooMany !== undefined) {
    report.invalid(tooMany, `it has more than ${limits.ruleNodes} keywords and values`)
    return undefined
  }
  const compiler = new SchemaCompiler(root, patterns, report)
  const check = compiler.compile(root, wlan)
  const { named, readsAll, faults } = compiler
  return faults > 0 ? undefined : new Schema(check, named, readsAll)
}

export function invalid(rule: string, node: Node | Entry, problem: string, hint?: string): Finding {
  return finding('RULE_INVALID', whereOf(node), rule, problem, hint)
}

export function whereOf(node: Node | Entry) {
  return 'kind' in node ? at(node) : atKey(node)
}

class SchemaCompiler {
  readonly named = new Set<string>()
  readsAll = false
  faults = 0
  readonly #root: MapNode
  readonly #patterns: Patterns
  readonly #report: SchemaReport
  readonly #compiled = new Map<Node, Map<Scope, SchemaCheck>>()
  readonly #open = new Set<Node>()

  constructor(root: MapNode, patterns: Patterns, report: SchemaReport) {
    this.#root = root
    this.#patterns = patterns
    this.#report = report
  }

  compile(node: Node, scope: Scope): SchemaCheck {
    const known = this.#compiled.get(node)?.get(scope)
    if (known !== undefined || this.faults >= limits.faults) return known ?? checkOf(true)
    this.#open.add(node)
    const made = this.#compile(node, scope)
    this.#open.delete(node)
    const kept = this.#compiled.get(node) ?? new Map()
    this.#compiled.set(node, kept.set(scope, made))
    return made
  }

  #compile(node: Node, scope: Scope): SchemaCheck {
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return checkOf(node.value)
    if (node.kind === 'map')
      return checkOf(
        Object.fromEntries(
          [...node.entries].map(([name, entry]) => [name, this.#argument(name, entry, scope)])
        )
      )
    this.#refuse(node, 'a schema is a map, or `true` or `false`')
    return checkOf(true)
  }

  #argument(name: string, entry: Entry, scope: Scope): unknown {
    const keyword = keywords.get(name)
    if (keyword === undefined) {
      const near = nearest(name, keywords.keys())
      const hint = near === undefined ? '' : `; did you mean ${near}?`
      return this.#refuse(entry, `rules have no keyword ${JSON.stringify(name)}${hint}`)
    }
    this.readsAll ||= readingAll.has(name) && scope === wlan
    const { value: node } = entry
    if ('holds' in keyword) return this.#schemas(name, keyword, node, scope)
    const value = keyword.read(node)
    if (value === undefined)
      return this.#refuse(node, `\`${name}\` must be ${keyword.wanted}, and is ${nodeKindOf(node)}`)
    if (name === 'pattern') return this.#matcher(String(value), node)
    if (name === '$ref') return this.#referred(String(value), node, scope)
    if (name === 'required') this.#members(node, scope)
    if (name === 'dependentRequired') this.#members(node, scope)
    return value
  }

  #schemas(name: string, { holds, scopeOf }: Schemas, node: Node, scope: Scope): unknown {
    const inner = scopeOf(scope)
    if (holds === 'schema') return this.compile(node, inner)
    if (holds === 'list' && node.kind === 'list' && node.items.length > 0)
      return node.items.map(part => this.compile(part, inner))
    if (holds === 'list' || node.kind !== 'map')
      return this.#refuse(node, `\`${name}\` must be a ${holds} of schemas`)
    return [...node.entries].map(([key, entry]) => {
      const isPattern = name === 'patternProperties'
      const isNamed = name === 'properties' || name === 'dependentSchemas'
      const member = isNamed ? this.#member(key, entry, scope) : inner
      const check = this.compile(entry.value, name === 'properties' ? member : inner)
      return [isPattern ? this.#matcher(key, entry) : key, check]
    })
  }

  #members(names: Node, scope: Scope): void {
    if (names.kind === 'list')
      for (const each of names.items) this.#member(textOf(each) ?? '', each, scope)
    if (names.kind === 'map')
      for (const [name, entry] of names.entries) {
        this.#member(name, entry, scope)
        this.#members(entry.value, scope)
      }
  }

  /** The scope of a member that a keyword names. Reports a name that no WLAN has. */
  #member(name: string, place: Node | Entry, scope: Scope): Scope {
    if (scope === wlan) this.named.add(name)
    const member = scope.member(name)
    if (member === undefined) {
      const places = scope.path === undefined ? [] : fieldsCalled([...scope.path, name])
      this.#report.unknownField(place, name, nearest(name, scope.names ?? []), places)
    }
    return member ?? anything
  }

  #matcher(pattern: string, place: Node | Entry): Matcher | undefined {
    if (pattern.length > limits.pattern)
      return this.#refuse(place, `a pattern has at most ${limits.pattern} characters`)
    const matcher = this.#patterns.compile(pattern)
    if (typeof matcher === 'function') return matcher
    return this.#refuse(place, `RE2 does not have this pattern: ${matcher}`)
  }

  #referred(to: string, place: Node, scope: Scope): SchemaCheck | undefined {
    const refuse = (problem: string) =>
      this.#refuse(place, `\`$ref\` to ${JSON.stringify(to)}: ${problem}`)
    if (!/^#(?:\/[^%]*)?$/.test(to)) return refuse('it leads out; a rule refers with `#/…`')
    const schema = schemaAt(this.#root, steps(to.slice(1)))
    if (schema === undefined) return refuse('there is no schema')
    return this.#open.has(schema) ? refuse('it leads to itself') : this.compile(schema, scope)
  }

  #refuse(place: Node | Entry, problem: string): undefined {
    this.faults += 1
    if (this.faults <= limits.faults) this.#report.invalid(place, problem)
  }
}

function schemaAt(root: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = root
  for (let place = 0; place < path.length && node !== undefined; place += 1) {
    const keyword = keywords.get(path[place] ?? '')
    if (keyword === undefined || !('holds' in keyword)) return undefined
    node = below(node, path[place])
    if (keyword.holds !== 'schema') {
      place += 1
      node = below(node, path[place])
    }
  }
  return node
}

function below(node: Node | undefined, step = ''): Node | undefined {
  if (node?.kind === 'list') return /^\d+$/.test(step) ? node.items[Number(step)] : undefined
  return node?.kind === 'map' ? node.entries.get(step)?.value : undefined
}

function nodeAt(count: number, root: Node): Node | undefined {
  let left = count
  for (const node of nodesIn(root)) {
    if (left === 0) return node
    left -= 1
  }
  return undefined
}

function* nodesIn(node: Node): Generator<Node, undefined> {
  yield node
  if (node.kind === 'list') for (const each of node.items) yield* nodesIn(each)
  if (node.kind === 'map') for (const { value } of node.entries.values()) yield* nodesIn(value)
}
