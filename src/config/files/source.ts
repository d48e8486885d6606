import type { Location, Where } from '../../model/finding.ts'
import type { Entry, ListNode, MapNode, Node, SourceFile } from '../yaml/tree.ts'

/** A file of the fleet: its text, what it says, and where in it something stands. */
export class Source implements SourceFile {
  /** Relative to the working directory, with `/`. */
  readonly file: string
  /** Relative to the fleet, with `/`. */
  readonly inFleet: string
  readonly text: string
  #root: Node | undefined
  #again: (() => Node | undefined) | undefined
  #onRead: ((source: Source) => void) | undefined
  #lines: LineIndex | undefined

  constructor(file: string, inFleet: string, text: string) {
    this.file = file
    this.inFleet = inFleet
    this.text = text
  }

  /**
   * What the file says, once it has been parsed; undefined where that failed. One file that was let go is
   * held once it was read again, until another one is: what is looked up in it is looked up many times.
   */
  get root(): Node | undefined {
    if (this.#root !== undefined || this.#again === undefined) return this.#root
    this.#root = this.#again()
    this.#onRead?.(this)
    return this.#root
  }

  /** `again` is given where reading costs little: it reads the same once more. */
  hold(root: Node | undefined, again?: () => Node | undefined): void {
    this.#root = root
    this.#again = again
  }

  /** True if the file can be read again, and so be let go of. */
  get isPlain(): boolean {
    return this.#again !== undefined
  }

  /**
   * Lets go of what the file says, if it can be read again: that takes ten times as much as its text.
   * `onRead` is called when it is.
   */
  release(onRead?: (source: Source) => void): void {
    if (this.#again === undefined) return
    this.#root = undefined
    this.#onRead = onRead
  }

  /** Line and column of an offset. The line index is built on the first call. */
  place(offset: number): Location {
    this.#lines ??= new LineIndex(this.text)
    return { file: this.file, ...this.#lines.at(offset) }
  }
}

/** Where a node stands: its place and its path. */
export function at(node: Node): Where {
  return located(node.source, node.offset, true)
}

/** Where the key of an entry stands. */
export function atKey(entry: Entry): Where {
  return located(entry.value.source, entry.offset, false)
}

/** Where a key stands that is not in the tree, such as the second of two equal keys. */
export function atLostKey(map: MapNode, name: string, offset: number): Where {
  const above = at(map).path
  return {
    place: map.source.place(offset),
    path: above === undefined ? name : `${above}${step(name)}`
  }
}

/**
 * The path is looked up only when there is a finding: down from the root along whatever begins at
 * or before the offset. A map begins where its first key does; `whole` tells them apart.
 */
function located(source: SourceFile, offset: number, whole: boolean): Where {
  const place = source.place(offset)
  let path = ''
  let node = source.root
  while (node !== undefined && node.kind !== 'scalar') {
    if (whole && node.offset === offset) break
    const below = node.kind === 'map' ? lastEntry(node, offset) : lastItem(node, offset)
    if (below === undefined) break
    path += below.step
    node = below.node
  }
  const trimmed = path.startsWith('.') ? path.slice(1) : path
  return trimmed === '' ? { place } : { place, path: trimmed }
}

interface Below {
  readonly step: string
  /** Undefined where the offset lies outside: at the key, or the node is an alias. */
  readonly node: Node | undefined
}

function lastEntry(map: MapNode, offset: number): Below | undefined {
  const entries = ownEntries(map)
  const found = entries[lastAtMost(entries, ([, entry]) => entry.offset, offset)]
  if (found === undefined) return undefined
  const [name, { offset: key, value }] = found
  const inside = value.offset >= key && value.offset <= offset && key !== offset
  return { step: step(name), node: inside ? value : undefined }
}

function lastItem(list: ListNode, offset: number): Below | undefined {
  const items = ownItems(list)
  const found = items[lastAtMost(items, item => item.node.offset, offset)]
  return found && { step: `[${found.index}]`, node: found.node }
}

interface Item {
  readonly node: Node
  readonly index: number
}

const knownEntries = new WeakMap<MapNode, readonly (readonly [string, Entry])[]>()

/** In the order of the file, so that none has to be looked for from the first one on. */
function ownEntries(map: MapNode): readonly (readonly [string, Entry])[] {
  const entries = knownEntries.get(map) ?? [...map.entries]
  knownEntries.set(map, entries)
  return entries
}

const known = new WeakMap<ListNode, readonly Item[]>()

/** The items that stand in the list itself. What an alias stands for is elsewhere in the file. */
function ownItems(list: ListNode): readonly Item[] {
  const items =
    known.get(list) ??
    list.items
      .map((node, index) => ({ node, index }))
      .filter(({ node }) => node.offset >= list.offset)
  known.set(list, items)
  return items
}

/** UTF-16 code units of a name that a path shows. */
const LONGEST_STEP = 200

/** One step of a path: `.name`, quoted where the name would be misread; a very long name is cut. */
function step(name: string): string {
  const shown = name.length <= LONGEST_STEP ? name : `${name.slice(0, LONGEST_STEP)}…`
  return /^[^\s.[\]"]+$/.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`
}

/** The index of the last element whose offset is not above `limit`; the list is sorted by it. */
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

/** Characters from one mark to the next. */
const STRIDE = 1024

/**
 * Maps the offsets of a text to lines and columns. It keeps a mark for every thousand characters
 * and not one for every line, of which a file may have millions.
 */
export class LineIndex {
  readonly #text: string
  /** At each mark: the lines that end before it, and where its line begins. */
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array

  constructor(text: string) {
    this.#text = text
    const marks = Math.floor(text.length / STRIDE) + 1
    this.#lines = new Uint32Array(marks)
    this.#starts = new Uint32Array(marks)
    let [line, start, mark] = [0, 0, 0]
    for (let end = text.indexOf('\n'); mark < marks; end = text.indexOf('\n', end + 1)) {
      for (; mark < marks && (end === -1 || mark * STRIDE <= end); mark += 1) {
        this.#lines[mark] = line
        this.#starts[mark] = start
      }
      line += 1
      start = end + 1
    }
  }

  /** Both counted from 1. */
  at(offset: number): { readonly line: number; readonly column: number } {
    const mark = Math.min(Math.floor(Math.max(offset, 0) / STRIDE), this.#lines.length - 1)
    let line = this.#lines[mark] ?? 0
    let start = this.#starts[mark] ?? 0
    const from = mark * STRIDE
    // A line may go on for millions of characters: what is behind the offset is not looked at.
    const before = this.#text.slice(from, offset)
    for (let end = before.indexOf('\n'); end !== -1; end = before.indexOf('\n', end + 1)) {
      line += 1
      start = from + end + 1
    }
    return { line: line + 1, column: offset - start + 1 }
  }
}
