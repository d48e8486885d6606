import picocolors from 'picocolors'
import type { RenderOptions } from './report.ts'

/**
 * The pieces on as few lines as hold them in order, none of them wider than `width` columns unless
 * a single piece is. The separator stays at the end of a line that is followed by another.
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

/** A cell that is longer than this does not widen its column. */
const WIDEST_COLUMN = 80

/** The width of a column of these cells; one that is very long pushes only its own line to the right. */
export function columnWidth(cells: readonly string[]): number {
  return widest(cells.filter(({ length }) => length <= WIDEST_COLUMN))
}

/** Lines of cells in columns that are as wide as their cells need; the last one is not padded. */
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

/** The colours a report uses, by meaning; without colour they are the identity. */
export interface Style {
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly good: (text: string) => string
  /** A value that goes, and the one that comes. */
  readonly before: (text: string) => string
  readonly after: (text: string) => string
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
}

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
