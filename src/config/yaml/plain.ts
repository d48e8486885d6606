import { cost, type RunBudget } from '../budget.ts'
import { limits } from '../checks/limits.ts'
import type { Source } from '../files/source.ts'
import { Cursor, sign, Unusual } from './cursor.ts'
import type { Familiar } from './familiar.ts'
import { keyProblem, plainScalar } from './scalars.ts'
import type { Entry, ListNode, MapNode, Node, ScalarNode } from './tree.ts'

/**
 * Reads YAML that is plain, as that of nearly all files is: maps and lists by indentation and in brackets,
 * values that end on their line, comments. It takes a tenth of the library's time.
 *
 * Undefined for a file with anything else in it, and for one with anything wrong: it is the library's
 * to read, and to say what is wrong. So what is given is what the library would have made of the file,
 * and there is nothing to find in it.
 */
export function readPlain(source: Source, familiar: Familiar, budget: RunBudget): Node | undefined {
  if (UNUSUAL.test(source.text)) return undefined
  const reader = new PlainReader(source, familiar)
  try {
    return reader.document()
  } catch (thrown) {
    if (thrown instanceof Unusual) return undefined
    throw thrown
  } finally {
    budget.take('reading', reader.tokens * cost.plain)
  }
}

/** Tabs, carriage returns and byte order marks have rules of their own. */
const UNUSUAL = /[\t\r\ufeff]/

/** People do not write more levels. */
const DEEPEST = limits.depth / 2

/** The level of the blocks of WLANs and profiles, which occur in many files. */
const BLOCKS = 3

/** The library takes no longer key. */
const LONGEST_KEY = 1000

class PlainReader {
  readonly #source: Source
  readonly #cursor: Cursor
  readonly #familiar: Familiar

  constructor(source: Source, familiar: Familiar) {
    this.#source = source
    this.#cursor = new Cursor(source.text)
    this.#familiar = familiar
  }

  /** Those that were passed so far, and an eighth of the characters. */
  get tokens(): number {
    return this.#cursor.tokens + this.#cursor.at / 8
  }

  document(): Node {
    const cursor = this.#cursor
    cursor.nextLine()
    if (cursor.text.startsWith('---', cursor.at) && cursor.column === 0) {
      cursor.at += 3
      cursor.endLine()
    }
    if (cursor.column === -1) throw new Unusual()
    const root = this.#block(cursor.column, 1)
    if (cursor.column !== -1) throw new Unusual()
    return root
  }

  /** The list or map whose lines begin at this column; the first of them is next. */
  #block(column: number, depth: number): ListNode | MapNode {
    const cursor = this.#cursor
    if (depth > DEEPEST) throw new Unusual()
    const node = cursor.isDash ? this.#list(column, depth) : this.#map(column, depth)
    if (cursor.column > column) throw new Unusual()
    return node
  }

  /** The map that begins here, at this level. */
  mapAt(offset: number, column: number, depth: number): MapNode {
    this.#cursor.at = offset
    this.#cursor.column = column
    return this.#map(column, depth)
  }

  /** A block below a key at `margin`; one that has been read before is left for later. */
  #familiarBlock(margin: number, depth: number): ListNode | MapNode {
    const cursor = this.#cursor
    const { at: offset, column, tokens: before } = cursor
    const { lines, end } = cursor.linesRightOf(margin)
    const tokens = this.#familiar.tokensIn(lines)
    if (tokens === undefined) {
      const node = this.#block(column, depth)
      if (node.kind === 'map' && cursor.at === end.at) {
        this.#familiar.add(lines, cursor.tokens - before)
      }
      return node
    }
    cursor.count(tokens)
    cursor.at = end.at
    cursor.column = end.column
    const read = () => new PlainReader(this.#source, this.#familiar).mapAt(offset, column, depth)
    return new UnreadMap(this.#source, offset, end.at, read)
  }

  #list(column: number, depth: number): ListNode {
    const cursor = this.#cursor
    const offset = cursor.at
    const items: Node[] = []
    cursor.count()
    do {
      cursor.at += 1
      const spaces = cursor.spaces()
      items.push(this.#item(column, column + 1 + spaces, depth))
    } while (cursor.column === column && cursor.isDash)
    return { kind: 'list', source: this.#source, offset, items }
  }

  /** What stands behind the dash at `dash`: a value, or a list or map that goes on at `column`. */
  #item(dash: number, column: number, depth: number): Node {
    const cursor = this.#cursor
    const { at } = cursor
    if (cursor.isDash) return this.#block(column, depth + 1)
    const value = this.#value(dash, depth)
    if (cursor.isColon) {
      cursor.at = at
      return this.#block(column, depth + 1)
    }
    cursor.endLine()
    return value
  }

  #map(column: number, depth: number): MapNode {
    const cursor = this.#cursor
    const offset = cursor.at
    const entries = new Map<string, Entry>()
    cursor.count()
    do {
      if (cursor.isMark) throw new Unusual()
      const key = this.#key(false)
      this.#enter(entries, key, this.#below(column, depth))
    } while (cursor.column === column)
    return { kind: 'map', source: this.#source, offset, entries, end: cursor.at }
  }

  /** What belongs to the key that was just read, in the map at this column. */
  #below(column: number, depth: number): Node {
    const cursor = this.#cursor
    cursor.spaces()
    if (!cursor.isLineEnd) {
      const value = this.#value(column, depth)
      cursor.endLine()
      return value
    }
    const { at } = cursor
    cursor.endLine()
    const isList = cursor.column === column && cursor.isDash
    if (cursor.column <= column && !isList) return this.#leaf(at, null)
    return depth + 1 === BLOCKS && !isList
      ? this.#familiarBlock(column, depth + 1)
      : this.#block(cursor.column, depth + 1)
  }

  /** A value that ends on its line; one in brackets may go on in lines right of the margin. */
  #value(margin: number, depth: number, inBrackets = false): Node {
    const cursor = this.#cursor
    const { at } = cursor
    if (cursor.is(sign.openList)) return this.#brackets(margin, depth + 1)
    if (cursor.is(sign.openMap)) return this.#braces(margin, depth + 1)
    if (isQuote(cursor)) return this.#leaf(at, cursor.quoted())
    const value = plainScalar(cursor.unquoted(inBrackets))
    if (value === undefined) throw new Unusual()
    return this.#leaf(at, value)
  }

  #brackets(margin: number, depth: number): ListNode {
    const cursor = this.#cursor
    const offset = cursor.at
    const items: Node[] = []
    this.#each(sign.closeList, margin, depth, () => {
      items.push(this.#value(margin, depth, true))
    })
    return { kind: 'list', source: this.#source, offset, items }
  }

  #braces(margin: number, depth: number): MapNode {
    const cursor = this.#cursor
    const offset = cursor.at
    const entries = new Map<string, Entry>()
    this.#each(sign.closeMap, margin, depth, () => {
      const key = this.#key(true)
      cursor.spaces()
      this.#enter(entries, key, this.#value(margin, depth, true))
    })
    return { kind: 'map', source: this.#source, offset, entries, end: cursor.at }
  }

  /** Passes brackets, with whatever stands between their commas; one may follow the last of it. */
  #each(close: number, margin: number, depth: number, read: () => void): void {
    const cursor = this.#cursor
    if (depth > DEEPEST) throw new Unusual()
    cursor.count()
    cursor.at += 1
    cursor.gap(margin)
    while (!cursor.is(close)) {
      read()
      cursor.gap(margin)
      if (cursor.is(close)) break
      cursor.pass(sign.comma)
      cursor.gap(margin)
    }
    cursor.at += 1
  }

  /** Passes a key with its colon. */
  #key(inBrackets: boolean): Key {
    const cursor = this.#cursor
    const offset = cursor.at
    const isQuoted = isQuote(cursor)
    const name = isQuoted ? cursor.quoted() : cursor.unquoted(inBrackets)
    const value = isQuoted ? name : plainScalar(name)
    if (keyProblem(value, name) !== undefined || name.length > LONGEST_KEY) throw new Unusual()
    if (!cursor.isColon) throw new Unusual()
    cursor.at += 1
    return { name, offset, numeric: typeof value === 'number' }
  }

  #enter(entries: Map<string, Entry>, { name, offset, numeric }: Key, value: Node): void {
    if (entries.has(name) || entries.size === limits.keys) throw new Unusual()
    this.#cursor.count()
    entries.set(name, { offset, value, numeric })
  }

  #leaf(offset: number, value: ScalarNode['value']): ScalarNode {
    this.#cursor.count()
    return { kind: 'scalar', source: this.#source, offset, value }
  }
}

/** A map that is known to be plain, read when somebody looks. */
class UnreadMap implements MapNode {
  readonly kind = 'map'
  readonly source: Source
  readonly offset: number
  readonly end: number
  readonly #read: () => MapNode
  #entries: ReadonlyMap<string, Entry> | undefined

  constructor(source: Source, offset: number, end: number, read: () => MapNode) {
    this.source = source
    this.offset = offset
    this.end = end
    this.#read = read
  }

  get entries(): ReadonlyMap<string, Entry> {
    this.#entries ??= this.#read().entries
    return this.#entries
  }
}

interface Key {
  readonly name: string
  readonly offset: number
  readonly numeric: boolean
}

function isQuote(cursor: Cursor): boolean {
  return cursor.is(sign.doubleQuote) || cursor.is(sign.singleQuote)
}
