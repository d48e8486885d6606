import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import picocolors from 'picocolors'
import type { RenderOptions } from './report.ts'

/** The columns that a text takes on a terminal: two for a wide character, none for a colour. */
export function columnsOfText(text: string): number {
  return stringWidth(text)
}

/** A text padded with blanks to `width` columns. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOfText(text)))
}

/**
 * The lines of a text of at most `width` columns, broken between words only: a longer word has a line of its own.
 * The first line begins with `first`, each other one with `indent`. Colours continue on the next line.
 */
export function wrapText(text: string, width: number, first = '', indent = first): string[] {
  if (!Number.isFinite(width)) return [first + text]
  const columns = Math.max(1, width - Math.max(columnsOfText(first), columnsOfText(indent)))
  return wrapAnsi(text, columns, { hard: false, trim: true })
    .split('\n')
    .map((line, at) => (at === 0 ? first : indent) + line)
}

/** Blocks of lines with an empty line between them; none for a block without lines. */
export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  return blocks
    .filter(lines => lines.length > 0)
    .map(lines => `${lines.join('\n')}\n`)
    .join('\n')
}

/** The lines of a text, each wider one broken between words; what follows of it is indented by 2. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap(line => {
      if (columnsOfText(line) <= width) return [line]
      const indent = /^ */.exec(line)?.[0] ?? ''
      return wrapText(line.slice(indent.length), width, indent, `${indent}  `)
    })
    .join('\n')
}

/** The columns of the widest text. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columnsOfText(text)), 0)
}

/** Longer cells do not widen their column. */
const MAX_COLUMN = 80

/** The width of a column; a longer cell moves only the rest of its own line. */
export function columnWidth(cells: readonly string[]): number {
  return widest(cells.filter(cell => columnsOfText(cell) <= MAX_COLUMN))
}

/** A column that is narrower than what it shows has at least this many columns of the terminal. */
const MIN_COLUMN = 16

/** The lines of a table whose cells are single lines; see `tableLines`. */
export function formatTable(
  rows: readonly (readonly string[])[],
  width: number,
  indent = '  '
): string[] {
  const cells = rows.map(row => row.map(cell => [cell]))
  return tableLines(cells, width, indent) ?? cells.flatMap(row => stackedLines(row, width, indent))
}

/**
 * The lines of a table whose cells are lines, aligned in columns and wrapped between words in each; undefined if the
 * columns do not fit in `width`. The last column is not padded.
 */
export function tableLines(
  rows: readonly (readonly (readonly string[])[])[],
  width: number,
  indent: string
): string[] | undefined {
  const widths = columnWidths(rows, width - indent.length)
  if (widths === undefined) return undefined
  const padded = widths.map((most, at) =>
    Math.min(most, columnWidth(rows.flatMap(row => row[at] ?? [])))
  )
  return rows.flatMap(row => rowLines(row, widths, padded).map(line => (indent + line).trimEnd()))
}

/** The cells of a row below each other, the first one as a heading. */
export function stackedLines(
  row: readonly (readonly string[])[],
  width: number,
  indent: string
): string[] {
  return row.flatMap((lines, at) => {
    const start = at === 0 ? indent : `${indent}  `
    return lines.flatMap(line => (line === '' ? [] : wrapText(line, width, start, `${start}  `)))
  })
}

/** The width of each column so that all fit, and none breaks a word; undefined if they do not. */
function columnWidths(
  rows: readonly (readonly (readonly string[])[])[],
  width: number
): number[] | undefined {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const columns = Array.from({ length: count }, (_, at) => rows.flatMap(row => row[at] ?? []))
  const room = width - 2 * (count - 1)
  const sum = (widths: readonly number[]) => widths.reduce((total, each) => total + each, 0)
  const wanted = columns.map(widest)
  if (sum(wanted) <= room) return wanted
  const least = columns.map((lines, at) =>
    Math.max(Math.min(wanted[at] ?? 0, MIN_COLUMN), widest(lines.flatMap(line => line.split(' '))))
  )
  if (sum(least) > room) return undefined
  const upTo = (most: number) =>
    wanted.map((each, at) => Math.min(each, Math.max(least[at] ?? 0, most)))
  let most = MIN_COLUMN
  while (sum(upTo(most + 1)) <= room) most += 1
  return upTo(most)
}

/** The cells are wrapped to `widths`, and padded to `padded`. */
function rowLines(
  row: readonly (readonly string[])[],
  widths: readonly number[],
  padded: readonly number[]
): string[] {
  const wrapped = row.map((lines, at) =>
    lines.flatMap(line => (line === '' ? [] : wrapText(line, widths[at] ?? 0)))
  )
  const height = Math.max(1, ...wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, nth) =>
    wrapped
      .map((lines, at) =>
        at === wrapped.length - 1 ? (lines[nth] ?? '') : padTo(lines[nth] ?? '', padded[at] ?? 0)
      )
      .join('  ')
  )
}

/** The colours of a report by meaning; without colour, functions that change nothing. */
export interface Style {
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly good: (text: string) => string
  /** A former value, and a new one. */
  readonly before: (text: string) => string
  readonly after: (text: string) => string
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
}

/** The colours for a terminal, or none. */
export function styleOf({ colour }: RenderOptions): Style {
  const colours = picocolors.createColors(colour)
  return {
    bad: colours.red,
    warn: colours.yellow,
    good: colours.green,
    before: colours.red,
    after: colours.green,
    strong: colours.bold,
    faint: colours.dim
  }
}
