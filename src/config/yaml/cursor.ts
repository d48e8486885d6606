import { limits } from '../checks/limits.ts'

/** Thrown to leave a text that is not plain: there is more to it, or something is wrong with it. */
export class Unusual extends Error {}

/** The characters that say what comes next. */
export const sign = {
  newline: 0x0a,
  space: 0x20,
  doubleQuote: 0x22,
  hash: 0x23,
  singleQuote: 0x27,
  comma: 0x2c,
  dash: 0x2d,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openMap: 0x7b,
  closeMap: 0x7d
} as const

/** With these a text without quotes does not begin: it would be something else, or an error. */
const INDICATORS = codesOf('-?:,[]{}#&*!|>\'"%@` \n')

/** In brackets these end it, too. */
const BRACKETS = codesOf(',[]{}')

/** Tokens that the library makes of a node, or of a line, at most. */
const TOKENS = 6

/** Lines of a text. */
export interface Lines {
  /** With what stands before the next thing behind them. */
  readonly lines: string
  /** Where that is, as a cursor has it. */
  readonly end: Pick<Cursor, 'at' | 'column'>
}

/** A way through a text of plain YAML; throws `Unusual` where there is anything else. */
export class Cursor {
  readonly text: string
  /** The offset of what comes next. */
  at = 0
  /** The column of the first thing on the line; -1 behind the last line. */
  column = 0
  /** Those passed so far. */
  tokens = 0

  constructor(text: string) {
    this.text = text
  }

  /** To be called for every node: what might be more than a file may hold is not plain. */
  count(tokens = TOKENS): void {
    this.tokens += tokens
    if (this.tokens > limits.tokens) throw new Unusual()
  }

  /** From the beginning of a line to the first thing on it, or on one that follows. */
  nextLine(): void {
    const { text } = this
    for (;;) {
      this.count()
      const spaces = this.spaces()
      if (!this.isLineEnd) {
        this.column = spaces
        return
      }
      const end = text.indexOf('\n', this.at)
      if (end === -1) break
      this.at = end + 1
    }
    this.at = text.length
    this.column = -1
  }

  /** The lines from this one on that are right of a column, or say nothing, and what comes behind them. */
  linesRightOf(column: number): Lines {
    const { at, text } = this
    const from = at - this.column
    for (let newline = text.indexOf('\n', at); newline !== -1; ) {
      const start = newline + 1
      let next = start
      while (text.charCodeAt(next) === sign.space) next += 1
      if (next - start <= column && !isLineEnd(text.charCodeAt(next))) {
        return { lines: text.slice(from, next), end: { at: next, column: next - start } }
      }
      newline = text.indexOf('\n', next)
    }
    return { lines: text.slice(from), end: { at: text.length, column: -1 } }
  }

  /** From the end of a value, past spaces and a comment, to the next line with something on it. */
  endLine(): void {
    this.spaces()
    const isComment = this.is(sign.hash) && this.text.charCodeAt(this.at - 1) === sign.space
    if (!this.isLineEnd || (this.is(sign.hash) && !isComment)) throw new Unusual()
    const end = this.text.indexOf('\n', this.at)
    this.at = end === -1 ? this.text.length : end + 1
    this.nextLine()
  }

  /** In brackets: passes spaces, comments, and the ends of lines if the next one is right of a column. */
  gap(column: number): void {
    this.spaces()
    while (this.isLineEnd) {
      this.endLine()
      if (this.column <= column) throw new Unusual()
    }
  }

  /** Passes the spaces that come next, and gives how many they are. */
  spaces(): number {
    const { at, text } = this
    let end = at
    while (text.charCodeAt(end) === sign.space) end += 1
    this.at = end
    return end - at
  }

  is(code: number): boolean {
    return this.text.charCodeAt(this.at) === code
  }

  /** Passes this character. */
  pass(code: number): void {
    if (!this.is(code)) throw new Unusual()
    this.at += 1
  }

  /** True where nothing is left of the line but perhaps a comment. */
  get isLineEnd(): boolean {
    return isLineEnd(this.text.charCodeAt(this.at))
  }

  /** True at the dash of an item. */
  get isDash(): boolean {
    return this.is(sign.dash) && isBlank(this.text.charCodeAt(this.at + 1))
  }

  /** True at the colon that ends a key. */
  get isColon(): boolean {
    return this.is(sign.colon) && isBlank(this.text.charCodeAt(this.at + 1))
  }

  /** True at what begins or ends a document. */
  get isMark(): boolean {
    return this.column === 0 && /^(?:---|\.\.\.)/.test(this.text.slice(this.at, this.at + 3))
  }

  /** Passes a text in quotes on one line, without escapes; gives what is in the quotes. */
  quoted(): string {
    const { at, text } = this
    const quote = text.charCodeAt(at)
    let end = at + 1
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end)) {
      const isPlain = code !== sign.newline && code !== sign.backslash && !Number.isNaN(code)
      if (!isPlain) throw new Unusual()
      end += 1
    }
    if (text.charCodeAt(end + 1) === quote) throw new Unusual()
    this.at = end + 1
    return text.slice(at + 1, end)
  }

  /** Passes a text without quotes on one line; gives it without the spaces behind it. */
  unquoted(inBrackets: boolean): string {
    const { at, text } = this
    const first = text.charCodeAt(at)
    const begins = first === sign.dash ? !isEnd(text.charCodeAt(at + 1)) : !INDICATORS.has(first)
    if (!begins || Number.isNaN(first)) throw new Unusual()
    let end = at
    for (let next = at; ; next += 1) {
      const code = text.charCodeAt(next)
      if (code === sign.space) continue
      if (isEnd(code) || (code === sign.hash && next > end)) break
      if (code === sign.colon && isEnd(text.charCodeAt(next + 1))) break
      end = next + 1
    }
    this.at = end
    return text.slice(at, end)

    /** True for what ends the text, and behind a colon makes it a key. */
    function isEnd(code: number): boolean {
      return isBlank(code) || (inBrackets && BRACKETS.has(code))
    }
  }
}

function isLineEnd(code: number): boolean {
  return code === sign.newline || code === sign.hash || Number.isNaN(code)
}

function isBlank(code: number): boolean {
  return code === sign.space || code === sign.newline || Number.isNaN(code)
}

function codesOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map(character => character.charCodeAt(0)))
}
