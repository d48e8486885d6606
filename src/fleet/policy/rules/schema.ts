import { type Finding, finding } from '../../../core/model/finding.ts'
import { fieldsCalled, nearest } from '../../../core/schema/nearest.ts'
import { steps } from '../../../core/values/pointer.ts'
import { at, atKey } from '../../files/source.ts'
import { limits } from '../../limits.ts'
import type { Entry, MapNode, Node } from '../../yaml/tree.ts'
import { all, type SchemaCheck } from './evaluation.ts'
import { keywords, type Surroundings } from './keywords.ts'
import type { Patterns } from './patterns.ts'
import { anything, type Scope, wlan } from './scope.ts'

/** A compiled schema of a rule. */
export interface Schema {
  readonly check: SchemaCheck
  /** The members of a WLAN that the schema mentions. */
  readonly named: ReadonlySet<string>
  /** True if its result may depend on other members, too. */
  readonly readsAll: boolean
}

/** How the findings about a schema are reported. */
export interface SchemaReport {
  invalid(place: Node | Entry, problem: string): void
  /**
   * A name that no WLAN has, with the nearest, and the fields it stands for: the rule would always pass, or select no WLAN.
   */
  unknownField(
    place: Node | Entry,
    name: string,
    near: string | undefined,
    places: readonly string[]
  ): void
}

/**
 * Compiles the schema of a rule; undefined, with findings, if it is invalid. An unknown keyword is an error:
 * JSON Schema ignores a misspelled one, so that every WLAN would pass.
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
  const { named, readsAll } = compiler
  return compiler.faults > 0 ? undefined : { check, named, readsAll }
}

/** The finding that a rule is invalid, with the place and the reason. */
export function invalid(rule: string, node: Node | Entry, problem: string): Finding {
  return finding('RULE_INVALID', whereOf(node), rule, problem)
}

export function whereOf(node: Node | Entry) {
  return 'kind' in node ? at(node) : atKey(node)
}

const never: SchemaCheck = (_, pointer, evaluation) => evaluation.fail(pointer, 'false')
const always: SchemaCheck = () => true

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
    if (known !== undefined || this.faults >= limits.faults) return known ?? always
    this.#open.add(node)
    const made = this.#compile(node, scope)
    this.#open.delete(node)
    const kept = this.#compiled.get(node) ?? new Map()
    this.#compiled.set(node, kept.set(scope, made))
    return made
  }

  #compile(node: Node, scope: Scope): SchemaCheck {
    if (node.kind === 'scalar' && typeof node.value === 'boolean')
      return node.value ? always : never
    if (node.kind !== 'map') {
      this.#refuse(node, 'a schema is a map, or `true` or `false`')
      return always
    }
    const checks = [...node.entries].flatMap(
      ([name, entry]) => this.#keyword(name, entry, this.#surroundings(node, scope)) ?? []
    )
    return (value, pointer, evaluation) => {
      evaluation.spend(1 + checks.length)
      return all(checks, check => check(value, pointer, evaluation))
    }
  }

  #keyword(name: string, entry: Entry, within: Surroundings): SchemaCheck | undefined {
    const keyword = keywords.get(name)
    if (keyword !== undefined) {
      this.readsAll ||= keyword.readsAll === true && within.scope === wlan
      return keyword.compile(entry.value, within, name)
    }
    const near = nearest(name, keywords.keys())
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    return this.#refuse(entry, `rules have no keyword ${JSON.stringify(name)}${hint}`)
  }

  #surroundings(siblings: MapNode, scope: Scope): Surroundings {
    return {
      siblings,
      scope,
      compile: (node, inner) => this.compile(node, inner),
      member: (name, place) => this.#member(name, place, scope),
      matcher: (pattern, place) => this.#matcher(pattern, place),
      referred: (to, place) => this.#referred(to, place, scope),
      refuse: (place, problem) => this.#refuse(place, problem)
    }
  }

  #member(name: string, place: Node | Entry, scope: Scope): Scope {
    if (scope === wlan) this.named.add(name)
    const member = scope.member(name)
    if (member === undefined) {
      const places = scope.path === undefined ? [] : fieldsCalled([...scope.path, name])
      this.#report.unknownField(place, name, nearest(name, scope.names ?? []), places)
    }
    return member ?? anything
  }

  #matcher(pattern: string, place: Node | Entry) {
    if (pattern.length > limits.pattern) {
      return this.#refuse(place, `a pattern has at most ${limits.pattern} characters`)
    }
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

/** The schema at a path of keywords and names; undefined if another value is there. */
function schemaAt(root: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = root
  for (let place = 0; place < path.length && node !== undefined; place += 1) {
    const holds = keywords.get(path[place] ?? '')?.holds
    if (holds === undefined) return undefined
    node = below(node, path[place])
    if (holds === 'schemas') {
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

/** The node after the first ones of a schema. */
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
  if (node.kind === 'list') for (const item of node.items) yield* nodesIn(item)
  if (node.kind === 'map') for (const { value } of node.entries.values()) yield* nodesIn(value)
}
