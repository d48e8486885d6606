import { type CST, Lexer, Parser } from 'yaml'
import { limits } from '../limits.ts'
import type { YamlErrors } from './errors.ts'

/** The library's lexeme before the text of a scalar. */
const SCALAR_MARK = 0x1f

/**
 * The document of a file as a token that contains all others; undefined for an empty file. Checks everything
 * that must be checked before the document is composed, lexeme by lexeme: limits, tags, directives, and a
 * second document. Ends early if the file is unreadable.
 */
export function lex(text: string, faults: YamlErrors): CST.Document | undefined {
  const parser = new Parser()
  const checker = new LexemeChecker(faults)
  let document: CST.Document | undefined
  const take = (token: CST.Token) => {
    if (token.type === 'error') faults.syntax({ offset: token.offset, code: 'UNEXPECTED_TOKEN' })
    else if (token.type === 'doc-end') checkEnd(token, faults)
    else if (token.type === 'document' && token.value !== undefined) document ??= token
  }
  for (const lexeme of new Lexer().lex(text)) {
    checker.see(lexeme, parser.offset)
    for (const token of parser.next(lexeme)) take(token)
    if (isTooDeep(parser.stack)) faults.limit(parser.offset, 'depth')
    checkMembers(parser.stack.at(-1), faults)
    if (document !== undefined && parser.stack.length > 1) {
      faults.secondDocument(parser.stack[0]?.offset ?? parser.offset)
    }
    if (faults.unreadable) return undefined
  }
  for (const token of parser.end()) take(token)
  return document
}

class LexemeChecker {
  readonly #faults: YamlErrors
  #tokens = 0
  #nodes = 0
  /** Each indicator is followed by a node, even if it is empty. */
  #marks = 0
  #inScalar = false

  constructor(faults: YamlErrors) {
    this.#faults = faults
  }

  see(lexeme: string, offset: number): void {
    this.#tokens += 1 + foldedLines(lexeme)
    if (this.#tokens > limits.tokens) this.#faults.limit(offset, 'tokens')
    if (this.#inScalar) {
      this.#inScalar = false
      return
    }
    switch (lexeme.charCodeAt(0)) {
      case SCALAR_MARK:
        this.#inScalar = true
        this.#node(offset)
        break
      case 0x22: // "
      case 0x27: // '
      case 0x2a: // *
      case 0x5b: // [
      case 0x7b: // {
        this.#node(offset)
        break
      case 0x2d: // -
      case 0x3a: // :
      case 0x3f: // ?
        if (++this.#marks > limits.nodes) this.#faults.limit(offset, 'nodes')
        break
      case 0x21: // !
        this.#faults.unsupported(offset, 'tag')
        break
      case 0x25: // %
        this.#faults.unsupported(offset, 'directive')
    }
  }

  #node(offset: number): void {
    if (++this.#nodes > limits.nodes) this.#faults.limit(offset, 'nodes')
  }
}

function foldedLines(lexeme: string): number {
  let count = 0
  if (lexeme.length < 3) return count
  for (let end = lexeme.indexOf('\n'); end !== -1; end = lexeme.indexOf('\n', end + 1)) count += 2
  return count
}

/** The parser's stack contains the document, the open maps and lists, and perhaps a scalar on top. */
function isTooDeep(stack: readonly CST.Token[]): boolean {
  if (stack.length <= limits.depth + 1) return false
  const top = stack.at(-1)
  return top !== undefined && 'items' in top
}

/** Rejects a map or a list that is too long before the rest of it is parsed. */
function checkMembers(token: CST.Token | undefined, faults: YamlErrors): void {
  if (token === undefined || !('items' in token)) return
  const isMap =
    token.type === 'block-map' || ('start' in token && token.start.type === 'flow-map-start')
  // After the last comma, the parser adds an empty item.
  if (token.items.length > limits[isMap ? 'keys' : 'items'] + 1) {
    faults.limit(token.offset, isMap ? 'keys' : 'items')
  }
}

/** Only a comment may follow `...`. */
function checkEnd(token: CST.DocumentEnd, faults: YamlErrors): void {
  for (const { type, offset } of token.end ?? []) {
    if (type !== 'space' && type !== 'comment' && type !== 'newline') {
      faults.syntax({ offset, code: 'UNEXPECTED_TOKEN' })
    }
  }
}
