import type { EditedFile, LineRange } from '../core/model/adoption.ts'
import { applyEdits, sortedEdits, type TextEdit } from '../core/values/text.ts'
import { escapeText } from './escape.ts'
import type { Style } from './layout.ts'

/** The number of context lines; a patch has more, so that it applies to a file that changed elsewhere. */
const CONTEXT = 2
const PATCH_CONTEXT = 3

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
  const colours = { ' ': (text: string) => text, '-': style.bad, '+': style.good }
  const { file, before, edits, hidden } = edited
  const name = escapeText(file)
  const shown = edits.map(edit => ({
    ...edit,
    text: edit.text.replace(/(^|\s)#.*$/gm, `$1# ${HIDDEN}`)
  }))
  const hunks = hunksOf(masked(before, hidden), shown, shownLines, CONTEXT)
  return [
    style.strong(`--- ${name}`),
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
  for (const { file, before, edits, hidden } of files) {
    const secrets = hidden.filter(({ comment }) => comment === undefined)
    parts.push(`--- ${patchName('a/', file)}\n`, `+++ ${patchName('b/', file)}\n`)
    const hunks = hunksOf(masked(before, secrets), edits, linesWithBreaks, PATCH_CONTEXT)
    for (const { header, first, lines } of hunks) {
      const old = lines.filter(({ sign }) => sign !== '+')
      const secret = old.findIndex(({ text }) => text.includes(MASK))
      if (secret !== -1) return { file, line: first + secret }
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

const HIDDEN = '(hidden)'

/** In place of each character of a hidden part, so that offsets stay; YAML allows no such character. */
const MASK = '\0'
const MASKED = /\0+/g

function masked(text: string, hidden: readonly LineRange[]): string {
  const masks = hidden.map(({ start, end }) => ({ start, end, text: MASK.repeat(end - start) }))
  return applyEdits(text, masks)
}

interface SignedLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Changes with overlapping context. */
interface Hunk {
  /** `@@ -6,3 +6,3 @@`. */
  readonly header: string
  /** The number of its first line in the text before. */
  readonly first: number
  readonly lines: readonly SignedLine[]
}

type LinesOf = (text: string) => readonly string[]

/**
 * The hunks of known edits, linear in the text. A comparison of both texts is quadratic in the changed lines: a minute
 * for 10,000.
 */
function hunksOf(
  text: string,
  edits: readonly TextEdit[],
  linesOf: LinesOf,
  context: number
): Hunk[] {
  const all = signedLines(text, edits, linesOf)
  const ranges: { start: number; end: number }[] = []
  for (const [at, { sign }] of all.entries()) {
    if (sign === ' ') continue
    const last = ranges.at(-1)
    if (last !== undefined && at - last.end <= 2 * context) last.end = at + 1
    else ranges.push({ start: at, end: at + 1 })
  }
  let [next, first, grown] = [0, 1, 0]
  return ranges.map(({ start, end }) => {
    const from = Math.max(start - context, 0)
    const lines = all.slice(from, end + context)
    const [old, fresh] = (['+', '-'] as const).map(
      other => lines.filter(({ sign }) => sign !== other).length
    ) as [number, number]
    first += from - next
    const hunk = {
      header: `@@ -${first},${old} +${first + grown},${fresh} @@`,
      first,
      lines
    }
    next = from + lines.length
    first += old
    grown += fresh - old
    return hunk
  })
}

function signedLines(text: string, edits: readonly TextEdit[], linesOf: LinesOf): SignedLine[] {
  const lines: SignedLine[] = []
  const add = (sign: SignedLine['sign'], texts: readonly string[]) => {
    for (const each of texts) lines.push({ sign, text: each })
  }
  let end = 0
  for (const group of editsByLines(text, edits)) {
    const shifted = group.edits.map(edit => ({
      ...edit,
      start: edit.start - group.start,
      end: edit.end - group.start
    }))
    const part = text.slice(group.start, group.end)
    const [old, fresh] = [linesOf(part), linesOf(applyEdits(part, shifted))]
    // Equal lines at both ends are no change.
    const least = Math.min(old.length, fresh.length)
    let head = 0
    while (head < least && old[head] === fresh[head]) head += 1
    let tail = 0
    while (tail < least - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1
    add(' ', [...linesOf(text.slice(end, group.start)), ...old.slice(0, head)])
    add('-', old.slice(head, old.length - tail))
    add('+', fresh.slice(head, fresh.length - tail))
    add(' ', old.slice(old.length - tail))
    end = group.end
  }
  add(' ', linesOf(text.slice(end)))
  return lines
}

function editsByLines(text: string, edits: readonly TextEdit[]) {
  const groups: { start: number; end: number; edits: TextEdit[] }[] = []
  for (const edit of sortedEdits(edits)) {
    const start = text.slice(0, edit.start).lastIndexOf('\n') + 1
    const end = text.indexOf('\n', edit.end) + 1 || text.length
    const last = groups.at(-1)
    if (last !== undefined && start <= last.end) {
      last.end = Math.max(last.end, end)
      last.edits.push(edit)
    } else groups.push({ start, end, edits: [edit] })
  }
  return groups
}

function linesWithBreaks(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Without line breaks; a final one does not start another line. */
function shownLines(text: string): readonly string[] {
  const lines = text.replaceAll(MASKED, HIDDEN).split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
