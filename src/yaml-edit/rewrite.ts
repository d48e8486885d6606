import { isMap, isScalar, isSeq, type ParsedNode, Scalar, type YAMLSeq } from 'yaml'
import { Secret } from '../model/secret.ts'
import type { TextEdit } from '../model/text.ts'
import { isList, isObject, member, type Value } from '../model/value.ts'
import { columnOf, lineEndOf } from './lines.ts'
import {
  isFlow,
  itemsOf,
  nameOf,
  type Outline,
  pairsOf,
  rangesBelow,
  type TextRange
} from './outline.ts'
import { scalarLike } from './scalar.ts'
import { inline, itemLines, mapLines } from './write.ts'

/**
 * The edits that make what stands at a spot say `value`: as few bytes as that takes. Members and items
 * that say it already stay as they are written, comments and all; a secret always does.
 */
export function rewritten(outline: Outline, spot: TextRange, value: Value): TextEdit[] {
  const { node } = spot
  if (value instanceof Secret || says(node, value)) return []
  if (isMap(node) && isObject(value) && sameNames(node, value)) {
    return rangesBelow(outline.text, spot).flatMap(below =>
      rewritten(outline, below, member(value, keyOf(below)) ?? null)
    )
  }
  if (isSeq(node) && isList(value)) {
    if (itemsOf(node).length === value.length) {
      return rangesBelow(outline.text, spot).flatMap((below, at) =>
        rewritten(outline, below, value[at] ?? null)
      )
    }
    if (!isFlow(node) && value.length > 0) return [rewrittenItems(outline, node, value)]
  }
  return replaced(outline, spot, value)
}

/** True if what is written there is the value already. */
function says(node: ParsedNode | null, value: Value): boolean {
  if (node === null) return value === null
  if (isScalar(node)) return node.value === value
  if (isSeq(node) && isList(value)) {
    const items = itemsOf(node)
    return items.length === value.length && items.every((item, at) => says(item, value[at] ?? null))
  }
  if (!isMap(node) || !isObject(value) || !sameNames(node, value)) return false
  return pairsOf(node).every(pair => {
    const inner = member(value, nameOf(pair.key)) ?? null
    return inner instanceof Secret || says(pair.value, inner)
  })
}

function sameNames(node: Parameters<typeof pairsOf>[0], value: object): boolean {
  const names = pairsOf(node).map(({ key }) => nameOf(key))
  return (
    names.length === Object.keys(value).length && names.every(name => Object.hasOwn(value, name))
  )
}

function keyOf({ pair }: TextRange): string {
  return pair === undefined ? '' : nameOf(pair.key)
}

/** Another value in the place of the one there; what stands beside it keeps its place. */
function replaced({ text }: Outline, spot: TextRange, value: Value): TextEdit[] {
  const { node, start, end, pair } = spot
  const behind = pair === undefined ? undefined : behindColon(pair)
  if (node === null || start === end) {
    const at = behind ?? start
    return [{ start: at, end: at, text: `${node === null ? ':' : ''} ${inline(value)}` }]
  }
  if (!spansLines(node)) return [{ start, end, text: inlineLike(value, node) }]
  if (isFilled(value) && !isScalar(node)) {
    const lines = partLines(value, columnOf(text, start)).join(lineEndOf(text))
    return [{ start, end, text: lines.trimStart() + lastBreak(text, end) }]
  }
  if (behind === undefined || isScalar(node)) {
    return [{ start, end, text: inline(value) + lastBreak(text, end) }]
  }
  // What is short goes to the line of its key, and the lines below go away.
  return [
    { start: behind, end: behind, text: ` ${inline(value)}` },
    { start: start - columnOf(text, start), end, text: '' }
  ]
}

/** A scalar that is quoted as the one that it replaces. */
function inlineLike(value: Value, node: ParsedNode): string {
  if (typeof value !== 'string' || !isScalar(node)) return inline(value)
  const quotes: Record<string, '"' | "'"> = { QUOTE_DOUBLE: '"', QUOTE_SINGLE: "'" }
  return scalarLike(value, quotes[node.type ?? ''])
}

/** What is in a map or a list, in lines that begin at the column. */
function partLines(value: Value, column: number): string[] {
  if (isList(value)) return value.flatMap(item => itemLines(item, column))
  return isObject(value) ? mapLines(value, column) : []
}

function isFilled(value: Value): boolean {
  return (isList(value) || isObject(value)) && Object.keys(value).length > 0
}

/** True for a collection in lines of its own, and for a text behind `|` or `>`. */
function spansLines(node: ParsedNode): boolean {
  if (isMap(node) || isSeq(node)) return !isFlow(node)
  return isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL)
}

/** What ends in a line break keeps it. */
function lastBreak(text: string, end: number): string {
  return text[end - 1] === '\n' ? (text[end - 2] === '\r' ? '\r\n' : '\n') : ''
}

/** Where a value may begin on the line of its key: behind the colon, and behind an anchor. */
function behindColon({ srcToken }: NonNullable<TextRange['pair']>): number | undefined {
  const last = srcToken?.sep?.findLast(({ type }) => type === 'map-value-ind' || type === 'anchor')
  return last === undefined ? undefined : last.offset + last.source.length
}

/** Of a list in lines: those items that are new, or are gone, between the ones that stay. */
function rewrittenItems(
  { text }: Outline,
  list: YAMLSeq.Parsed,
  value: readonly Value[]
): TextEdit {
  const items = itemsOf(list)
  const least = Math.min(items.length, value.length)
  let head = 0
  while (head < least && says(items[head] ?? null, value[head] ?? null)) head += 1
  let tail = 0
  while (
    tail < least - head &&
    says(items[items.length - 1 - tail] ?? null, value[value.length - 1 - tail] ?? null)
  ) {
    tail += 1
  }
  const column = columnOf(text, list.range[0])
  const dashes = dashesOf(list)
  const lineOf = (at: number) => {
    const dash = dashes[at]
    return dash === undefined ? endOfList(text, list) : dash - column
  }
  const start = lineOf(head)
  const eol = lineEndOf(text)
  const fresh = value.slice(head, value.length - tail)
  const made = partLines(fresh, column)
    .map(line => line + eol)
    .join('')
  const end = lineOf(items.length - tail)
  // The last line of a file may end without a break.
  const broken = start === text.length && text[start - 1] !== '\n'
  return { start, end, text: broken ? eol + made.trimEnd() : made }
}

/** The offset of each item's dash. */
function dashesOf({ srcToken }: YAMLSeq.Parsed): number[] {
  if (srcToken?.type !== 'block-seq') return []
  return srcToken.items.flatMap(({ start }) => {
    const dash = start.find(({ type }) => type === 'seq-item-ind')
    return dash === undefined ? [] : [dash.offset]
  })
}

/** The beginning of the line behind a list. */
function endOfList(text: string, list: YAMLSeq.Parsed): number {
  const last = itemsOf(list).at(-1)
  const end = last?.range[1] ?? list.range[1]
  if (text[end - 1] === '\n') return end
  const line = text.indexOf('\n', end)
  return line === -1 ? text.length : line + 1
}
