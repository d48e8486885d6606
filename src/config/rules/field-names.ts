import { steps } from '../../model/pointer.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import { nearest } from '../../schema/nearest.ts'
import type { Entry, MapNode, Node } from '../yaml/tree.ts'
import { memberNode, textOf } from '../yaml/tree.ts'

/** A value that a schema of a rule applies to, with the valid names of its members or items. */
interface Scope {
  /** Undefined if any name is valid. */
  readonly names: readonly string[] | undefined
  /** Undefined for an unknown name. */
  member(name: string): Scope | undefined
  item(): Scope
}

/** Reports a name in a rule that is not a field, with the closest known name. */
export type ReportName = (place: Node | Entry, name: string, near: string | undefined) => void

const anything: Scope = { names: undefined, member: () => anything, item: () => anything }

/**
 * Cache of the scopes by field, so that each field's schema is visited once; the fields of the schema bound
 * it.
 */
const scopes = new WeakMap<Field, Scope>()

function scopeOf(field: Field): Scope {
  const kept = scopes.get(field)
  if (kept !== undefined) return kept
  const names = field.memberNames()
  const scope: Scope = {
    names: names.length === 0 ? undefined : names,
    member(name) {
      if (names.length === 0) return anything
      const member = field.member(name)
      return member.known ? scopeOf(member) : undefined
    },
    item: () => scopeOf(field.item())
  }
  scopes.set(field, scope)
  return scope
}

const SITE = ['id', 'name', 'groups', 'vars']

const site: Scope = {
  names: SITE,
  member: name => (SITE.includes(name) ? anything : undefined),
  item: () => anything
}

const wlan: Scope = {
  names: [...wlanField.memberNames(), '$site', '$live'],
  member(name) {
    if (name === '$site') return site
    return name === '$live' ? scopeOf(wlanField) : scopeOf(wlanField).member(name)
  },
  item: () => anything
}

/**
 * Reports member names in the schema of a rule that no WLAN has: with a misspelled name, the rule would
 * always pass or select no WLAN. The schema is one that `schemaIn` accepts.
 */
export function checkFieldNames(root: MapNode, report: ReportName): void {
  new NameCheck(root, report).schema(root, wlan)
}

class NameCheck {
  readonly #root: MapNode
  readonly #report: ReportName
  readonly #visited = new Map<Node, Set<Scope>>()

  constructor(root: MapNode, report: ReportName) {
    this.#root = root
    this.#report = report
  }

  schema(node: Node, scope: Scope): void {
    const visited = this.#visited.get(node) ?? new Set()
    if (node.kind !== 'map' || scope === anything || visited.has(scope)) return
    this.#visited.set(node, visited.add(scope))
    for (const [keyword, { value }] of node.entries) this.#keyword(keyword, value, scope)
  }

  #keyword(keyword: string, value: Node, scope: Scope): void {
    switch (keyword) {
      case 'properties':
      case 'dependentSchemas':
        for (const [name, entry] of entriesOf(value)) {
          const member = this.#member(name, entry, scope)
          this.schema(entry.value, keyword === 'properties' ? member : scope)
        }
        break
      case 'dependentRequired':
        for (const [name, entry] of entriesOf(value)) {
          this.#member(name, entry, scope)
          this.#names(entry.value, scope)
        }
        break
      case 'required':
        this.#names(value, scope)
        break
      case 'items':
      case 'contains':
      case 'prefixItems':
      case 'unevaluatedItems':
        for (const part of schemasIn(value)) this.schema(part, scope.item())
        break
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
      case 'not':
      case 'if':
      case 'then':
      case 'else':
        for (const part of schemasIn(value)) this.schema(part, scope)
        break
      case '$ref':
        this.#reference(textOf(value) ?? '', scope)
    }
  }

  #names(list: Node, scope: Scope): void {
    if (list.kind !== 'list') return
    for (const item of list.items) this.#member(textOf(item) ?? '', item, scope)
  }

  #member(name: string, place: Node | Entry, scope: Scope): Scope {
    const member = scope.member(name)
    if (member === undefined) this.#report(place, name, nearest(name, scope.names ?? []))
    return member ?? anything
  }

  #reference(to: string, scope: Scope): void {
    let node: Node | undefined = this.#root
    for (const step of steps(to.slice(1))) {
      node = node?.kind === 'list' ? node.items[Number(step)] : memberNode(node, step)
    }
    if (node !== undefined) this.schema(node, scope)
  }
}

function entriesOf(node: Node): Iterable<[string, Entry]> {
  return node.kind === 'map' ? node.entries : []
}

/** A schema, or the schemas in a list. */
function schemasIn(node: Node): readonly Node[] {
  return node.kind === 'list' ? node.items : [node]
}
