import { formatNumber, plural } from '../../core/values/text.ts'
import { escapeInside, escapeProse } from '../escape.ts'
import type { Tone } from './document.ts'

/** The limit of a comment: GitHub accepts 65,536 characters; a workflow may add a link to its run. */
export const COMMENT_BYTES = 65_536 - 1536

/** The maximum number of rows of a table outside of a fold, and that of a list, whose items are longer. */
const MAX_VISIBLE = 12
const MAX_ITEMS = 6

/** A row of a table, which is shown completely or omitted. It closes all HTML elements that it opens. */
export interface TableRow {
  /** One for an item of a list. */
  readonly cells: readonly string[]
  /** The number of changes, findings or outcomes in this row. */
  readonly weight: number
}

/** A table or a list under a heading, which may be truncated after any of its rows. */
export interface Section {
  /** Markdown without untrusted text that is always shown: a heading, notes. */
  readonly lead: string
  /** None for a list. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  /** The noun for the number of omitted rows. */
  readonly noun: string
  /** Puts the table in a fold with this summary, which contains no untrusted text. */
  readonly fold?: string
  /** The share of the page, from 0 to 1. The section with the largest share gets the rest of the page. */
  readonly share: number
}

/**
 * A page of at most `limit` bytes of UTF-8, and therefore at most as many characters in any encoding. The
 * head and the ending are never truncated; each section ends with the number of rows that do not fit.
 */
export function page(
  unescaped: string,
  sections: readonly Section[],
  limit: number,
  ending = ''
): string {
  const head = escapeBlock(unescaped)
  const foot = escapeBlock(ending)
  const shown = sections.filter(({ rows, lead }) => rows.length > 0 || lead !== '')
  const texts = new Map<Section, string>()
  let available = limit - bytes(head) - bytes(foot)
  for (const section of [...shown].sort((a, b) => a.share - b.share)) {
    const text = `\n${fitted(section, Math.min(available, section.share * limit))}`
    texts.set(section, text)
    available -= bytes(text)
  }
  return head + shown.map(section => texts.get(section)).join('') + foot
}

function fitted(section: Section, limit: number): string {
  const { lead, columns, rows, noun } = section
  if (rows.length === 0) return lead === '' ? '' : `${escapeBlock(lead)}\n`
  const lines = rows.map(({ cells }) => (columns.length === 0 ? item(cells) : tableLine(cells)))
  const all = laidOut(section, lines)
  if (bytes(all) <= limit) return all
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  // Everything except the rows: a fold repeats the heading and the table header.
  const frame = bytes(
    laidOut(section, []) + laidOut(section, []) + foldAround('', plural(rows.length, 'more row'))
  )
  let available = limit - frame - bytes(more(total, noun))
  let omitted = 0
  const shown = lines.filter((text, at) => {
    const size = bytes(text)
    const fits = size <= available
    if (fits) available -= size
    else omitted += rows[at]?.weight ?? 0
    return fits
  })
  return laidOut(section, shown) + more(omitted, noun)
}

/** The table or list; all rows after the first ones are in a fold. */
function laidOut({ lead, columns, fold }: Section, lines: readonly string[]): string {
  const top = lead === '' ? '' : `${escapeBlock(lead)}\n\n`
  const isList = columns.length === 0
  const head = isList ? '' : tableLine(columns) + tableLine(columns.map(() => ':---'))
  if (fold !== undefined) return top + foldAround(head + lines.join(''), fold)
  const most = isList ? MAX_ITEMS : MAX_VISIBLE
  const [seen, folded] = [lines.slice(0, most), lines.slice(most)]
  const more = isList ? `${formatNumber(folded.length)} more` : plural(folded.length, 'more row')
  const rest = folded.length === 0 ? '' : `\n${foldAround(head + folded.join(''), more)}`
  return top + head + seen.join('') + rest
}

function foldAround(table: string, summary: string): string {
  return `<details><summary><b>${escapeProse(summary)}</b></summary>\n\n${table}\n</details>\n`
}

function more(left: number, noun: string): string {
  return `\n**… and ${plural(left, `more ${noun}`)}**, omitted to stay within the size limit.\n`
}

/** A row of a table. A pipe would end its cell, even in a code span (GitHub Flavored Markdown, example 200). */
export function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(cell => escapeProse(cell).replaceAll('|', '\\|')).join(' | ')} |\n`
}

function item(cells: readonly string[]): string {
  return `- ${cells.map(escapeProse).join('<br>')}\n`
}

function escapeBlock(markdown: string): string {
  return markdown.split('\n').map(escapeProse).join('\n')
}

export function bytes(text: string): number {
  return Buffer.byteLength(text)
}

const alerts = { bad: 'CAUTION', warn: 'WARNING', note: 'NOTE', good: 'NOTE' } as const

/**
 * A GitHub alert, which other Markdown viewers show as a quotation.
 *
 *     > [!WARNING]
 *     > **1 outage**: clients lose this network: `hq/guest`
 */
export function alert(tone: Tone, ...lines: readonly string[]): string {
  return [`[!${alerts[tone]}]`, ...lines].map(line => `> ${escapeInside(line)}`).join('\n')
}

/** Joins the texts that are not empty to paragraphs. */
export function paragraphs(...texts: readonly string[]): string {
  return texts
    .filter(text => text !== '')
    .map(text => `${text.replace(/\n(?!> )/g, '\\n')}\n`)
    .join('\n')
}

/**
 * The invisible first line of a comment, by which a bot finds its comment to update it. Each fleet of a
 * repository has its own marker.
 *
 *     <!-- wlanctl:plan:fleets/retail -->
 *
 * Findings of the files replace the comment of the plan. Untrusted text cannot forge a marker: a label keeps
 * only letters, digits and `.~/_-`, and code spans contain no HTML comment.
 */
export function marker(kind: string, fleet: string | undefined): string {
  const label = encodeURIComponent(escapeInside(fleet ?? '.'))
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('--', '-%2D')
  return `<!-- wlanctl:${kind}:${label} -->`
}
