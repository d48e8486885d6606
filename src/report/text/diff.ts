import type { EditedFile, LineRange } from '../../model/adoption.ts'
import { applyEdits, sortedEdits, type TextEdit } from '../../model/text.ts'
import { escapeText } from '../escape.ts'
import type { Style } from '../layout.ts'

/** Lines shown around what changes. */
const CONTEXT = 2

/** A range of lines that edits replace. */
interface Hunk {
  /** Lines of the text before, from 0; `last` is excluded. */
  readonly first: number
  readonly last: number
  readonly fresh: readonly string[]
}

/**
 * The edits of a file as a unified diff:
 *
 *     --- sites/hq.yaml
 *     +++ sites/hq.yaml
 *     @@ -6,3 +6,3 @@
 *          ssid: Corp
 *     -    vlan_id: 40
 *     +    vlan_id: 41
 *
 * Parts that may hold a secret read `(hidden)`.
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
      style.faint(`@@ -${from + 1},${to - from} +${from + 1 + grown},${to - from + growth} @@`)
    )
    for (const line of groupLines(group, lines, from, to, style)) shown.push(line)
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
  const unchanged = (first: number, last: number) =>
    lines.slice(first, last).map(line => ` ${escapeText(line)}`)
  const ends = [from, ...group.map(({ last }) => last)]
  return [
    ...group.flatMap(({ first, last, fresh }, at) => [
      ...unchanged(ends[at] ?? from, first),
      ...lines.slice(first, last).map(line => style.before(`-${escapeText(line)}`)),
      ...fresh.map(line => style.after(`+${escapeText(line)}`))
    ]),
    ...unchanged(ends.at(-1) ?? from, to)
  ]
}

/** The lines that edits change, without unchanged ones at either end. */
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
  const masks = sortedEdits(masksOf(hidden))
  let next = 0
  return groups.map(group => {
    const start = starts[group.first] ?? 0
    const end = starts[group.last] ?? text.length
    while ((masks[next]?.start ?? end) < start) next += 1
    const from = next
    while ((masks[next]?.end ?? Infinity) <= end) next += 1
    const shifted = withEdits(masks.slice(from, next), group.edits).map(edit => ({
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

/** Groups of hunks whose context meets. */
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

/** The masks that no edit replaces, and the edits with their comments hidden; both sorted by range. */
function withEdits(masks: readonly TextEdit[], edits: readonly TextEdit[]): TextEdit[] {
  let at = 0
  const kept = masks.filter(mask => {
    while ((edits[at]?.end ?? Infinity) <= mask.start) at += 1
    const edit = edits[at]
    return edit === undefined || mask.start >= edit.end || mask.end <= edit.start
  })
  const shown = edits.map(edit => ({
    ...edit,
    text: edit.text.replace(/(^|\s)#.*$/gm, `$1# ${HIDDEN}`)
  }))
  return [...kept, ...shown]
}

/** The lines of a text without line breaks; a final line break begins no further line. */
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
