/**
 * Finds the mistake behind a syntax error. The library reports where parsing failed: at the end of a string that is not
 * closed, or at the value above a line that is indented too far. Authors need the line to edit, and how to edit it.
 */
import type { CST, ErrorCode } from 'yaml'

export interface Mistake {
  readonly offset: number
  readonly problem: string
}

export interface LibraryError {
  readonly offset: number
  readonly code: ErrorCode
}

interface Line {
  readonly start: number
  readonly first: number
  readonly before: string
  readonly rest: string
}

export function mistakeOf(text: string, { offset, code }: LibraryError): Mistake {
  const line = lineOf(text, offset)
  if (CONFLICT.test(text.slice(line.start, line.start + 8))) {
    return { offset: line.start, problem: 'CONFLICT' }
  }
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'BLOCK_IN_FLOW':
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
    case 'MULTILINE_IMPLICIT_KEY':
      if (!NO_ENTRY_START.test(line.before)) return mistakeInKey(text, offset, line, code)
      if (line.rest.startsWith('#')) return { offset, problem: 'NO_SPACE_BEFORE_HASH' }
      return mistakeInValue(text, offset, line, code)
    case 'UNEXPECTED_TOKEN':
      return strayText(text, offset, line)
    default:
      return { offset, problem: code }
  }
}

const CONFLICT = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/

const NO_ENTRY_START = /[^- \t]/

const COLON = /:(?:[ \t]|$)/

function lineOf(text: string, offset: number): Line {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return {
    start,
    first: firstOf(text, start),
    before: text.slice(start, offset).trimEnd(),
    rest: withoutComment(text.slice(offset, endOfLine(text, offset)))
  }
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

function firstOf(text: string, start: number): number {
  let first = start
  while (text[first] === ' ' || text[first] === '\t') first += 1
  return first
}

function skipBlankLines(text: string, start: number): number {
  let first = firstOf(text, start)
  while (text[first] === '#' || text[first] === '\n' || text[first] === '\r') {
    first = firstOf(text, Math.min(endOfLine(text, first) + 1, text.length))
  }
  return first
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1)
}

function withoutComment(rest: string): string {
  const comment = rest.search(/[ \t]#/)
  return (comment === -1 ? rest : rest.slice(0, comment)).trimEnd()
}

/** The mistake for an error at the start of an entry, or in the spaces before it. */
function mistakeInKey(text: string, offset: number, line: Line, code: ErrorCode): Mistake {
  const first = Math.max(offset, skipBlankLines(text, line.start))
  const entry = text.slice(first, endOfLine(text, first))
  if (/^-[^\s-]/.test(entry)) return { offset: first, problem: 'NO_SPACE_AFTER_DASH' }
  if (offset < first || code === 'BAD_INDENT') return { offset: first, problem: 'BAD_INDENT' }
  if (/^-(?:\s|$)/.test(entry)) return { offset: first, problem: 'MAP_AND_LIST' }
  const name = /^(?:[^\s:#'"{}[\],]+|"[^"\\]*"|'[^']*'):(?=[^\s:])/.exec(entry)?.[0]
  if (name !== undefined && !COLON.test(withoutComment(entry))) {
    return { offset: first + name.length - 1, problem: 'NO_SPACE_AFTER_COLON' }
  }
  const below = line.before.endsWith('-') ? keyBelow(text, endOfLine(text, first)) : undefined
  if (below !== undefined && columnOf(text, below) !== columnOf(text, first)) {
    return { offset: below, problem: 'BAD_INDENT' }
  }
  const hasColon = code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'BLOCK_IN_FLOW'
  return { offset, problem: hasColon ? code : 'NO_COLON' }
}

/** For an error at a value: it contains a colon, or a line below it is indented like a map. */
function mistakeInValue(text: string, offset: number, line: Line, code: ErrorCode): Mistake {
  const { rest } = line
  if (/^\?(?:\s|$)/.test(rest)) return { offset, problem: 'BAD_SCALAR_START' }
  const isInFlow = code === 'BLOCK_IN_FLOW'
  if (!isInFlow && code !== 'BLOCK_AS_IMPLICIT_KEY' && code !== 'MULTILINE_IMPLICIT_KEY') {
    return { offset, problem: code }
  }
  if (COLON.test(rest)) return { offset, problem: isInFlow ? 'COLON_IN_FLOW' : 'COLON_IN_VALUE' }
  const below = isInFlow ? undefined : keyBelow(text, endOfLine(text, offset))
  return below === undefined ? { offset, problem: code } : { offset: below, problem: 'BAD_INDENT' }
}

function keyBelow(text: string, from: number): number | undefined {
  for (let end = from; end < text.length; ) {
    const start = end + 1
    end = endOfLine(text, start)
    if (COLON.test(withoutComment(text.slice(start, end)))) return firstOf(text, start)
  }
  return undefined
}

/** The end of the text before an error, and the problem that it indicates. */
const STRAY: readonly (readonly [before: RegExp, problem: string])[] = [
  [/["']$/, 'TEXT_AFTER_QUOTE'],
  [/[\]}]$/, 'TEXT_AFTER_BRACKET'],
  [/(?:^|\s)[|>][-+\d]*$/, 'BAD_BLOCK_HEADER'],
  [/(?:^|\s)\*\S*$/, 'TEXT_AFTER_ALIAS']
]

function strayText(text: string, offset: number, line: Line): Mistake {
  const { before, rest } = line
  if (/^[\]}]/.test(rest)) return { offset, problem: 'STRAY_BRACKET' }
  const stray = STRAY.find(([pattern]) => pattern.test(before))
  if (stray !== undefined) return { offset, problem: stray[1] }
  if (/^-(?:\s|$)/.test(rest) && before.endsWith(':')) return { offset, problem: 'LIST_IN_LINE' }
  // The document ended at a key that is left of its first line.
  if (!rest.startsWith(':') || COLON.test(before)) return { offset, problem: 'UNEXPECTED_TOKEN' }
  const start = text.slice(0, line.start).search(/^[ \t]*(?!#|---|%)[^\s]/m)
  const isList = text[firstOf(text, Math.max(start, 0))] === '-'
  return { offset: line.first, problem: isList ? 'MAP_AND_LIST' : 'BAD_INDENT' }
}

const MAX_GAP = 100

/**
 * The first quote or bracket that is never closed, or that a later line closes by accident; all
 * later errors follow from it.
 */
export function unclosedIn(
  token: CST.Token | null | undefined,
  text: string,
  errors: readonly LibraryError[]
): Mistake | undefined {
  if (!token) return undefined
  if (token.type === 'document') return unclosedIn(token.value, text, errors)
  if (token.type === 'single-quoted-scalar' || token.type === 'double-quoted-scalar') {
    const isOpen = isOpenQuote(token, text, errors)
    return isOpen ? { offset: token.offset, problem: 'UNCLOSED_QUOTE' } : undefined
  }
  if (!('items' in token)) return undefined
  for (const { key, value } of token.items) {
    const found = unclosedIn(key, text, errors) ?? unclosedIn(value, text, errors)
    if (found !== undefined) return found
  }
  if (token.type !== 'flow-collection') return undefined
  const close = token.start.source === '[' ? ']' : '}'
  if (token.end[0]?.source === close) return undefined
  return { offset: token.offset, problem: 'UNCLOSED_BRACKET' }
}

function isOpenQuote(
  { source, offset }: CST.FlowScalar,
  text: string,
  errors: readonly LibraryError[]
): boolean {
  if (source.length < 2 || source.at(-1) !== source[0]) return true
  const end = offset + source.length
  const isStray = (at: number) =>
    at >= end && at <= end + MAX_GAP && text.slice(end, at).trim() === ''
  return source.includes('\n') && errors.some(error => isStray(error.offset))
}
