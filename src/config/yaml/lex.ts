import { type CST, Lexer, Parser } from 'yaml'
import type { RunBudget } from '../budget.ts'
import { cost, limits } from '../limits.ts'
import { Compactor } from './compact.ts'
import type { YamlErrors } from './faults.ts'

/** The library's marker lexeme: the next one is the text of a scalar, whatever it looks like. */
const SCALAR_MARK = 0x1f

/**
 * The document of a file, as a token with all others inside it; undefined for a file without one.
 *
 * Everything that must be known before the document is composed is checked here, lexeme by lexeme:
 * the limits, tags, directives, and a second document. Ends early once the file is past reading, or the
 * budget used up.
 */
export function lex(text: string, faults: YamlErrors, budget: RunBudget): CST.Document | undefined {
  const parser = new Parser()
  const watch = new Watch(faults, budget)
  const compactor = new Compactor()
  let document: CST.Document | undefined
  const take = (token: CST.Token) => {
    if (token.type === 'error') faults.syntax(token.offset, 'UNEXPECTED_TOKEN')
    else if (token.type === 'doc-end') checkEnd(token, faults)
    else if (token.type === 'document' && token.value !== undefined) document ??= token
  }
  for (const lexeme of new Lexer().lex(text)) {
    watch.see(lexeme, parser.offset)
    for (const token of parser.next(lexeme)) take(token)
    compactor.see(parser.stack)
    if (isTooDeep(parser.stack)) faults.limit(parser.offset, 'depth')
    if (document !== undefined && parser.stack.length > 1) {
      faults.secondDocument(parser.stack[0]?.offset ?? parser.offset)
    }
    if (faults.unreadable || budget.exceeded !== undefined) return undefined
  }
  for (const token of parser.end()) take(token)
  return document
}

/** Counts what passes by, and finds what has no place in a fleet. */
class Watch {
  readonly #faults: YamlErrors
  #tokens = 0
  #nodes = 0
  #marks = 0
  #inScalar = false
  readonly #budget: RunBudget

  constructor(faults: YamlErrors, budget: RunBudget) {
    this.#faults = faults
    this.#budget = budget
  }

  see(lexeme: string, offset: number): void {
    const folded = foldedLines(lexeme)
    this.#tokens += 1 + folded
    this.#budget.take('reading', cost.library + folded)
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
        // Behind each of them is a node, be it an empty one.
        if (++this.#marks > limits.nodes) this.#faults.limit(offset, 'nodes')
        break
      case 0x21: // !
        this.#faults.tag(offset)
        break
      case 0x25: // %
        this.#faults.directive(offset)
    }
  }

  #node(offset: number): void {
    if (++this.#nodes > limits.nodes) this.#faults.limit(offset, 'nodes')
  }
}

/** A text of many lines is cut into them: each takes as much as two marks. */
function foldedLines(lexeme: string): number {
  let count = 0
  if (lexeme.length < 3) return count
  for (let end = lexeme.indexOf('\n'); end !== -1; end = lexeme.indexOf('\n', end + 1)) count += 2
  return count
}

/** The parser's stack: the document, the open maps and lists, and perhaps a scalar on top. */
function isTooDeep(stack: readonly CST.Token[]): boolean {
  if (stack.length <= limits.depth + 1) return false
  const top = stack.at(-1)
  return top !== undefined && 'items' in top
}

/** After `...` there may be a comment, and nothing else. */
function checkEnd(token: CST.DocumentEnd, faults: YamlErrors): void {
  for (const { type, offset } of token.end ?? []) {
    if (type !== 'space' && type !== 'comment' && type !== 'newline') {
      faults.syntax(offset, 'UNEXPECTED_TOKEN')
    }
  }
}
