import type { Location, Where } from '../../core/model/finding.ts'
import { getOrInsert } from '../../core/values/collections.ts'
import {
  type Entry,
  type ListNode,
  type MapNode,
  memberNode,
  type Node,
  type SourceFile,
  textOf
} from '../yaml/tree.ts'

export class Source implements SourceFile {
  /** Relative to the working directory, with `/`. */
  readonly file: string
  /** Relative to the fleet, with `/`. */
  readonly inFleet: string
  readonly text: string
  root: Node | undefined
  /** True if the fast reader parsed it. */
  isPlain = false
  #lines: LineIndex | undefined

  constructor(file: string, inFleet: string, text: string) {
    this.file = file
    this.inFleet = inFleet
    this.text = text
  }

  /** Line and column of an offset. The line index is built on the first call. */
  place(offset: number): Location {
    this.#lines ??= new LineIndex(this.text)
    const { line, column } = this.#lines.at(offset)
    return { file: this.file, line, column }
  }
}

export function at(node: Node): Where {
  return located(node.source, node.offset, true)
}

export function atKey(entry: Entry): Where {
  return located(entry.value.source, entry.offset, false)
}

/** The place of a key that is not in the tree, such as a duplicate key. */
export function atLostKey(map: MapNode, name: string, offset: number): Where {
  const above = at(map).path
  return {
    place: map.source.place(offset),
    path: above === undefined ? name : `${above}${step(name)}`
  }
}

/**
 * Finds the path of an offset, which only findings need: it descends from the root to the last node that
 * starts at or before the offset. A map starts at its first key; `whole` distinguishes the two.
 */
function located(source: SourceFile, offset: number, whole: boolean): Where {
  const place = source.place(offset)
  let path = ''
  let site = ''
  let node = source.root
  while (node !== undefined && node.kind !== 'scalar') {
    if (whole && node.offset === offset) break
    const below = lastBelow(node, offset)
    if (below === undefined) break
    const { offset: start, node: found } = below
    const isSite = site === '' && path === '.sites'
    const name = isSite ? textOf(memberNode(found, 'name')) : undefined
    if (name !== undefined) site = step(name)
    path = name === undefined ? path + step(below.name) : ''
    // The search ends at a key, and at an alias, whose node is elsewhere.
    const isAtKey = node.kind === 'map' && start === offset
    node = isAtKey || found.offset < start || found.offset > offset ? undefined : found
  }
  // The WLANs of a site in a list are named by address: a reader cannot count to the fortieth item.
  const inSite = site === '' ? path : path.replace(/^\.wlans(?:\.|(?=\[))/, '/')
  const full = site + inSite
  const trimmed = full.startsWith('.') ? full.slice(1) : full
  return trimmed === '' ? { place } : { place, path: trimmed }
}

interface Below {
  readonly offset: number
  readonly name: string | number
  readonly node: Node
}

function lastBelow(above: MapNode | ListNode, offset: number): Below | undefined {
  const all = partsOf(above)
  return all[lastAtMost(all, part => part.offset, offset)]
}

/** Cache of the parts of maps and lists with findings. Weak keys bound it. */
const knownParts = new WeakMap<Node, readonly Below[]>()

/** The parts in the order of the file, to allow a binary search; of a list without aliases, which are elsewhere in it. */
function partsOf(above: MapNode | ListNode): readonly Below[] {
  return getOrInsert(knownParts, above, () =>
    above.kind === 'map'
      ? [...above.entries].map(([name, { offset, value }]) => ({ offset, name, node: value }))
      : above.items
          .map((node, name) => ({ offset: node.offset, name, node }))
          .filter(({ offset }) => offset >= above.offset)
  )
}

/** The maximum length of a name in a path, in UTF-16 code units. */
const MAX_STEP_LENGTH = 200

/** One step of a path: `[0]`, or `.name`, quoted if it would be ambiguous; a very long name is truncated. */
function step(name: string | number): string {
  if (typeof name === 'number') return `[${name}]`
  const shown = name.length <= MAX_STEP_LENGTH ? name : `${name.slice(0, MAX_STEP_LENGTH)}…`
  return /^[^\s.[\]"]+$/.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`
}

function lastAtMost<T>(sorted: readonly T[], offsetOf: (item: T) => number, limit: number): number {
  let low = -1
  let high = sorted.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const item = sorted[middle]
    if (item !== undefined && offsetOf(item) <= limit) low = middle
    else high = middle - 1
  }
  return low
}

/** The number of characters between two marks. */
const STRIDE = 1024

/** Offsets to lines and columns. It marks each thousand characters, since a file may have millions of lines. */
export class LineIndex {
  readonly #text: string
  /** For each mark: the number of lines that end before it, and the offset at which its line starts. */
  readonly #marks: { readonly line: number; readonly start: number }[] = []

  constructor(text: string) {
    this.#text = text
    let mark = { line: 0, start: 0 }
    for (let end = text.indexOf('\n'); this.#marks.length * STRIDE <= text.length; ) {
      if (end === -1 || this.#marks.length * STRIDE <= end) this.#marks.push(mark)
      else {
        mark = { line: mark.line + 1, start: end + 1 }
        end = text.indexOf('\n', end + 1)
      }
    }
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    const mark = Math.min(Math.floor(Math.max(offset, 0) / STRIDE), this.#marks.length - 1)
    let { line, start } = this.#marks[mark] ?? { line: 0, start: 0 }
    const from = mark * STRIDE
    // Reads no text after the offset, because a line may have millions of characters.
    const before = this.#text.slice(from, offset)
    for (let end = before.indexOf('\n'); end !== -1; end = before.indexOf('\n', end + 1)) {
      line += 1
      start = from + end + 1
    }
    return { line: line + 1, column: offset - start + 1 }
  }
}
