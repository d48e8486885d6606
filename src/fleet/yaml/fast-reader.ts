/**
 * Parses the common subset of YAML in a tenth of the library's time: block maps and lists by indentation, flow
 * collections, scalars on one line, comments. It rejects anchors, aliases, tags, directives, several documents, block
 * scalars, escapes, complex keys, tabs, carriage returns, deep nesting and any document with an error: the library
 * parses those and makes all findings. Its trees equal those of the library; property tests verify that.
 */
import { limits } from '../limits.ts'
import type { Entry, ListNode, MapNode, Node, SourceFile } from './tree.ts'
import { endOfPlain, keyProblem, plainScalar } from './tree.ts'

/** Undefined if the library has to parse it. With `known`, blocks of WLANs are `PlainBlock`s. */
export function readFast(source: SourceFile, known?: KnownBlocks): Node | undefined {
  if (/[\t\r\ufeff]/.test(source.text)) return undefined
  try {
    return new FastReader(source, 0, known).document()
  } catch (thrown) {
    if (thrown instanceof Unsupported) return undefined
    throw thrown
  }
}

/** What all blocks of `wlans` with the same text share; `tokens` as in `FastReader`. */
export interface BlockText {
  readonly tokens: number
}

/**
 * Blocks of a run by their text with indentation, without the id; a known text is not parsed again.
 * Bound: the first 10,000 texts.
 */
export type KnownBlocks = Map<string, BlockText>

const MAX_KNOWN = 10_000

/** The line with the id of a WLAN; it is the only line that differs in most blocks. */
const ID_LINE = /^( +)id: ([\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12})\n/m

/**
 * A block of `wlans`. It stores its place and not its members, which take ten times the memory of its text: few of a
 * large fleet are read, since equal texts are declared once. They are parsed on demand.
 */
export class PlainBlock implements MapNode {
  readonly kind = 'map'
  readonly source: SourceFile
  readonly offset: number
  readonly shared: BlockText
  /** The id that its text does not share; undefined if it has none. */
  readonly id: string | undefined

  constructor(source: SourceFile, offset: number, shared: BlockText, id: string | undefined) {
    this.source = source
    this.offset = offset
    this.shared = shared
    this.id = id
  }

  get entries(): ReadonlyMap<string, Entry> {
    if (lastRead?.block !== this) {
      const { entries } = new FastReader(this.source, this.offset).wlan()
      lastRead = { block: this, entries }
    }
    return lastRead.entries
  }
}

/** Cache of the members of a block, because a run reads all of one block before the next. Bound: one block. */
let lastRead: { readonly block: PlainBlock; readonly entries: MapNode['entries'] } | undefined

/** Thrown at the first syntax that only the library parses. */
class Unsupported extends Error {}

const BLANK = { space: 0x20, lineEnd: 0x0a } as const
const LIST = { open: 0x5b, close: 0x5d } as const
const MAP = { open: 0x7b, close: 0x7d } as const
const MARK = { dash: 0x2d, colon: 0x3a, comma: 0x2c, hash: 0x23 } as const
const MAX_DEPTH = limits.depth / 2
const MAX_KEY = 1000 // UTF-16 code units, as in the library
const TOKENS_PER_NODE = 6 // The library makes no more tokens of a node or a line.
const WLAN_DEPTH = 3

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1) - 1
}

class FastReader {
  readonly #source: SourceFile
  readonly #text: string
  readonly #start: number
  readonly #known: KnownBlocks | undefined
  #at: number
  /** The column of the first character of this line that is not a space; -1 after the last line. */
  #column = 0
  #tokens = 0
  #isInWlans = false

  constructor(source: SourceFile, start: number, known?: KnownBlocks) {
    this.#source = source
    this.#text = source.text
    this.#start = start
    this.#at = start
    this.#known = known
  }

  document(): Node {
    this.#column = this.#skipSpaces()
    if (this.#isLineEnd) this.#nextLine()
    if (this.#text.startsWith('---', this.#at) && this.#column === 0) {
      this.#at += 3
      this.#endLine()
    }
    const root = this.#block(this.#column, 1)
    if (this.#column !== -1) throw new Unsupported()
    return root
  }

  /** The block of a WLAN at the start, which was parsed before without an error. */
  wlan(): MapNode {
    this.#column = columnOf(this.#text, this.#start)
    return this.#blockMap(this.#column, WLAN_DEPTH)
  }

  /** The block of a WLAN below a key in the column `margin`. */
  #knownWlan(margin: number, known: KnownBlocks): MapNode {
    const [offset, column, tokens] = [this.#at, this.#column, this.#tokens]
    do this.#nextLine()
    while (this.#column > margin)
    const lines = this.#text.slice(offset - column, this.#at).trimEnd()
    const [line, { length } = '', id] = ID_LINE.exec(lines) ?? []
    const isOwn = line !== undefined && length === column
    const text = isOwn ? lines.replace(line, 'id\n') : lines
    let shared = known.get(text)
    if (shared === undefined) {
      this.#at = offset
      this.#column = column
      this.#tokens = tokens
      this.#block(column, WLAN_DEPTH)
      shared = { tokens: this.#tokens - tokens }
      if (known.size < MAX_KNOWN) known.set(text, shared)
    } else {
      this.#tokens = tokens + shared.tokens - TOKENS_PER_NODE
      this.#count()
    }
    return new PlainBlock(this.#source, offset, shared, isOwn ? id : undefined)
  }

  /** The list or map whose lines start at this column. */
  #block(column: number, depth: number): ListNode | MapNode {
    if (depth > MAX_DEPTH) throw new Unsupported()
    this.#count()
    const isList = this.#isMark(MARK.dash)
    const node = isList ? this.#blockList(column, depth) : this.#blockMap(column, depth)
    if (this.#column > column) throw new Unsupported()
    return node
  }

  #blockList(column: number, depth: number): ListNode {
    const items: Node[] = []
    const node: ListNode = { kind: 'list', source: this.#source, offset: this.#at, items }
    do {
      this.#at += 1
      const item = this.#item(column, column + 1 + this.#skipSpaces(), depth)
      if (items.push(item) > limits.items) throw new Unsupported()
    } while (this.#column === column && this.#isMark(MARK.dash))
    return node
  }

  /** The item after the dash in column `dash`: a value, or a block that starts at `column`. */
  #item(dash: number, column: number, depth: number): Node {
    const start = this.#at
    const value = this.#isMark(MARK.dash) ? undefined : this.#value(dash, depth, false)
    if (value === undefined || this.#isMark(MARK.colon)) {
      this.#at = start
      return this.#block(column, depth + 1)
    }
    this.#endLine()
    return value
  }

  #blockMap(column: number, depth: number): MapNode {
    const offset = this.#at
    const entries = new Map<string, Entry>()
    do {
      const start = column === 0 ? this.#text.slice(this.#at, this.#at + 3) : ''
      if (start === '---' || start === '...') throw new Unsupported()
      this.#entry(entries, column, depth, false)
    } while (this.#column === column)
    return { kind: 'map', source: this.#source, offset, entries }
  }

  #entryValue(column: number, depth: number): Node {
    const offset = this.#at
    const value = this.#isLineEnd ? undefined : this.#value(column, depth, false)
    this.#endLine()
    if (value !== undefined) return value
    const isList = this.#isMark(MARK.dash)
    const isWlan = this.#isInWlans && depth === WLAN_DEPTH - 1 && this.#column > column && !isList
    if (isWlan && this.#known !== undefined) return this.#knownWlan(column, this.#known)
    const isBelow = this.#column > column || (this.#column === column && isList)
    if (isBelow) return this.#block(this.#column, depth + 1)
    this.#count()
    return { kind: 'scalar', source: this.#source, offset, value: null }
  }

  /** A value that ends on its line; a flow collection may continue on lines right of the margin. */
  #value(margin: number, depth: number, inFlow: boolean): Node {
    const offset = this.#at
    if (this.#is(LIST.open) || this.#is(MAP.open)) return this.#flow(margin, depth + 1)
    const value = this.#quoted() ?? plainScalar(this.#unquoted(inFlow))
    if (value === undefined) throw new Unsupported()
    this.#count()
    return { kind: 'scalar', source: this.#source, offset, value }
  }

  /** A flow collection: its members, separated by commas, with an optional trailing comma. */
  #flow(margin: number, depth: number): ListNode | MapNode {
    if (depth > MAX_DEPTH) throw new Unsupported()
    this.#count()
    const [source, offset] = [this.#source, this.#at]
    const members: Node[] | Map<string, Entry> = this.#is(LIST.open) ? [] : new Map()
    const { close } = members instanceof Map ? MAP : LIST
    do {
      this.#at += 1
      this.#skipLines(margin)
      if (this.#is(close)) break
      if (members instanceof Map) this.#entry(members, margin, depth, true)
      else if (members.push(this.#value(margin, depth, true)) > limits.items)
        throw new Unsupported()
      this.#skipLines(margin)
    } while (this.#is(MARK.comma))
    if (!this.#is(close)) throw new Unsupported()
    this.#at += 1
    if (!(members instanceof Map)) return { kind: 'list', source, offset, items: members }
    return { kind: 'map', source, offset, entries: members }
  }

  #entry(entries: Map<string, Entry>, margin: number, depth: number, inFlow: boolean): void {
    const offset = this.#at
    const quoted = this.#quoted()
    const name = quoted ?? this.#unquoted(inFlow)
    const key = quoted ?? plainScalar(name)
    if (keyProblem(key, name) !== undefined || name.length > MAX_KEY) throw new Unsupported()
    if (!this.#isMark(MARK.colon)) throw new Unsupported()
    this.#at += 1
    this.#skipSpaces()
    if (depth === 1) this.#isInWlans = name === 'wlans'
    const value = inFlow ? this.#value(margin, depth, true) : this.#entryValue(margin, depth)
    if (entries.has(name) || entries.size === limits.keys) throw new Unsupported()
    this.#count()
    entries.set(name, { offset, value, numeric: typeof key === 'number' })
  }

  #quoted(): string | undefined {
    const quote = this.#text[this.#at]
    if (quote !== '"' && quote !== "'") return undefined
    const end = this.#text.indexOf(quote, this.#at + 1)
    const content = this.#text.slice(this.#at + 1, end)
    const isSimple = end !== -1 && this.#text[end + 1] !== quote && !/[\n\\]/.test(content)
    if (!isSimple) throw new Unsupported()
    this.#at = end + 1
    return content
  }

  #unquoted(inFlow: boolean): string {
    const start = this.#at
    this.#at = endOfPlain(this.#text, start, inFlow)
    if (this.#at === start) throw new Unsupported()
    return this.#text.slice(start, this.#at)
  }

  #endLine(): void {
    this.#skipSpaces()
    const isComment = !this.#is(MARK.hash) || this.#codeAt(this.#at - 1) === BLANK.space
    if (!isComment || !this.#isLineEnd) throw new Unsupported()
    this.#nextLine()
  }

  #nextLine(): void {
    do {
      this.#count()
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end === -1 ? this.#text.length : end + 1
      this.#column = end === -1 ? -1 : this.#skipSpaces()
    } while (this.#column !== -1 && this.#isLineEnd)
  }

  /** Skips spaces, comments and line ends in a flow collection; its lines stay right of the margin. */
  #skipLines(margin: number): void {
    this.#skipSpaces()
    while (this.#isLineEnd) {
      this.#endLine()
      if (this.#column <= margin) throw new Unsupported()
    }
  }

  #skipSpaces(): number {
    const start = this.#at
    while (this.#is(BLANK.space)) this.#at += 1
    return this.#at - start
  }

  /** Counts a node or a line: the library rejects a document that may exceed the limit. */
  #count(): void {
    this.#tokens += TOKENS_PER_NODE
    if (this.#tokens > limits.tokens) throw new Unsupported()
  }

  /** The end of the text counts as a line end. */
  #codeAt(at: number): number {
    return at < this.#text.length ? this.#text.charCodeAt(at) : BLANK.lineEnd
  }

  #is(code: number): boolean {
    return this.#codeAt(this.#at) === code
  }

  /** True for a dash or a colon that is not part of a plain scalar. */
  #isMark(code: number): boolean {
    const next = this.#codeAt(this.#at + 1)
    return this.#is(code) && (next === BLANK.space || next === BLANK.lineEnd)
  }

  get #isLineEnd(): boolean {
    return this.#is(BLANK.lineEnd) || this.#is(MARK.hash)
  }
}
