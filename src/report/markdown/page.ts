import { plural } from '../../model/text.ts'
import { thousands } from '../words.ts'

/** So many rows are seen at once. */
const SEEN = 25

/** A line of a table. It is shown whole or not at all, and all that it opens it closes. */
export interface Row {
  readonly cells: readonly string[]
  /** How many things it tells of. */
  readonly weight: number
  /** Where there is no room for all rows, those of a lower rank go first. */
  readonly rank?: number
}

/** A table under a heading, which may be cut after any of its rows. */
export interface Section {
  /** Markdown of our own that is always shown: a heading, and what is to be said first. */
  readonly lead: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** What the rows tell of, for the count of those that are not shown. */
  readonly noun: string
  /** Puts the table in a fold, whose summary this is, of ours. */
  readonly fold?: string
  /** The part of the page it may take. The largest comes last, and takes all that is left. */
  readonly share: number
}

/**
 * A page within so many bytes of UTF-8, and so within as many characters, however they are counted.
 * The head is there whole; what a section has no room for is counted at its end.
 */
export function page(head: string, sections: readonly Section[], limit: number): string {
  const shown = sections.filter(({ rows, lead }) => rows.length > 0 || lead !== '')
  const texts = new Map<Section, string>()
  let room = limit - bytes(head)
  for (const section of [...shown].sort((a, b) => a.share - b.share)) {
    const text = `\n${fitted(section, Math.min(room, section.share * limit))}`
    texts.set(section, text)
    room -= bytes(text)
  }
  return head + shown.map(section => texts.get(section)).join('')
}

function fitted(section: Section, limit: number): string {
  const { lead, rows, noun } = section
  if (rows.length === 0) return lead === '' ? '' : `${lead}\n`
  const lines = rows.map(({ cells }) => line(cells))
  const all = laidOut(section, lines)
  if (bytes(all) <= limit) return all
  const total = weigh(rows)
  // The longest that everything but the rows can be: the head stands in the fold once more.
  const frame = bytes(
    laidOut(section, []) +
      laidOut(section, []) +
      foldAround('', thousands(plural(rows.length, 'more row')))
  )
  const chosen = choose(rows, lines, limit - frame - bytes(more(total, noun)))
  const shown = lines.filter((_, at) => chosen.has(at))
  const left = total - weigh(rows.filter((_, at) => chosen.has(at)))
  return laidOut(section, shown) + more(left, noun)
}

/** The table, with the rows that would make it a wall in a fold. */
function laidOut({ lead, columns, fold }: Section, lines: readonly string[]): string {
  const top = lead === '' ? '' : `${lead}\n\n`
  const head = line(columns) + line(columns.map(() => ':---'))
  if (fold !== undefined) return top + foldAround(head + lines.join(''), fold)
  const [seen, folded] = [lines.slice(0, SEEN), lines.slice(SEEN)]
  const more = thousands(plural(folded.length, 'more row'))
  const rest = folded.length === 0 ? '' : `\n${foldAround(head + folded.join(''), more)}`
  return top + head + seen.join('') + rest
}

function foldAround(table: string, summary: string): string {
  return `<details><summary><b>${summary}</b></summary>\n\n${table}\n</details>\n`
}

function weigh(rows: readonly Row[]): number {
  return rows.reduce((sum, { weight }) => sum + weight, 0)
}

/** The rows for which there is room, those of a lower rank first. */
function choose(rows: readonly Row[], lines: readonly string[], limit: number): Set<number> {
  const order = [...rows.keys()].sort((a, b) => (rows[a]?.rank ?? 0) - (rows[b]?.rank ?? 0))
  const chosen = new Set<number>()
  let room = limit
  for (const at of order) {
    const size = bytes(lines[at] ?? '')
    if (size > room) continue
    chosen.add(at)
    room -= size
  }
  return chosen
}

function more(left: number, noun: string): string {
  return `\n**… and ${thousands(plural(left, `more ${noun}`))}**, for which there is no room here.\n`
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}

function bytes(text: string): number {
  return encoder.encode(text).length
}

const encoder = new TextEncoder()
