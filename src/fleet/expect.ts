import { finding, type messages, type Where } from '../core/model/finding.ts'
import { objectOf } from '../core/values/collections.ts'
import { hasOuterBlank, nameProblem } from '../core/values/ssid.ts'
import { at, atKey } from './files/source.ts'
import type { Findings } from './findings.ts'
import { limits } from './limits.ts'
import { type Entry, isNull, type MapNode, type Node, nodeKindOf, textOf } from './yaml/tree.ts'

/** Reads a node. Returns undefined, with a finding, for an invalid one. */
export type Read<T> = (node: Node, findings: Findings) => T | undefined

/** The node as a map. Any other node is a finding, including a missing value. */
export function expectMap(node: Node, findings: Findings): MapNode | undefined {
  return node.kind === 'map' ? node : wrongType(node, 'a map', findings, '{}')
}

/** Reports a node that is of another type; `example`: how to write a value, for a missing one. */
export function wrongType(
  node: Node,
  wanted: string,
  findings: Findings,
  example?: string
): undefined {
  findings.push(
    example !== undefined && isNull(node)
      ? finding('VALUE_MISSING', at(node), wanted, example)
      : finding('WRONG_TYPE', at(node), wanted, nodeKindOf(node))
  )
}

/** The items of a list; none without a node. Any other node is a finding, including a missing value. */
export function itemsIn(node: Node | undefined, findings: Findings): readonly Node[] {
  if (node === undefined) return []
  if (node.kind === 'list') return node.items
  wrongType(node, 'a list', findings, '[]')
  return []
}

type TooMany = Readonly<Parameters<(typeof messages)['TOO_MANY']>>

export function atMost(
  items: readonly Node[],
  tooMany: TooMany,
  findings: Findings
): readonly Node[] {
  const [, limit] = tooMany
  const next = items[limit]
  if (next !== undefined) findings.push(finding('TOO_MANY', at(next), ...tooMany))
  return items.slice(0, limit)
}

export function expectText(node: Node, findings: Findings): string | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string') return node.value
  return wrongType(node, 'a text', findings)
}

/** A text, or the texts of a list; an empty or long list is `invalid`, and so is a long text. */
export function textsIn(
  node: Node,
  findings: Findings,
  invalid: (where: Where, problem: string) => void
): { readonly text: string; readonly item: Node }[] {
  const items = node.kind === 'scalar' ? [node] : itemsIn(node, findings)
  if (node.kind === 'list' && items.length === 0) invalid(at(node), 'the list is empty')
  if (items.length > limits.testItems)
    invalid(at(node), `the list has more than ${limits.testItems} items`)
  return items.slice(0, limits.testItems).flatMap(item => {
    const text = expectText(item, findings)
    if (text === undefined) return []
    if (text.length <= limits.pattern) return [{ text, item }]
    invalid(at(item), LONG_TEXT)
    return []
  })
}

export const LONG_TEXT = `a text has more than ${limits.pattern} characters`

/** The node as a string, of which a blank one counts as missing where it is required. */
export function expectFilled(node: Node, findings: Findings): string | undefined {
  return expectText(node, findings)
}

export function checkKeys(map: MapNode, known: readonly string[], findings: Findings): void {
  for (const [name, entry] of map.entries) {
    if (known.includes(name)) continue
    findings.push(finding('UNKNOWN_KEY', atKey(entry), name, findings.near(name, known), known))
  }
}

const INSTRUCTIONS: Readonly<Record<'a WLAN' | 'a profile' | 'the override of a site', string[]>> =
  {
    'a WLAN': ['$extends', '$match', '$protect', '$managed', '$comment'],
    'a profile': ['$extends', '$match', '$protect', '$comment'],
    'the override of a site': ['$match', '$protect', '$managed', '$unset', '$comment']
  }

/** Reports the keys of a map that start with `$` and are unknown, or not allowed in it. */
export function checkInstructions(
  { entries }: MapNode,
  where: keyof typeof INSTRUCTIONS,
  findings: Findings
): void {
  const allowed = INSTRUCTIONS[where]
  for (const [name, entry] of entries) {
    if (!name.startsWith('$') || allowed.includes(name)) continue
    const isKnown = Object.values(INSTRUCTIONS).some(each => each.includes(name))
    findings.push(
      isKnown
        ? finding('KEY_NOT_ALLOWED', atKey(entry), name, where, allowed)
        : finding('UNKNOWN_KEY', atKey(entry), name, findings.near(name, allowed), allowed)
    )
  }
}

/** True if the key is a valid name of a WLAN, profile or variable; otherwise reports it. */
export function checkName(name: string, entry: Entry, findings: Findings): boolean {
  if (entry.numeric) {
    findings.push(finding('KEY_NOT_TEXT', atKey(entry), name))
    return false
  }
  if (!name.startsWith('$')) return isFit(name, () => atKey(entry), findings)
  findings.push(finding('NAME_UNFIT', atKey(entry), name, 'it begins with `$`'))
  return false
}

/** True if a name can be shown and typed; otherwise reports it. Reports blanks around it, too. A place is slow to find. */
export function isFit(name: string, whereOf: () => Where, findings: Findings): boolean {
  const problem = nameProblem(name)
  if (problem !== undefined) findings.push(finding('NAME_UNFIT', whereOf(), name, problem))
  else if (hasOuterBlank(name)) findings.push(finding('NAME_BLANK', whereOf(), name))
  return problem === undefined
}

/** The members of a map whose keys are valid names; reports others, and a node that is no map. */
export function namedMembers(node: Node, findings: Findings): [name: string, entry: Entry][] {
  const entries = [...(expectMap(node, findings)?.entries ?? [])]
  return entries.filter(([name, entry]) => checkName(name, entry, findings))
}

export function expectFlag(node: Node, findings: Findings): boolean | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value
  return wrongType(node, '`true` or `false`', findings)
}

export function numberFrom(minimum: number, maximum: number): Read<number> {
  return (node, findings) => {
    if (node.kind !== 'scalar' || typeof node.value !== 'number') {
      return wrongType(node, 'a number', findings)
    }
    if (node.value >= minimum && node.value <= maximum) return node.value
    const bounds = maximum === Number.MAX_SAFE_INTEGER ? { minimum } : { minimum, maximum }
    findings.push(finding('FIELD_RANGE', at(node), bounds, undefined, undefined))
    return undefined
  }
}

export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Read<number> {
  const number = numberFrom(minimum, maximum)
  return (node, findings) => {
    const value = number(node, findings)
    if (value === undefined || Number.isInteger(value)) return value
    findings.push(finding('WRONG_TYPE', at(node), 'a whole number', 'a fraction'))
    return undefined
  }
}

export function oneOf<const W extends string>(words: readonly W[]): Read<W> {
  return (node, findings) => {
    const text = expectText(node, findings)
    const word = words.find(known => known === text)
    if (text !== undefined && word === undefined) {
      findings.push(finding('NOT_A_CHOICE', at(node), text, words))
    }
    return word
  }
}

export function listOf<T>(item: Read<T>, tooMany?: TooMany) {
  return (node: Node, findings: Findings): T[] => {
    const items = itemsIn(node, findings)
    const kept = tooMany === undefined ? items : atMost(items, tooMany, findings)
    return kept.flatMap(each => item(each, findings) ?? [])
  }
}

type Rows = Readonly<Record<string, Read<unknown>>>

type ValuesOf<R extends Rows> = {
  readonly [K in keyof R]: R[K] extends Read<infer T> ? T : never
}

/** The valid members of a map, each read by its row. Reports the others, and unknown keys. */
export function membersIn<R extends Rows>(
  map: MapNode,
  rows: R,
  findings: Findings
): Partial<ValuesOf<R>> {
  checkKeys(map, Object.keys(rows), findings)
  const members = objectOf(Object.keys(rows), key => {
    const node = map.entries.get(key)?.value
    return node && rows[key]?.(node, findings)
  })
  return members as Partial<ValuesOf<R>>
}

type MapWith<R extends Rows, O extends Rows> = ValuesOf<R> &
  Partial<ValuesOf<O>> & { readonly node: MapNode }

/**
 * The valid members; undefined if a required one is missing or invalid. `kind` names the map, and
 * `fix` says how to write one.
 */
export function mapWith<R extends Rows, O extends Rows>(
  kind: string,
  required: R,
  optional: O,
  fix?: string
): Read<MapWith<R, O>> {
  const needed = Object.keys(required)
  return (node, findings) => {
    const map = expectMap(node, findings)
    if (map === undefined) return undefined
    const members = { ...membersIn(map, { ...required, ...optional }, findings), node: map }
    const absent = needed.filter(key => {
      const node = map.entries.get(key)?.value
      return node === undefined || (required[key] === expectFilled && isBlank(node))
    })
    for (const key of absent) findings.push(finding('KEY_MISSING', at(map), kind, key, fix))
    const isComplete = absent.length === 0 && needed.every(key => key in members)
    return isComplete ? (members as MapWith<R, O>) : undefined
  }
}

function isBlank(node: Node): boolean {
  return textOf(node)?.trim() === ''
}

/** True unless a member is declared with an invalid value. */
export function isWhole<K extends string>(
  members: { readonly node: MapNode } & { readonly [key in K]?: unknown },
  ...keys: readonly K[]
): boolean {
  return keys.every(key => members[key] !== undefined || !members.node.entries.has(key))
}

export function checkNamesOnce<T extends { readonly name: string }>(
  kind: 'rule' | 'wave' | 'window',
  items: readonly T[],
  whereOf: (item: T) => Where,
  findings: Findings
): void {
  const names = new Set<string>()
  for (const item of items) {
    const { name } = item
    if (names.has(name)) findings.push(finding('NAME_TWICE', whereOf(item), kind, name))
    names.add(name)
  }
}
