import type { EditedFile } from '../model/adoption.ts'
import { applyEdits, sortedEdits, type TextEdit } from '../model/text.ts'

/** Lines around what changes, by which a patch finds its place in a file that moved on. */
const CONTEXT = 3

/** Lines that edits change, from 0; `last` is the line behind them. */
interface Group {
  readonly first: number
  readonly last: number
  readonly edits: readonly TextEdit[]
}

/**
 * Edits as a patch for `git apply` and `patch -p1`, byte for byte, comments included. Gives the file of
 * which a patch would hold what may be a plaintext secret, with the line, instead.
 */
export function patchOf(
  files: readonly EditedFile[]
): { readonly text: string } | { readonly file: string; readonly line: number } {
  const parts: string[] = []
  for (const file of files) {
    const { before, edits, hidden } = file
    const lines = new Lines(before)
    parts.push(`--- ${nameOf('a/', file)}\n`, `+++ ${nameOf('b/', file)}\n`)
    let grown = 0
    for (const groups of hunksOf(lines, edits)) {
      const from = Math.max((groups[0]?.first ?? 0) - CONTEXT, 0)
      const to = Math.min((groups.at(-1)?.last ?? 0) + CONTEXT, lines.all.length)
      const [start, end] = [lines.startOf(from), lines.startOf(to)]
      const secret = hidden.find(
        part => part.comment === undefined && part.start < end && part.end > start
      )
      if (secret !== undefined) return { file: file.file, line: lines.at(secret.start) + 1 }
      const { body, growth } = bodyOf(groups, lines, from, to)
      const counts = `-${from + 1},${to - from} +${from + 1 + grown},${to - from + growth}`
      parts.push(`@@ ${counts} @@\n`, ...body)
      grown += growth
    }
  }
  return { text: parts.join('') }
}

/** As git writes a name: with a tab behind one that holds blanks, and quoted if it holds stranger things. */
function nameOf(side: string, { file }: EditedFile): string {
  const isPlain = !/[\x00-\x1f\x7f"\\]/.test(file)
  if (isPlain) return `${side}${file}${file.includes(' ') ? '\t' : ''}`
  const quoted = file
    .replace(/["\\]/g, '\\$&')
    .replace(/[\x00-\x1f\x7f]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `"${side}${quoted}"`
}

/** A text by its lines, each with its end. */
class Lines {
  readonly all: readonly string[]
  readonly #text: string
  readonly #starts: number[] = []

  constructor(text: string) {
    this.#text = text
    this.all = linesOf(text)
    let start = 0
    for (const line of this.all) {
      this.#starts.push(start)
      start += line.length
    }
  }

  startOf(line: number): number {
    return this.#starts[line] ?? this.#text.length
  }

  /** The line of a place. */
  at(offset: number): number {
    return Math.max(
      this.#starts.findLastIndex(start => start <= offset),
      0
    )
  }

  /** The lines of a group after its edits. */
  edited({ first, last, edits }: Group): string[] {
    const start = this.startOf(first)
    const shifted = edits.map(edit => ({
      ...edit,
      start: edit.start - start,
      end: edit.end - start
    }))
    return linesOf(applyEdits(this.#text.slice(start, this.startOf(last)), shifted))
  }
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Groups of edits whose surroundings meet are one hunk. */
function hunksOf(lines: Lines, edits: readonly TextEdit[]): Group[][] {
  const hunks: Group[][] = []
  for (const edit of sortedEdits(edits)) {
    const first = lines.at(edit.start)
    const last = Math.min(lines.at(edit.end) + 1, lines.all.length)
    const hunk = hunks.at(-1)
    const before = hunk?.at(-1)
    if (hunk === undefined || before === undefined || first - before.last > 2 * CONTEXT) {
      hunks.push([{ first, last, edits: [edit] }])
    } else if (first > before.last) hunk.push({ first, last, edits: [edit] })
    else {
      const joined = { ...before, last: Math.max(before.last, last) }
      hunk.splice(-1, 1, { ...joined, edits: [...before.edits, edit] })
    }
  }
  return hunks
}

function bodyOf(groups: readonly Group[], lines: Lines, from: number, to: number) {
  const body: string[] = []
  const add = (sign: string, added: readonly string[]) => {
    const end = (line: string) => (line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n')
    body.push(...added.map(line => `${sign}${line}${end(line)}`))
  }
  let at = from
  let growth = 0
  for (const group of groups) {
    const old = lines.all.slice(group.first, group.last)
    const fresh = lines.edited(group)
    const same = old.findIndex((line, n) => line !== fresh[n])
    const head = same < 0 ? old.length : same
    add(' ', lines.all.slice(at, group.first + head))
    add('-', old.slice(head))
    add('+', fresh.slice(head))
    growth += fresh.length - old.length
    at = group.last
  }
  add(' ', lines.all.slice(at, to))
  return { body, growth }
}
