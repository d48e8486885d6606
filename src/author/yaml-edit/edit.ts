import { isMap, isScalar, isSeq, type ParsedNode, Scalar, type YAMLMap, type YAMLSeq } from 'yaml'
import { Secret } from '../../core/values/secret.ts'
import type { TextEdit } from '../../core/values/text.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../core/values/value.ts'
import {
  childRanges,
  columnOf,
  endOfLine,
  isFlow,
  itemsOf,
  keyName,
  lineEndOf,
  type Outline,
  pairsOf,
  type TextRange
} from './outline.ts'
import { scalarQuotedAs } from './scalar.ts'
import { flowText, itemLines, mapLines, memberLines } from './write.ts'

/**
 * The smallest edits that replace the value at a range. Members and items with the right value keep their
 * text and comments; secrets always do.
 */
export function rewriteValue(outline: Outline, range: TextRange, value: Value): TextEdit[] {
  const { node } = range
  if (value instanceof Secret || hasValue(node, value)) return []
  if (isMap(node) && isObject(value) && hasSameKeys(node, value)) {
    return childRanges(outline.text, range).flatMap(below =>
      rewriteValue(outline, below, member(value, rangeKey(below)) ?? null)
    )
  }
  if (isSeq(node) && isList(value)) {
    if (itemsOf(node).length === value.length) {
      return childRanges(outline.text, range).flatMap((below, at) =>
        rewriteValue(outline, below, value[at] ?? null)
      )
    }
    if (!isFlow(node) && value.length > 0) return [rewriteItems(outline, node, value)]
  }
  return replaceValue(outline, range, value)
}

function hasValue(node: ParsedNode | null, value: Value): boolean {
  if (node === null) return value === null
  if (isScalar(node)) return node.value === value
  if (isSeq(node) && isList(value)) {
    const items = itemsOf(node)
    return (
      items.length === value.length && items.every((item, at) => hasValue(item, value[at] ?? null))
    )
  }
  if (!isMap(node) || !isObject(value) || !hasSameKeys(node, value)) return false
  return pairsOf(node).every(pair => {
    const inner = member(value, keyName(pair.key)) ?? null
    return inner instanceof Secret || hasValue(pair.value, inner)
  })
}

function hasSameKeys(node: Parameters<typeof pairsOf>[0], value: object): boolean {
  const names = pairsOf(node).map(({ key }) => keyName(key))
  return (
    names.length === Object.keys(value).length && names.every(name => Object.hasOwn(value, name))
  )
}

function rangeKey({ pair }: TextRange): string {
  return pair === undefined ? '' : keyName(pair.key)
}

function replaceValue({ text }: Outline, range: TextRange, value: Value): TextEdit[] {
  const { node, start, end, pair } = range
  const afterKey = pair === undefined ? undefined : afterColon(pair)
  if (node === null || start === end) {
    const at = afterKey ?? start
    return [{ start: at, end: at, text: `${node === null ? ':' : ''} ${flowText(value)}` }]
  }
  if (!spansLines(node)) return [{ start, end, text: inlineWithQuotes(value, node) }]
  if ((isList(value) || isObject(value)) && Object.keys(value).length > 0 && !isScalar(node)) {
    const lines = memberLinesOf(value, columnOf(text, start)).join(lineEndOf(text))
    return [{ start, end, text: lines.trimStart() + trailingLineBreak(text, end) }]
  }
  if (afterKey === undefined || isScalar(node)) {
    return [{ start, end, text: flowText(value) + trailingLineBreak(text, end) }]
  }
  // A short value goes to the line of its key, and the lines below are removed.
  return [
    { start: afterKey, end: afterKey, text: ` ${flowText(value)}` },
    { start: start - columnOf(text, start), end, text: '' }
  ]
}

function inlineWithQuotes(value: Value, node: ParsedNode): string {
  if (typeof value !== 'string' || !isScalar(node)) return flowText(value)
  const quotes: Record<string, '"' | "'"> = { QUOTE_DOUBLE: '"', QUOTE_SINGLE: "'" }
  return scalarQuotedAs(value, quotes[node.type ?? ''])
}

function memberLinesOf(value: Value, column: number): string[] {
  if (isList(value)) return value.flatMap(item => itemLines(item, column))
  return isObject(value) ? mapLines(value, column) : []
}

function spansLines(node: ParsedNode): boolean {
  if (isMap(node) || isSeq(node)) return !isFlow(node)
  return isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL)
}

function trailingLineBreak(text: string, end: number): string {
  return text[end - 1] === '\n' ? (text[end - 2] === '\r' ? '\r\n' : '\n') : ''
}

/** The offset at which a value may start on the line of its key: after the colon and an anchor. */
function afterColon({ srcToken }: NonNullable<TextRange['pair']>): number | undefined {
  const last = srcToken?.sep?.findLast(({ type }) => type === 'map-value-ind' || type === 'anchor')
  return last === undefined ? undefined : last.offset + last.source.length
}

/** Replaces the items of a block list between its unchanged first and last ones. */
function rewriteItems({ text }: Outline, list: YAMLSeq.Parsed, value: readonly Value[]): TextEdit {
  const items = itemsOf(list)
  const least = Math.min(items.length, value.length)
  let head = 0
  while (head < least && hasValue(items[head] ?? null, value[head] ?? null)) head += 1
  let tail = 0
  while (
    tail < least - head &&
    hasValue(items[items.length - 1 - tail] ?? null, value[value.length - 1 - tail] ?? null)
  ) {
    tail += 1
  }
  const column = columnOf(text, list.range[0])
  const dashes = dashOffsets(list)
  const lineOf = (at: number) => {
    const dash = dashes[at]
    return dash === undefined ? endOfList(text, list) : dash - column
  }
  const start = lineOf(head)
  const eol = lineEndOf(text)
  const fresh = value.slice(head, value.length - tail)
  const newLines = memberLinesOf(fresh, column)
    .map(line => line + eol)
    .join('')
  const end = lineOf(items.length - tail)
  // The last line of a file may lack a line break.
  const broken = start === text.length && text[start - 1] !== '\n'
  return { start, end, text: broken ? eol + newLines.trimEnd() : newLines }
}

function dashOffsets({ srcToken }: YAMLSeq.Parsed): number[] {
  if (srcToken?.type !== 'block-seq') return []
  return srcToken.items.flatMap(({ start }) => {
    const dash = start.find(({ type }) => type === 'seq-item-ind')
    return dash === undefined ? [] : [dash.offset]
  })
}

function endOfList(text: string, list: YAMLSeq.Parsed): number {
  const last = itemsOf(list).at(-1)
  const end = last?.range[1] ?? list.range[1]
  if (text[end - 1] === '\n') return end
  const line = text.indexOf('\n', end)
  return line === -1 ? text.length : line + 1
}

/**
 * The edit that adds members at the end of a map; blocks among them are separated by empty lines, as the
 * existing ones are. Throws if the range is not a map.
 */
export function insertMembers(
  outline: Outline,
  { node }: TextRange,
  members: ValueObject
): TextEdit {
  if (!isMap(node)) throw new Error('members can only be added to a map')
  const { text } = outline
  return isFlow(node) ? insertInFlow(text, node, members) : insertInBlock(text, node, members)
}

/** The maximum width of a line after an insertion, in columns. */
const MAX_WIDTH = 120

/** Inserts members after the last one; on a line of their own if the line would become too long. */
function insertInFlow(text: string, map: YAMLMap.Parsed, members: ValueObject): TextEdit {
  const last = pairsOf(map).at(-1)
  if (last === undefined) {
    const [start, end] = map.range
    return { start, end, text: flowText(members) }
  }
  const end = (last.value ?? last.key).range[1]
  const written = flowText(members).replace(/^\{ | \}$/g, '')
  const width = columnOf(text, endOfLine(text, end)) + written.length + 2
  if (width <= MAX_WIDTH) return { start: end, end, text: `, ${written}` }
  const indent = ' '.repeat(columnOf(text, map.range[0]) + 2)
  return { start: end, end, text: `,${lineEndOf(text)}${indent}${written}` }
}

function insertInBlock(text: string, map: YAMLMap.Parsed, members: ValueObject): TextEdit {
  const eol = lineEndOf(text)
  const pairs = pairsOf(map)
  const column = columnOf(text, pairs[0]?.key.range[0] ?? map.range[0])
  const lines = Object.entries(members).flatMap(([name, value]) => {
    const block = memberLines(name, value, column)
    return block.length > 1 && isSpaced(text, map) ? ['', ...block] : block
  })
  const last = pairs.at(-1)
  const end = (last?.value ?? last?.key)?.range[1] ?? map.range[1]
  // A block value includes its last line break.
  if (text[end - 1] === '\n')
    return { start: end, end, text: lines.map(line => line + eol).join('') }
  const afterKey = endOfLine(text, end)
  return { start: afterKey, end: afterKey, text: lines.map(line => eol + line).join('') }
}

/** True if an empty line precedes the last member of a map, or if its only member is a block. */
function isSpaced(text: string, map: YAMLMap.Parsed): boolean {
  const [before, last] = pairsOf(map).slice(-2)
  if (before === undefined) return false
  if (last === undefined) return spansLines(before.value ?? before.key)
  return /\n[ \t]*\r?\n/.test(text.slice(before.key.range[0], last.key.range[0]))
}
