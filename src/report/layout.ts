import picocolors from 'picocolors'
import type { RenderOptions } from './report.ts'

/**
 * Joins pieces to lines of at most `width` columns; a longer piece gets a line of its own. The separator ends
 * each line except the last.
 */
export function wrap(pieces: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const [at, piece] of pieces.entries()) {
    const next = at === pieces.length - 1 ? piece : piece + separator
    if (line !== '' && line.length + next.trimEnd().length > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += next
  }
  return line === '' ? lines : [...lines, line]
}

/** The length of the longest text. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0)
}

/** Longer cells do not widen their column. */
const MAX_COLUMN = 80

/** The width of a column; a longer cell moves only the rest of its own line. */
export function columnWidth(cells: readonly string[]): number {
  return widest(cells.filter(({ length }) => length <= MAX_COLUMN))
}

/** The lines of a table, indented by 2; the last column is not padded. */
export function formatTable(...columns: readonly (readonly string[])[]): string[] {
  const widths = columns.map(columnWidth)
  const rows = columns[0] ?? []
  return rows.map((_, row) =>
    columns
      .map((cells, at) =>
        (cells[row] ?? '').padEnd(at < columns.length - 1 ? (widths[at] ?? 0) : 0)
      )
      .join('  ')
      .replace(/^/, '  ')
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
