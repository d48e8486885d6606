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
export const MAX_COLUMN = 80

/** The width of a column; a longer cell moves only the rest of its own line. */
export function columnWidth(cells: readonly string[]): number {
  return widest(cells.filter(cell => columnsOfText(cell) <= MAX_COLUMN))
}

/** The lines of a table of rows, indented by 2; the last column is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const others = rows[0]?.slice(1) ?? []
  const widths = others.map((_, at) => columnWidth(rows.map(row => row[at] ?? '')))
  return rows.map(row => `  ${row.map((cell, at) => padTo(cell, widths[at] ?? 0)).join('  ')}`)
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
