import type { Location } from '../../model/finding.ts'

/** The file that a node comes from. */
export interface SourceFile {
  /** Relative to the working directory, with `/`. */
  readonly file: string
  /** Relative to the fleet, with `/`. */
  readonly inFleet: string
  readonly text: string
  /** Its tree; undefined until it was parsed, and where that failed. */
  readonly root: Node | undefined
  /** Line and column of an offset. */
  place(offset: number): Location
}

/**
 * What a file says, as data with places: YAML without its syntax.
 *
 * A node knows the file it comes from, because profiles and variables carry nodes from one file
 * into the WLANs of another. An anchored node is the same object wherever its alias stands.
 */
export type Node = MapNode | ListNode | ScalarNode

export interface MapNode {
  readonly kind: 'map'
  readonly source: SourceFile
  readonly offset: number
  readonly entries: ReadonlyMap<string, Entry>
  /** Behind it, where its text says all of it: in plain YAML, which has no aliases. */
  readonly end?: number
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

/** A member of a map. Its key stands in the same file as its value. */
export interface Entry {
  /** Where the key stands. */
  readonly offset: number
  readonly value: Node
  /** True for a key written as a plain number, such as `24`. */
  readonly numeric: boolean
}

/** What a node is, in the words of a message. */
export function nodeKindOf(node: Node): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a map' : 'a list'
  if (node.value === null) return 'nothing'
  return typeof node.value === 'boolean' ? 'true or false' : `a ${typeof node.value}`
}

/** True for a value that was left empty, or written as `null`. */
export function isNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null
}

/** The text of a string node; undefined for everything else. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined
}

/** True if two nodes say the same, wherever they stand. Members may be in any order. */
export function sameNode(a: Node, b: Node): boolean {
  if (a === b) return true
  if (a.kind === 'scalar') return b.kind === 'scalar' && a.value === b.value
  if (a.kind === 'list') {
    return b.kind === 'list' && a.items.length === b.items.length && sameItems(a.items, b.items)
  }
  if (b.kind !== 'map' || a.entries.size !== b.entries.size) return false
  for (const [name, entry] of a.entries) {
    const other = b.entries.get(name)
    if (other === undefined || !sameNode(entry.value, other.value)) return false
  }
  return true
}

function sameItems(a: readonly Node[], b: readonly Node[]): boolean {
  return a.every((item, index) => {
    const other = b[index]
    return other !== undefined && sameNode(item, other)
  })
}
