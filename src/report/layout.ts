import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import picocolors from 'picocolors'
import { highest } from '../core/values/collections.ts'
import type { RenderOptions } from './report.ts'

/** The columns that a text takes on a terminal: two for a wide character, none for a colour. */
export function columnsOfText(text: string): number {
  return stringWidth(text)
}

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

export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columnsOfText(text)), 0)
}

/** Longer cells do not widen their column. */
const MAX_COLUMN = 80

/** The width of a column; a longer cell moves only the rest of its own line. */
export function columnWidth(cells: readonly string[], most = MAX_COLUMN): number {
  return widest(cells.filter(cell => columnsOfText(cell) <= most))
}

/** A column that is narrower than what it shows has at least this many columns of the terminal. */
const MIN_COLUMN = 16

/** A text on one or more lines; an empty line is none. */
type Cell = string | readonly string[]

/**
 * The lines of a table, aligned in columns and wrapped between words in each; the last column is not padded. If that
 * would break a word, the cells of a row are below each other, the first one as a heading, with the names of their columns.
 */
export function formatTable(
  rows: readonly (readonly Cell[])[],
  width: number,
  indent = '  ',
  names: readonly string[] = []
): string[] {
  const body = rows.map(row => row.map(cell => [cell].flat().filter(line => line !== '')))
  const all = names.length === 0 ? body : [names.map(name => [name]), ...body]
  const count = all.reduce((most, row) => Math.max(most, row.length), 0)
  const columns = Array.from({ length: count }, (_, at) => all.flatMap(row => row[at] ?? []))
  const widths = columnWidths(columns, width - indent.length)
  const padding = widths?.map((most, at) => Math.min(most, columnWidth(columns[at] ?? [])))
  if (widths !== undefined)
    return all.flatMap(row => {
      const cells = row.map((lines, at) => lines.flatMap(line => wrapText(line, widths[at] ?? 0)))
      const height = highest([1, ...cells.map(({ length }) => length)])
      return Array.from({ length: height }, (_, nth) => {
        const padded = cells.map(({ [nth]: line = '' }, at) => padTo(line, padding?.[at] ?? 0))
        return (indent + padded.join('  ')).trimEnd()
      })
    })
  return body.flatMap(row =>
    row.flatMap((lines, at) => {
      const start = at === 0 ? indent : `${indent}  `
      const name = at === 0 || !names[at] ? '' : `${names[at]}  `
      return lines.flatMap(line => wrapText(name + line, width, start, `${start}  `))
    })
  )
}

/** The width of each column so that all fit, and none breaks a word; undefined if they do not. */
function columnWidths(
  columns: readonly (readonly string[])[],
  width: number
): number[] | undefined {
  const room = width - 2 * (columns.length - 1)
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

/** The colours of a report by meaning; without colour, functions that change nothing. */
export interface Style {
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly good: (text: string) => string
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
}

export function styleOf({ colour }: RenderOptions): Style {
  const colours = picocolors.createColors(colour)
  return {
    bad: colours.red,
    warn: colours.yellow,
    good: colours.green,
    strong: colours.bold,
    faint: colours.dim
  }
}
