import { type Finding, finding } from '../../model/finding.ts'
import { child, type Pointer } from '../../model/pointer.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import { nearest } from '../../schema/nearest.ts'
import { at, atKey } from '../files/source.ts'
import { limits } from '../limits.ts'
import type { Entry, MapNode, Node } from '../yaml/tree.ts'
import {
  type Cost,
  Costs,
  type Keyword,
  keywordNames,
  keywordOf,
  refusalOf,
  type SchemaPart
} from './keywords.ts'

/** A schema of a rule that is safe to compile. */
export interface Schema {
  readonly data: ValueObject
  /** The place of each pattern, for findings about it. */
  readonly patterns: ReadonlyMap<string, Node | Entry>
  readonly cost: Cost
  /** The number of keywords and values, which determines the cost of compiling it. */
  readonly size: number
}

/**
 * Reads the schema of a rule; undefined, with findings, if it is invalid or could take too long. Accepts only
 * keywords with a known cost: JSON Schema ignores a misspelled keyword, so that every WLAN would pass.
 */
export function schemaIn(
  root: MapNode,
  rule: string,
  report: (found: Finding) => void
): Schema | undefined {
  const reader = new SchemaReader(rule, report)
  reader.schema(root, '')
  if (reader.wrong) return undefined
  const cost = new Costs(reader.parts, reader.refuse).total()
  if (reader.wrong) return undefined
  return { data: plainObject(root), patterns: reader.patterns, cost, size: reader.size }
}

/** The finding that a rule is invalid, with the place and the reason. */
export function invalid(rule: string, node: Node | Entry, problem: string): Finding {
  return finding('RULE_INVALID', 'kind' in node ? at(node) : atKey(node), rule, problem)
}

class SchemaReader {
  readonly parts = new Map<Pointer, SchemaPart>()
  readonly patterns = new Map<string, Node | Entry>()
  readonly refuse: (node: Node | Entry, problem: string) => void
  size = 0
  #faults = 0

  constructor(rule: string, report: (found: Finding) => void) {
    this.refuse = (node, problem) => {
      this.#faults += 1
      report(invalid(rule, node, problem))
    }
  }

  get wrong(): boolean {
    return this.#faults > 0
  }

  /** A schema and the schemas inside it, each under its pointer. */
  schema(node: Node, pointer: Pointer): void {
    if (!this.#count(node)) return
    const part: SchemaPart = { own: 1, once: [], each: [] }
    this.parts.set(pointer, part)
    if (node.kind === 'map') {
      for (const [name, entry] of node.entries) this.#member(name, entry, pointer, part)
    } else if (node.kind !== 'scalar' || typeof node.value !== 'boolean') {
      this.refuse(node, 'a schema is a map, or `true` or `false`')
    }
  }

  #member(name: string, entry: Entry, pointer: Pointer, part: SchemaPart): void {
    const keyword = keywordOf(name)
    if (!this.#count(entry.value)) return
    if (keyword !== undefined) {
      this.#keyword(keyword, name, entry, child(pointer, name), part)
      return
    }
    const near = nearest(name, keywordNames())
    const unknown = `there is no such keyword${near === undefined ? '' : `; did you mean ${near}?`}`
    this.refuse(entry, `${JSON.stringify(name)} is not for rules: ${refusalOf(name) ?? unknown}`)
  }

  #keyword(
    keyword: Keyword,
    name: string,
    { value }: Entry,
    pointer: Pointer,
    part: SchemaPart
  ): void {
    const below = keyword.each ? part.each : part.once
    switch (keyword.holds) {
      case 'schema':
        below.push(pointer)
        this.schema(value, pointer)
        break
      case 'schemas':
      case 'members':
      case 'patterns':
        this.#schemas(keyword, name, value, pointer, name === '$defs' ? [] : below)
        break
      case 'pattern':
      case 'reference':
        this.#text(keyword, name, value, part)
        break
      case 'data': {
        const problem = keyword.wanted?.(value)
        if (problem !== undefined) this.refuse(value, `\`${name}\` ${problem}`)
        part.own += this.#sizeOf(value)
      }
    }
  }

  #schemas(keyword: Keyword, name: string, node: Node, pointer: Pointer, below: Pointer[]): void {
    const wanted = keyword.holds === 'schemas' ? 'list' : 'map'
    if (node.kind !== wanted || (node.kind === 'list' && node.items.length === 0)) {
      this.refuse(node, `\`${name}\` must be a ${wanted} of schemas`)
      return
    }
    for (const [step, item] of members(node)) {
      if (keyword.holds === 'patterns') this.#pattern(step, item)
      below.push(child(pointer, step))
      this.schema('kind' in item ? item : item.value, child(pointer, step))
    }
  }

  #text(keyword: Keyword, name: string, node: Node, part: SchemaPart): void {
    if (node.kind !== 'scalar' || typeof node.value !== 'string') {
      this.refuse(node, `\`${name}\` must be a text`)
    } else if (keyword.holds === 'pattern') this.#pattern(node.value, node)
    else part.reference = { to: node.value, node }
  }

  #pattern(pattern: string, place: Node | Entry): void {
    this.patterns.set(pattern, place)
    if (pattern.length <= limits.pattern) return
    this.refuse(place, `a pattern has at most ${limits.pattern} characters`)
  }

  #sizeOf(node: Node): number {
    if (!this.#count(node)) return 0
    return below(node).reduce((sum, item) => sum + this.#sizeOf(item), 1)
  }

  /** Counts a node. Returns false at the limit of nodes or of errors. */
  #count(node: Node): boolean {
    this.size += 1
    if (this.size === limits.ruleNodes + 1) {
      this.refuse(node, `it has more than ${limits.ruleNodes} keywords and values`)
    }
    return this.size <= limits.ruleNodes && this.#faults < limits.faults
  }
}

/** The items of a list by their index, or the entries of a map by their name. */
function members(node: Node): Iterable<[step: string, item: Node | Entry]> {
  if (node.kind === 'map') return node.entries
  return node.kind === 'list' ? node.items.map((item, at) => [String(at), item]) : []
}

function below(node: Node): readonly Node[] {
  if (node.kind === 'scalar') return []
  return node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value)
}

/** The node as plain data; a schema contains neither variables nor secrets. */
function plain(node: Node): Value {
  if (node.kind === 'scalar') return node.value
  return node.kind === 'list' ? node.items.map(plain) : plainObject(node)
}

function plainObject(map: MapNode): ValueObject {
  return Object.fromEntries([...map.entries].map(([name, { value }]) => [name, plain(value)]))
}
