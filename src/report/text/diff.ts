import type { EditedFile, LineRange } from '../../model/adoption.ts'
import { applyEdits, sortedEdits, type TextEdit } from '../../model/text.ts'
import { escapeText } from '../escape.ts'
import type { Style } from '../style.ts'

/** Lines shown around what changes. */
const CONTEXT = 2

/** Lines that are replaced by others. */
interface Hunk {
  /** Of the text before, from 0; `last` is the line behind them. */
  readonly first: number
  readonly last: number
  readonly fresh: readonly string[]
}

/**
 * What edits do to a text, as a unified diff:
 *
 *     --- sites/hq.yaml
 *     +++ sites/hq.yaml
 *     @@ -6,3 +6,3 @@
 *          ssid: Corp
 *     -    vlan_id: 40
 *     +    vlan_id: 41
 *
 * What may hold a secret reads `(hidden)`.
 */
export function diffLines({ file, before, edits, hidden }: EditedFile, style: Style): string[] {
  const lines = linesOf(applyEdits(before, masksOf(hidden)))
  const name = escapeText(file)
  const shown = [style.strong(`--- ${name}`), style.strong(`+++ ${name}`)]
  let grown = 0
  for (const group of near(hunksOf(before, lines, edits, hidden))) {
    const from = Math.max((group[0]?.first ?? 0) - CONTEXT, 0)
    const to = Math.min((group.at(-1)?.last ?? 0) + CONTEXT, lines.length)
    const growth = group.reduce(
      (sum, { first, last, fresh }) => sum + fresh.length - last + first,
      0
    )
    shown.push(
      style.faint(`@@ -${from + 1},${to - from} +${from + 1 + grown},${to - from + growth} @@`),
      ...groupLines(group, lines, from, to, style)
    )
    grown += growth
  }
  return shown
}

function groupLines(
  group: readonly Hunk[],
  lines: readonly string[],
  from: number,
  to: number,
  style: Style
): string[] {
  const shown: string[] = []
  const stay = (first: number, last: number) =>
    shown.push(...lines.slice(first, last).map(line => ` ${escapeText(line)}`))
  let at = from
  for (const { first, last, fresh } of group) {
    stay(at, first)
    shown.push(
      ...lines.slice(first, last).map(line => style.before(`-${escapeText(line)}`)),
      ...fresh.map(line => style.after(`+${escapeText(line)}`))
    )
    at = last
  }
  stay(at, to)
  return shown
}

/** The lines that edits change, without those at either end that stay as they are. */
function hunksOf(
  text: string,
  lines: readonly string[],
  edits: readonly TextEdit[],
  hidden: readonly LineRange[]
): Hunk[] {
  const starts = startsOf(text)
  const lineOf = (offset: number) => lineAt(starts, offset)
  const groups: { first: number; last: number; edits: TextEdit[] }[] = []
  for (const edit of sortedEdits(edits)) {
    const first = lineOf(edit.start)
    const last = lineOf(edit.end) + 1
    const group = groups.at(-1)
    if (group !== undefined && first <= group.last) {
      group.last = Math.max(group.last, last)
      group.edits.push(edit)
    } else groups.push({ first, last, edits: [edit] })
  }
  return groups.map(group => {
    const start = starts[group.first] ?? 0
    const end = starts[group.last] ?? text.length
    const masks = masksOf(hidden).filter(mask => mask.start >= start && mask.end <= end)
    const shifted = withEdits(masks, group.edits).map(edit => ({
      ...edit,
      start: edit.start - start,
      end: edit.end - start
    }))
    const old = lines.slice(group.first, group.last)
    return trimmed(group.first, old, linesOf(applyEdits(text.slice(start, end), shifted)))
  })
}

function trimmed(first: number, old: readonly string[], fresh: readonly string[]): Hunk {
  const least = Math.min(old.length, fresh.length)
  let head = 0
  while (head < least && old[head] === fresh[head]) head += 1
  let tail = 0
  while (tail < least - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1
  return {
    first: first + head,
    last: first + old.length - tail,
    fresh: fresh.slice(head, fresh.length - tail)
  }
}

/** Hunks whose lines around them meet are shown as one. */
function near(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = []
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && hunk.first - last.last <= 2 * CONTEXT) groups.at(-1)?.push(hunk)
    else groups.push([hunk])
  }
  return groups
}

const HIDDEN = '(hidden)'

function masksOf(hidden: readonly LineRange[]): TextEdit[] {
  return hidden.map(({ start, end }) => ({ start, end, text: HIDDEN }))
}

/** The masks that edits leave in place, and the edits, without the comments that these write again. */
function withEdits(masks: readonly TextEdit[], edits: readonly TextEdit[]): TextEdit[] {
  const left = masks.filter(
    mask => !edits.some(edit => mask.start < edit.end && mask.end > edit.start)
  )
  const shown = edits.map(edit => ({
    ...edit,
    text: edit.text.replace(/(^|\s)#.*$/gm, `$1# ${HIDDEN}`)
  }))
  return [...left, ...shown]
}

/** The lines of a text without their ends; a line break at its end begins no further line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function startsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The last line that begins at an offset or before it. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low
}
