import { isMap, isSeq } from 'yaml'
import type { TextEdit } from '../../core/values/text.ts'
import {
  childRanges,
  columnOf,
  endOfLine,
  isFlow,
  lineEndOf,
  type Outline,
  type TextRange
} from './outline.ts'

/**
 * The edits that remove members of maps and items of lists with the comments on their lines, and the collections that
 * become empty by that. Comments on other lines stay. Each range is one of the outline.
 */
export function removeRanges(outline: Outline, removed: ReadonlySet<TextRange>): TextEdit[] {
  if (outline.root === undefined || removed.size === 0) return []
  const keys = new Set([...removed].map(rangeKey))
  const edits = editsBelow(outline, outline.root, keys)
  return edits === 'all'
    ? [{ start: outline.root.start, end: outline.root.end, text: '{}' }]
    : edits
}

/** Identifies a range: an inner collection may begin where its first member does. */
function rangeKey({ start, pair }: TextRange): string {
  return pair === undefined ? `${start}` : `${pair.key.range[0]}:`
}

function editsBelow(
  outline: Outline,
  range: TextRange,
  removed: ReadonlySet<string>
): TextEdit[] | 'all' {
  const children = childRanges(outline.text, range)
  const inner = children.map(child =>
    removed.has(rangeKey(child)) ? 'all' : editsBelow(outline, child, removed)
  )
  const isGone = inner.map(edits => edits === 'all')
  if (children.length > 0 && !isGone.includes(false)) return 'all'
  const { node } = range
  const isInFlow = (isMap(node) || isSeq(node)) && isFlow(node)
  const own = isInFlow ? flowRemovals(children, isGone) : blockRemovals(outline, children, isGone)
  return [...inner.flatMap(edits => (edits === 'all' ? [] : edits)), ...own]
}

/** The start of a member at its key. */
function startOf({ pair, start }: TextRange): number {
  return pair?.key.range[0] ?? start
}

function flowRemovals(children: readonly TextRange[], isGone: readonly boolean[]): TextEdit[] {
  const kept = isGone.lastIndexOf(false)
  const last = children.at(-1)
  const edits = children.flatMap((child, at) => {
    const next = children[at + 1]
    if (!isGone[at] || next === undefined || at > kept) return []
    return [{ start: startOf(child), end: startOf(next), text: '' }]
  })
  const keptRange = children[kept]
  if (last === undefined || keptRange === undefined || kept === children.length - 1) return edits
  return [...edits, { start: keptRange.end, end: last.end, text: '' }]
}

function blockRemovals(
  { text }: Outline,
  children: readonly TextRange[],
  isGone: readonly boolean[]
): TextEdit[] {
  return children.flatMap((child, at) => {
    if (!isGone[at]) return []
    const from = startOf(child)
    const lineStart = from - columnOf(text, from)
    const next = children[at + 1]
    const isFirstOnLine = /^[ \t]*(?:-[ \t]+)?$/.test(text.slice(lineStart, from))
    const isItem = child.pair === undefined
    if (!isFirstOnLine || (!isItem && text.slice(lineStart, from).includes('-'))) {
      // The first member of an item is on the line of its dash, where the next one takes its place.
      return next === undefined ? [] : [{ start: from, end: startOf(next), text: '' }]
    }
    return [{ start: lineStart, end: endOfBlock(text, child.end), text: '' }]
  })
}

/** The end of the last line of a value, with its line break. */
function endOfBlock(text: string, end: number): number {
  const last = text.slice(0, end).trimEnd().length
  const line = endOfLine(text, last)
  return text.startsWith(lineEndOf(text), line) ? line + lineEndOf(text).length : line
}

/** Removals with insertions: an insertion within a removal takes its place. */
export function withInsertions(
  { text }: Outline,
  removals: readonly TextEdit[],
  insertions: readonly TextEdit[]
): TextEdit[] {
  const eol = lineEndOf(text)
  const isIn = (at: number, { start, end }: TextEdit) => start < at && at <= end
  const filled = removals.map(removal => {
    const lines = insertions.filter(({ start }) => isIn(start, removal)).map(each => each.text)
    const moved = lines.map(each => (each.startsWith(eol) ? each.slice(eol.length) + eol : each))
    return { ...removal, text: moved.join('') }
  })
  const others = insertions.filter(({ start }) => !removals.some(each => isIn(start, each)))
  return [...filled, ...others]
}
