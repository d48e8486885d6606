import { createHash } from 'node:crypto'
import type { Location } from '../../core/model/finding.ts'
import { byCodeUnit, getOrInsert } from '../../core/values/collections.ts'

export interface SourceFile {
  /** Relative to the working directory, with `/`. */
  readonly file: string
  /** Relative to the fleet, with `/`. */
  readonly inFleet: string
  readonly text: string
  /** Its tree; undefined before parsing and if parsing failed. */
  readonly root: Node | undefined
  place(offset: number): Location
}

/**
 * The content of a file as data with places, without the syntax of YAML. A node refers to its file, because
 * profiles and variables carry nodes from one file into the WLANs of another. An anchored node is the same
 * object for each of its aliases.
 */
export type Node = MapNode | ListNode | ScalarNode

export interface MapNode {
  readonly kind: 'map'
  readonly source: SourceFile
  readonly offset: number
  readonly entries: ReadonlyMap<string, Entry>
}

export interface ListNode {
  readonly kind: 'list'
  readonly source: SourceFile
  readonly offset: number
  readonly items: readonly Node[]
}

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly source: SourceFile
  readonly offset: number
  readonly value: string | number | boolean | null
}

/** A member of a map. Its key is in the same file as its value. */
export interface Entry {
  readonly offset: number
  readonly value: Node
  /** True for a key written as a plain number, such as `24`. */
  readonly numeric: boolean
}

export function nodeKindOf(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a map' : 'a list'
  if (node.value === null) return 'nothing'
  return typeof node.value === 'boolean' ? 'true or false' : `a ${typeof node.value}`
}

export function isNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null
}

export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

export function memberNode(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined
}

/** True if two nodes have the same content, or both are absent. Members may be in any order. */
export function sameNode(a: Node | undefined, b: Node | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  if (a.kind === 'scalar') return b.kind === 'scalar' && a.value === b.value
  if (a.kind === 'list') {
    if (b.kind !== 'list' || a.items.length !== b.items.length) return false
    return a.items.every((item, index) => sameNode(item, b.items[index]))
  }
  if (b.kind !== 'map') return false
  const [own, others] = [a.entries, b.entries]
  if (own.size !== others.size) return false
  for (const [name, entry] of own) {
    if (!sameNode(entry.value, others.get(name)?.value)) return false
  }
  return true
}

/** A digest of the content, equal for `sameNode` ones. An anchored node is hashed once, whatever refers to it. */
export function digestOfNode(node: Node, known = new Map<Node, string>()): string {
  return getOrInsert(known, node, () => {
    const content = JSON.stringify(contentToHash(node, known))
    return createHash('sha256').update(content).digest('hex')
  })
}

/** The content, with the digests of members and items in their place. */
function contentToHash(node: Node, known: Map<Node, string>): unknown {
  if (node.kind === 'scalar') return [node.kind, node.value]
  if (node.kind === 'list') return [node.kind, node.items.map(item => digestOfNode(item, known))]
  const members = [...node.entries].sort(([a], [b]) => byCodeUnit(a, b))
  return [node.kind, members.map(([name, { value }]) => [name, digestOfNode(value, known)])]
}

/** Keys that would access the prototype of an object. */
const FORBIDDEN: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The problem of a key; undefined for a valid one. A number is a valid key in its canonical notation (`24`,
 * but not `0x18` or `1e2`): some objects of the service have numbers as keys, such as bands and VLANs.
 */
export function keyProblem(value: unknown, written: string | undefined) {
  if (typeof value === 'number') {
    return written === undefined || written === String(value) ? undefined : 'KEY_NOT_TEXT'
  }
  if (typeof value !== 'string') return 'KEY_NOT_TEXT'
  if (value === '<<') return 'YAML_MERGE_KEY'
  return FORBIDDEN.has(value) ? 'KEY_FORBIDDEN' : undefined
}

/** A plain scalar cannot start with these characters, except for a dash before another character. */
const INDICATORS = '-?:,[]{}#&*!|>\'"%@` \n'

const FLOW_INDICATORS = ',[]{}'

/** By the code of an ASCII character: 0 if it never ends a plain scalar. */
const mayEnd = new Uint8Array(128)
for (const character of `${FLOW_INDICATORS} \n#:`) mayEnd[character.charCodeAt(0)] = 1

/** The end of the plain scalar at `start` on its line, without trailing spaces; `start` if there is none. */
export function endOfPlain(text: string, start: number, inFlow: boolean): number {
  const first = text[start] ?? '\n'
  const isStart = first === '-' ? !endsPlain(text[start + 1], inFlow) : !INDICATORS.includes(first)
  if (!isStart) return start
  let end = start
  for (let next = start; next < text.length; next += 1) {
    if (mayEnd[text.charCodeAt(next)] === 1) {
      const code = text[next]
      if (code === ' ') continue
      if (endsPlain(code, inFlow) || (code === '#' && next > end)) break
      if (code === ':' && endsPlain(text[next + 1], inFlow)) break
    }
    end = next + 1
  }
  return end
}

function endsPlain(code: string | undefined, inFlow: boolean): boolean {
  if (code === ' ' || code === '\n' || code === undefined) return true
  return inFlow && FLOW_INDICATORS.includes(code)
}

/** The first characters of scalars that may not be strings. */
const MAYBE_NOT_TEXT = new Set([...'~nNtTfF+-.0123456789'].map(first => first.charCodeAt(0)))

/** All scalars of the core schema that are not strings; the empty scalar is handled elsewhere. */
const NOT_TEXT =
  /^(?:~|[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/

/** Numbers in a common notation that lose no precision. */
const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,9})?$/

/** The value of a plain scalar on one line in the core schema; undefined if the library must decide. */
export function plainScalar(text: string): string | number | boolean | null | undefined {
  if (!MAYBE_NOT_TEXT.has(text.charCodeAt(0))) return text
  switch (text) {
    case 'true':
      return true
    case 'false':
      return false
    case 'null':
      return null
  }
  if (NUMBER.test(text)) return Number(text) || 0
  return NOT_TEXT.test(text) ? undefined : text
}

/** The precision that a number loses when parsed; undefined if none. `written`: its text in the file. */
export function numberProblem(value: number, written: string) {
  if (!Number.isFinite(value)) return 'NUMBER_TOO_LARGE'
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'NUMBER_TOO_LARGE'
  return hasLeadingZero(written) ? 'NUMBER_LEADING_ZERO' : undefined
}

/** True for `012`, which other parsers read as octal, but not for `0`, `0.5`, `0x1F` and `0o17`. */
function hasLeadingZero(written: string): boolean {
  const start = written.startsWith('-') || written.startsWith('+') ? 1 : 0
  if (written[start] !== '0') return false
  const next = written[start + 1]
  return next !== undefined && next >= '0' && next <= '9'
}
