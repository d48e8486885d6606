/**
 * Reads the YAML that people mostly write: block maps and lists by indentation, flow collections, scalars
 * that end on their line, comments; in a tenth of the library's time. It does not take anchors, aliases,
 * tags, directives, several documents, block scalars, escapes, complex keys, tabs, carriage returns or
 * deep nesting, nor any document with an error: the library decides all others, and makes every finding.
 * So a tree from here is what the library would have made. Properties in the tests hold both equal.
 */

import type { Source } from '../files/source.ts'
import { cost, limits, type RunBudget } from '../limits.ts'
import type { Entry, ListNode, MapNode, Node, ScalarNode } from './tree.ts'
import { keyProblem, plainScalar } from './tree.ts'

/** The tree of a document, or undefined for one that the library has to read. */
export function readFast(source: Source, budget: RunBudget): Node | undefined {
  if (/[\t\r\ufeff]/.test(source.text)) return undefined
  const reader = new FastReader(source)
  try {
    return reader.document()
  } catch (thrown) {
    if (thrown instanceof Unsupported) return undefined
    throw thrown
  } finally {
    budget.take('reading', reader.cost)
  }
}

/** Thrown at the first thing that only the library reads. */
class Unsupported extends Error {}

/** No plain scalar begins with these; a dash may, before another character. */
const INDICATORS = '-?:,[]{}#&*!|>\'"%@` \n'

/** They end a plain scalar in a flow collection. */
const FLOW_INDICATORS = ',[]{}'

const MAX_DEPTH = limits.depth / 2

/** Tokens that the library makes of a node or a line, at most. */
const TOKENS_PER_NODE = 6

/** UTF-16 code units: the library takes no longer key. */
const MAX_KEY = 1000

class FastReader {
  readonly #source: Source
  readonly #text: string
  /** The offset of the next character. */
  #at = 0
  /** The column of the first character of this line that is no space; -1 after the last line. */
  #column = 0
  #tokens = 0

  constructor(source: Source) {
    this.#source = source
    this.#text = source.text
  }

  /** Steps of the budget for what was read so far. */
  get cost(): number {
    return (this.#tokens + this.#at / 8) * cost.plain
  }

  document(): Node {
    this.#nextLine()
    if (this.#text.startsWith('---', this.#at) && this.#column === 0) {
      this.#at += 3
      this.#endLine()
    }
    if (this.#column === -1) throw new Unsupported()
    const root = this.#block(this.#column, 1)
    if (this.#column !== -1) throw new Unsupported()
    return root
  }

  /** The list or map whose lines begin at this column, from its first line on. */
  #block(column: number, depth: number): ListNode | MapNode {
    if (depth > MAX_DEPTH) throw new Unsupported()
    const node = this.#isDash ? this.#blockList(column, depth) : this.#blockMap(column, depth)
    if (this.#column > column) throw new Unsupported()
    return node
  }

  #blockList(column: number, depth: number): ListNode {
    const node = {
      kind: 'list',
      source: this.#source,
      offset: this.#at,
      items: [] as Node[]
    } as const
    this.#count()
    do {
      this.#at += 1
      const spaces = this.#skipSpaces()
      node.items.push(this.#item(column, column + 1 + spaces, depth))
    } while (this.#column === column && this.#isDash)
    return node
  }

  /** The item after the dash in column `dash`: a value, or a block that goes on at `column`. */
  #item(dash: number, column: number, depth: number): Node {
    const start = this.#at
    if (this.#isDash) return this.#block(column, depth + 1)
    const value = this.#value(dash, depth)
    if (this.#isColon) {
      this.#at = start
      return this.#block(column, depth + 1)
    }
    this.#endLine()
    return value
  }

  #blockMap(column: number, depth: number): MapNode {
    const offset = this.#at
    const entries = new Map<string, Entry>()
    this.#count()
    do {
      const isMarker =
        this.#column === 0 && /^(?:---|\.\.\.)/.test(this.#text.slice(this.#at, this.#at + 3))
      if (isMarker) throw new Unsupported()
      this.#entry(entries, false, () => this.#entryValue(column, depth))
    } while (this.#column === column)
    return { kind: 'map', source: this.#source, offset, entries, end: this.#at }
  }

  /** The value after a key and its colon, in the block map at this column. */
  #entryValue(column: number, depth: number): Node {
    this.#skipSpaces()
    if (!this.#isLineEnd) {
      const value = this.#value(column, depth)
      this.#endLine()
      return value
    }
    const offset = this.#at
    this.#endLine()
    const isList = this.#column === column && this.#isDash
    if (this.#column <= column && !isList) return this.#scalar(offset, null)
    return this.#block(this.#column, depth + 1)
  }

  /** A value that ends on its line; a flow collection may go on in lines right of the margin. */
  #value(margin: number, depth: number, inFlow = false): Node {
    const offset = this.#at
    if (this.#is('[')) {
      const items: Node[] = []
      this.#flow(']', margin, depth + 1, () => items.push(this.#value(margin, depth + 1, true)))
      return { kind: 'list', source: this.#source, offset, items }
    }
    if (this.#is('{')) {
      const entries = new Map<string, Entry>()
      const value = () => {
        this.#skipSpaces()
        return this.#value(margin, depth + 1, true)
      }
      this.#flow('}', margin, depth + 1, () => this.#entry(entries, true, value))
      return { kind: 'map', source: this.#source, offset, entries, end: this.#at }
    }
    if (this.#isQuote) return this.#scalar(offset, this.#quoted())
    const value = plainScalar(this.#unquoted(inFlow))
    if (value === undefined) throw new Unsupported()
    return this.#scalar(offset, value)
  }

  /** The members of a flow collection, with the commas between them and after the last one. */
  #flow(close: string, margin: number, depth: number, readMember: () => void): void {
    if (depth > MAX_DEPTH) throw new Unsupported()
    this.#count()
    this.#at += 1
    this.#skipLines(margin)
    while (!this.#is(close)) {
      readMember()
      this.#skipLines(margin)
      if (this.#is(close)) break
      if (!this.#is(',')) throw new Unsupported()
      this.#at += 1
      this.#skipLines(margin)
    }
    this.#at += 1
  }

  #entry(entries: Map<string, Entry>, inFlow: boolean, readValue: () => Node): void {
    const offset = this.#at
    const isQuoted = this.#isQuote
    const name = isQuoted ? this.#quoted() : this.#unquoted(inFlow)
    const key = isQuoted ? name : plainScalar(name)
    if (keyProblem(key, name) !== undefined || name.length > MAX_KEY) throw new Unsupported()
    if (!this.#isColon) throw new Unsupported()
    this.#at += 1
    const value = readValue()
    if (entries.has(name) || entries.size === limits.keys) throw new Unsupported()
    this.#count()
    entries.set(name, { offset, value, numeric: typeof key === 'number' })
  }

  #scalar(offset: number, value: ScalarNode['value']): ScalarNode {
    this.#count()
    return { kind: 'scalar', source: this.#source, offset, value }
  }

  /** The content of a quoted scalar on one line. */
  #quoted(): string {
    const start = this.#at + 1
    const quote = this.#text[this.#at]
    let end = start
    for (let code = this.#text[end]; code !== quote; code = this.#text[end]) {
      if (code === '\n' || code === '\\' || code === undefined) throw new Unsupported()
      end += 1
    }
    if (this.#text[end + 1] === quote) throw new Unsupported()
    this.#at = end + 1
    return this.#text.slice(start, end)
  }

  /** A plain scalar on one line, without the spaces after it. */
  #unquoted(inFlow: boolean): string {
    const text = this.#text
    const start = this.#at
    const first = text[start]
    const isEnd = (code: string | undefined) =>
      isBlank(code) || (inFlow && FLOW_INDICATORS.includes(code ?? ''))
    if (first === undefined) throw new Unsupported()
    const isStart = first === '-' ? !isEnd(text[start + 1]) : !INDICATORS.includes(first)
    if (!isStart) throw new Unsupported()
    let end = start
    for (let next = start; ; next += 1) {
      const code = text[next]
      if (code === ' ') continue
      if (isEnd(code) || (code === '#' && next > end)) break
      if (code === ':' && isEnd(text[next + 1])) break
      end = next + 1
    }
    this.#at = end
    return text.slice(start, end)
  }

  /** From the start of a line to the first character of it, or of a later line, that counts. */
  #nextLine(): void {
    for (;;) {
      this.#count()
      const spaces = this.#skipSpaces()
      if (!this.#isLineEnd) {
        this.#column = spaces
        return
      }
      const end = this.#text.indexOf('\n', this.#at)
      if (end === -1) break
      this.#at = end + 1
    }
    this.#at = this.#text.length
    this.#column = -1
  }

  /** From the end of a value, past spaces and a comment, to the next line. */
  #endLine(): void {
    this.#skipSpaces()
    const isComment = this.#is('#') && this.#text[this.#at - 1] === ' '
    if (!this.#isLineEnd || (this.#is('#') && !isComment)) throw new Unsupported()
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.#text.length : end + 1
    this.#nextLine()
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
    let end = start
    while (this.#text[end] === ' ') end += 1
    this.#at = end
    return end - start
  }

  /** Counts a node or a line: a document that may exceed the limit is the library's to refuse. */
  #count(): void {
    this.#tokens += TOKENS_PER_NODE
    if (this.#tokens > limits.tokens) throw new Unsupported()
  }

  #is(code: string | undefined): boolean {
    return this.#text[this.#at] === code
  }

  get #isQuote(): boolean {
    return this.#is('"') || this.#is("'")
  }

  get #isLineEnd(): boolean {
    const code = this.#text[this.#at]
    return code === '\n' || code === '#' || code === undefined
  }

  get #isDash(): boolean {
    return this.#is('-') && isBlank(this.#text[this.#at + 1])
  }

  get #isColon(): boolean {
    return this.#is(':') && isBlank(this.#text[this.#at + 1])
  }
}

function isBlank(code: string | undefined): boolean {
  return code === ' ' || code === '\n' || code === undefined
}
