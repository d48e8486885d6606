import { isMap, isSeq } from 'yaml'
import type { TextEdit } from '../../core/values/text.ts'
import { rewriteValue } from './edit.ts'
import {
  childRanges,
  columnOf,
  endOfLine,
  isFlow,
  lineEndOf,
  type Outline,
  type TextRange
} from './outline.ts'

/** Ranges of an outline. */
export interface Removals {
  readonly removed: Iterable<TextRange>
  /** Maps that stay even if they become empty. */
  readonly staying: Iterable<TextRange>
  /** Maps into which other members are inserted. */
  readonly filled: Iterable<TextRange>
}

/**
 * The edits that remove members of maps and items of lists with the comments on their lines, and the collections that
 * become empty by that. Comments on other lines stay.
 */
export function removeRanges(
  outline: Outline,
  { removed, staying, filled }: Removals
): readonly TextEdit[] {
  const { root } = outline
  const keys = keysOf(removed)
  if (root === undefined || keys.size === 0) return []
  const remover = new Remover(outline, keys, keysOf([...staying, root]), keysOf(filled))
  return remover.editsBelow(root) ?? []
}

function keysOf(ranges: Iterable<TextRange>): ReadonlySet<string> {
  return new Set([...ranges].map(rangeKey))
}

/** Identifies a range: an inner collection may begin where its first member does. */
function rangeKey({ start, pair }: TextRange): string {
  return pair === undefined ? `${start}` : `${pair.key.range[0]}:`
}

class Remover {
  readonly #outline: Outline
  readonly #removed: ReadonlySet<string>
  readonly #staying: ReadonlySet<string>
  readonly #filled: ReadonlySet<string>

  constructor(
    outline: Outline,
    removed: ReadonlySet<string>,
    staying: ReadonlySet<string>,
    filled: ReadonlySet<string>
  ) {
    this.#outline = outline
    this.#removed = removed
    this.#staying = staying
    this.#filled = filled
  }

  /** Undefined if nothing is left of the collection, which is removed as a whole. */
  editsBelow(range: TextRange): readonly TextEdit[] | undefined {
    const children = childRanges(this.#outline.text, range)
    const inner = children.map(child =>
      this.#removed.has(rangeKey(child)) ? undefined : this.editsBelow(child)
    )
    const key = rangeKey(range)
    const isEmptied = children.length > 0 && inner.every(edits => edits === undefined)
    if (isEmptied && !this.#filled.has(key)) {
      return this.#staying.has(key) ? rewriteValue(this.#outline, range, {}) : undefined
    }
    const { node } = range
    const isGone = inner.map(edits => edits === undefined)
    const isInFlow = (isMap(node) || isSeq(node)) && isFlow(node)
    const own = isInFlow ? flowRemovals(children, isGone) : this.#blockRemovals(children, isGone)
    return [...inner.flatMap(edits => edits ?? []), ...own]
  }

  #blockRemovals(children: readonly TextRange[], isGone: readonly boolean[]): TextEdit[] {
    const { text } = this.#outline
    return children.flatMap((child, at) => {
      if (!isGone[at]) return []
      const from = startOf(child)
      const lineStart = from - columnOf(text, from)
      const before = text.slice(lineStart, from)
      const isOnOwnLine = child.pair === undefined ? /^ *-\s*$/ : /^ *$/
      if (isOnOwnLine.test(before)) {
        return [{ start: lineStart, end: endOfBlock(text, child.end), text: '' }]
      }
      // The first member of an item is on the line of its dash, where the next one takes its place.
      const next = children[at + 1]
      return next === undefined ? [] : [{ start: from, end: startOf(next), text: '' }]
    })
  }
}

/** The start of a member at its key. */
function startOf({ pair, start }: TextRange): number {
  return pair?.key.range[0] ?? start
}

/** With the comma after a member, or the one before the last members. */
function flowRemovals(children: readonly TextRange[], isGone: readonly boolean[]): TextEdit[] {
  const lastKept = isGone.lastIndexOf(false)
  const edits = children.flatMap((child, at) => {
    const next = children[at + 1]
    return isGone[at] && next !== undefined && at < lastKept
      ? [{ start: startOf(child), end: startOf(next), text: '' }]
      : []
  })
  const [first, last] = [children[0], children.at(-1)]
  if (first === undefined || last === undefined || lastKept === children.length - 1) return edits
  const start = children[lastKept]?.end ?? startOf(first)
  return [...edits, { start, end: last.end, text: '' }]
}

/** The end of the last line of a value, with its line break. */
function endOfBlock(text: string, end: number): number {
  const line = endOfLine(text, text.slice(0, end).trimEnd().length)
  return text.startsWith(lineEndOf(text), line) ? line + lineEndOf(text).length : line
}

/** Removals with insertions: an insertion into a removed range takes its place. */
export function withInsertions(
  { text }: Outline,
  removals: readonly TextEdit[],
  insertions: readonly TextEdit[]
): TextEdit[] {
  const eol = lineEndOf(text)
  // Between braces, an insertion begins with a comma after the last member.
  const isAll = ({ start }: TextEdit) => /[{[]\s*$/.test(text.slice(0, start))
  const isIn = ({ start: at }: TextEdit, removal: TextEdit) =>
    removal.start < at && (at < removal.end || (at === removal.end && isAll(removal)))
  const filled = removals.map(removal => {
    const own = insertions.filter(each => isIn(each, removal)).map(each => each.text)
    const moved = own.map(each => (each.startsWith(eol) ? each.slice(eol.length) + eol : each))
    const filling = moved.join('')
    return { ...removal, text: isAll(removal) ? filling.replace(/^,\s*/, '') : filling }
  })
  const others = insertions.filter(each => !removals.some(removal => isIn(each, removal)))
  return [...filled, ...others]
}
