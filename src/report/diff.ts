import type { EditedFile } from '../core/model/adoption.ts'
import { applyEdits, sortedEdits, type TextEdit } from '../core/values/text.ts'
import { escapeText } from './escape.ts'
import type { Style } from './layout.ts'

/** The number of context lines; a patch has more, so that it applies to a file that changed elsewhere. */
const CONTEXT = 2
const PATCH_CONTEXT = 3

/** The name of the old side for a file to create. */
const NO_FILE = '/dev/null'

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
export function diffLines(edited: EditedFile, style: Style): string[] {
  const colours = { ' ': (text: string) => text, '-': style.before, '+': style.after }
  const { file, isNew, before, edits, hidden } = edited
  const name = escapeText(file)
  const masks = sortedEdits(hidden.map(({ start, end }) => ({ start, end, text: HIDDEN })))
  const shown = edits.map(edit => ({
    ...edit,
    text: edit.text.replace(/(^|\s)#.*$/gm, `$1# ${HIDDEN}`)
  }))
  const hunks = hunksOf(before, shown, { masks, linesOf: linesWithoutBreaks, context: CONTEXT })
  return [
    style.strong(`--- ${isNew ? NO_FILE : name}`),
    style.strong(`+++ ${name}`),
    ...hunks.flatMap(({ header, lines }) => [
      style.faint(header),
      ...lines.map(({ sign, text }) => colours[sign](sign + escapeText(text)))
    ])
  ]
}

/**
 * Edits as a patch for `git apply` and `patch -p1`, including comments, byte for byte. If the patch would
 * contain a possible plaintext secret, returns its file and line instead.
 */
export function patchOf(
  files: readonly EditedFile[]
): { readonly text: string } | { readonly file: string; readonly line: number } {
  const parts: string[] = []
  for (const { file, isNew, before, edits, hidden } of files) {
    const secrets = hidden
      .filter(({ comment }) => comment === undefined)
      .sort((a, b) => a.start - b.start)
    let next = 0
    parts.push(`--- ${isNew ? NO_FILE : patchName('a/', file)}\n`, `+++ ${patchName('b/', file)}\n`)
    const view = { masks: [], linesOf: linesWithBreaks, context: PATCH_CONTEXT }
    for (const { header, lines, start, end } of hunksOf(before, edits, view)) {
      while ((secrets[next]?.end ?? Infinity) <= start) next += 1
      const secret = secrets[next]
      if (secret !== undefined && secret.start < end)
        return { file, line: lineAt(startsOf(before), secret.start) + 1 }
      parts.push(`${header}\n`)
      for (const { sign, text } of lines)
        parts.push(sign, text, text.endsWith('\n') ? '' : '\n\\ No newline at end of file\n')
    }
  }
  return { text: parts.join('') }
}

/**
 * A file name in the notation of git: a name with spaces ends with a tab, one with control characters is
 * quoted.
 */
function patchName(side: string, file: string): string {
  const isPlain = !/[\x00-\x1f\x7f"\\]/.test(file)
  if (isPlain) return `${side}${file}${file.includes(' ') ? '\t' : ''}`
  const quoted = file
    .replace(/["\\]/g, '\\$&')
    .replace(/[\x00-\x1f\x7f]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `"${side}${quoted}"`
}

/** Changes with overlapping context. */
interface Hunk {
  /** `@@ -6,3 +6,3 @@`. */
  readonly header: string
  readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[]
  /** The range in the text before. */
  readonly start: number
  readonly end: number
}

/** How a diff displays a text. */
interface View {
  /** Replacements within lines, sorted; an edit wins over them. */
  readonly masks: readonly TextEdit[]
  readonly linesOf: (text: string) => readonly string[]
  /** The number of context lines. */
  readonly context: number
}

/** Lines that a diff replaces, counted from 0; `last` is exclusive. */
interface ReplacedLines {
  readonly first: number
  readonly last: number
  readonly fresh: readonly string[]
}

/**
 * The hunks of known edits, linear in the text. A comparison of both texts is quadratic in the changed lines: a minute
 * for 10,000.
 */
function hunksOf(
  text: string,
  edits: readonly TextEdit[],
  { masks, linesOf, context }: View
): Hunk[] {
  const starts = startsOf(text)
  const offsetOf = (line: number) => starts[line] ?? text.length
  const old = linesOf(applyEdits(text, masks))
  let mask = 0
  const replaced = lineGroups(edits, starts).map(({ first, last, edits: grouped }) => {
    const [start, end] = [offsetOf(first), offsetOf(last)]
    while ((masks[mask]?.start ?? start) < start) mask += 1
    const from = mask
    while ((masks[mask]?.end ?? Infinity) <= end) mask += 1
    const shifted = withMasks(grouped, masks.slice(from, mask)).map(edit => ({
      ...edit,
      start: edit.start - start,
      end: edit.end - start
    }))
    const fresh = linesOf(applyEdits(text.slice(start, end), shifted))
    return trimmed(first, old.slice(first, last), fresh)
  })
  let grown = 0
  return near(replaced, context).map(group => {
    const from = Math.max((group[0]?.first ?? 0) - context, 0)
    const to = Math.min((group.at(-1)?.last ?? 0) + context, old.length)
    const lines = hunkLines(group, old, from, to)
    const newCount = lines.filter(({ sign }) => sign !== '-').length
    const oldRange = `-${from + (text === '' ? 0 : 1)},${to - from}`
    const header = `@@ ${oldRange} +${from + 1 + grown},${newCount} @@`
    grown += newCount - (to - from)
    return { header, lines, start: offsetOf(from), end: offsetOf(to) }
  })
}

/** Groups edits that touch the same lines. */
function lineGroups(edits: readonly TextEdit[], starts: readonly number[]) {
  const groups: { first: number; last: number; edits: TextEdit[] }[] = []
  for (const edit of sortedEdits(edits)) {
    const first = lineAt(starts, edit.start)
    const last = lineAt(starts, edit.end) + 1
    const group = groups.at(-1)
    if (group !== undefined && first <= group.last) {
      group.last = Math.max(group.last, last)
      group.edits.push(edit)
    } else groups.push({ first, last, edits: [edit] })
  }
  return groups
}

/** The lines that differ, without equal ones at both ends. */
function trimmed(first: number, old: readonly string[], fresh: readonly string[]): ReplacedLines {
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

/** Groups changes with overlapping context. */
function near(changes: readonly ReplacedLines[], context: number): ReplacedLines[][] {
  const groups: ReplacedLines[][] = []
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && change.first - last.last <= 2 * context) groups.at(-1)?.push(change)
    else groups.push([change])
  }
  return groups
}

function hunkLines(
  group: readonly ReplacedLines[],
  lines: readonly string[],
  from: number,
  to: number
): Hunk['lines'] {
  const signed = (sign: ' ' | '-' | '+', texts: readonly string[]) =>
    texts.map(text => ({ sign, text }))
  const ends = [from, ...group.map(({ last }) => last)]
  return [
    ...group.flatMap(({ first, last, fresh }, at) => [
      ...signed(' ', lines.slice(ends[at] ?? from, first)),
      ...signed('-', lines.slice(first, last)),
      ...signed('+', fresh)
    ]),
    ...signed(' ', lines.slice(ends.at(-1) ?? from, to))
  ]
}

const HIDDEN = '(hidden)'

/** The edits, and the masks that none of them replaces; both are sorted by range. */
function withMasks(edits: readonly TextEdit[], masks: readonly TextEdit[]): TextEdit[] {
  let at = 0
  const kept = masks.filter(mask => {
    while ((edits[at]?.end ?? Infinity) <= mask.start) at += 1
    const edit = edits[at]
    return edit === undefined || mask.start >= edit.end || mask.end <= edit.start
  })
  return [...kept, ...edits]
}

function linesWithBreaks(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** A final line break does not start another line. */
function linesWithoutBreaks(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** The offset of each line. */
function startsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The last line that starts at or before an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low
}
