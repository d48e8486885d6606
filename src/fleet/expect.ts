import { finding, type messages } from '../core/model/finding.ts'
import { hasOuterBlank, nameProblem } from '../core/values/ssid.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import { type Entry, isNull, type MapNode, type Node, nodeKindOf } from './yaml/tree.ts'

/** The node as a map. Any other node is a finding, including a missing value. */
export function expectMap(node: Node, findings: Findings): MapNode | undefined {
  if (node.kind === 'map') return node
  if (isNull(node)) findings.push(finding('VALUE_MISSING', at(node), 'a map', '{}'))
  else findings.push(finding('WRONG_TYPE', at(node), 'a map', nodeKindOf(node)))
  return undefined
}

/** The items of a list; none without a node. Any other node is a finding, including a missing value. */
export function itemsIn(node: Node | undefined, findings: Findings): readonly Node[] {
  if (node === undefined) return []
  if (node.kind === 'list') return node.items
  if (isNull(node)) findings.push(finding('VALUE_MISSING', at(node), 'a list', '[]'))
  else findings.push(finding('WRONG_TYPE', at(node), 'a list', nodeKindOf(node)))
  return []
}

/** The items up to the limit; the next one is a finding. */
export function atMost(
  items: readonly Node[],
  tooMany: Readonly<Parameters<(typeof messages)['TOO_MANY']>>,
  findings: Findings
): readonly Node[] {
  const [, limit] = tooMany
  const next = items[limit]
  if (next !== undefined) findings.push(finding('TOO_MANY', at(next), ...tooMany))
  return items.slice(0, limit)
}

/** The node as a string. Any other node is a finding. */
export function expectText(node: Node, findings: Findings): string | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value
  findings.push(finding('WRONG_TYPE', at(node), 'a text', nodeKindOf(node)))
  return undefined
}

/** Reports the unknown keys of a map. */
export function checkKeys(map: MapNode, known: readonly string[], findings: Findings): void {
  for (const [name, entry] of map.entries) {
    if (known.includes(name)) continue
    findings.push(finding('UNKNOWN_KEY', atKey(entry), name, findings.near(name, known), known))
  }
}

/** The members of a map whose keys start with `$` and are not `known`. */
export function otherInstructions({ entries }: MapNode, known: readonly string[]) {
  return [...entries].filter(([name]) => name.startsWith('$') && !known.includes(name))
}

/** True if the key is a valid name of a WLAN, profile or variable; otherwise reports it. */
export function checkName(name: string, entry: Entry, findings: Findings): boolean {
  if (entry.numeric) {
    findings.push(finding('KEY_NOT_TEXT', atKey(entry), name))
    return false
  }
  const problem = name.startsWith('$') ? 'it begins with `$`' : nameProblem(name)
  if (problem !== undefined) findings.push(finding('NAME_UNFIT', atKey(entry), name, problem))
  else if (hasOuterBlank(name)) findings.push(finding('NAME_BLANK', atKey(entry), name))
  return problem === undefined
}

/** The members of a map whose keys are valid names; reports others, and a node that is no map. */
export function namedMembers(node: Node, findings: Findings): [name: string, entry: Entry][] {
  const entries = [...(expectMap(node, findings)?.entries ?? [])]
  return entries.filter(([name, entry]) => checkName(name, entry, findings))
}

/** Reads the members of a map by name and type. Reports members of other types. */
export class Members {
  readonly #map: MapNode
  readonly #findings: Findings
  readonly #known = new Set<string>()

  constructor(map: MapNode, findings: Findings) {
    this.#map = map
    this.#findings = findings
  }

  /** Reports the keys that were not read. Call this last. */
  done(): void {
    checkKeys(this.#map, [...this.#known], this.#findings)
  }

  node(key: string): Node | undefined {
    this.#known.add(key)
    return this.#map.entries.get(key)?.value
  }

  text(key: string): string | undefined {
    const node = this.node(key)
    return node && expectText(node, this.#findings)
  }

  flag(key: string): boolean | undefined {
    const node = this.node(key)
    if (node === undefined) return undefined
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value
    this.#findings.push(finding('WRONG_TYPE', at(node), '`true` or `false`', nodeKindOf(node)))
    return undefined
  }

  /** A number from `minimum` to `maximum`. */
  number(key: string, maximum: number, minimum = 0): number | undefined {
    const node = this.node(key)
    if (node === undefined) return undefined
    if (node.kind !== 'scalar' || typeof node.value !== 'number') {
      this.#findings.push(finding('WRONG_TYPE', at(node), 'a number', nodeKindOf(node)))
      return undefined
    }
    if (node.value >= minimum && node.value <= maximum) return node.value
    const bounds = maximum === Number.MAX_SAFE_INTEGER ? { minimum } : { minimum, maximum }
    this.#findings.push(finding('FIELD_RANGE', at(node), bounds, undefined, undefined))
    return undefined
  }

  /** An integer from `minimum` to `maximum`. */
  integer(key: string, maximum: number, minimum = 0): number | undefined {
    const value = this.number(key, maximum, minimum)
    const node = this.node(key)
    if (value === undefined || node === undefined || Number.isInteger(value)) return value
    this.#findings.push(finding('WRONG_TYPE', at(node), 'a whole number', 'a fraction'))
    return undefined
  }

  /** One of the allowed words. */
  choice<C extends string>(key: string, choices: readonly C[]): C | undefined {
    const text = this.text(key)
    const choice = choices.find(known => known === text)
    const node = this.node(key)
    if (text !== undefined && choice === undefined && node !== undefined) {
      this.#findings.push(finding('NOT_A_CHOICE', at(node), text, choices))
    }
    return choice
  }
}

/** Reports the required keys that a map lacks. */
export function requireKeys(
  map: MapNode,
  kind: string,
  keys: readonly string[],
  findings: Findings
): void {
  for (const key of keys) {
    if (!map.entries.has(key)) findings.push(finding('KEY_MISSING', at(map), kind, key))
  }
}
