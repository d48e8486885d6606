import { full } from './size.ts'

/** A column of figures by row name. */
export type Figures = Readonly<Record<string, number | string>>

/** Prints the figures of a full campaign; a short one only asserts. */
export function print(campaigns: Readonly<Record<string, Figures>>): void {
  if (full) process.stdout.write(`\n${table(campaigns)}\n`)
}

/** Several campaigns as a table in Markdown with a row per figure. Missing figures are blank. */
function table(campaigns: Readonly<Record<string, Figures>>): string {
  const names = Object.keys(campaigns)
  const rows = [...new Set(Object.values(campaigns).flatMap(Object.keys))]
  const cells = [
    ['', ...names],
    ['---', ...names.map(() => '--:')],
    ...rows.map(row => [row, ...names.map(name => String(campaigns[name]?.[row] ?? ''))])
  ]
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map(line => line[at]?.length ?? 0)))
  const lines = cells.map(line => {
    const padded = line.map((cell, at) =>
      at === 0 ? cell.padEnd(widths?.[at] ?? 0) : cell.padStart(widths?.[at] ?? 0)
    )
    return `| ${padded.join(' | ')} |`
  })
  return `${lines.join('\n')}\n`
}
