import { type Cell, cellText, type QueryTable } from '../../core/query/table.ts'
import { listFirst } from '../../core/values/text.ts'
import { csv } from '../data/csv.ts'
import { escapeInside, escapeLines, escapeText } from '../escape.ts'
import { overviewFormats } from '../formats.ts'
import type { Overview } from '../overview/overview.ts'
import { row, section, tablesOverview } from '../overview/sections.ts'
import { name } from '../render/document.ts'
import { Markdown } from '../render/markdown.ts'
import { tableLine } from '../render/size-limit.ts'
import { Terminal } from '../render/terminal.ts'
import type { RenderOptions } from '../report.ts'
import { unreadSitesText } from '../wording/verdict.ts'

/** A table of WLANs, and the sites that it lacks because they could not be read. */
export interface WlanList extends QueryTable {
  /** What it lists: `12 of 40 WLANs at 5 sites`. */
  readonly about: string
  readonly unread: readonly string[]
}

export const listFormats = {
  ...overviewFormats(listOverview, listData),
  text: listText,
  csv: ({ columns, rows }) =>
    csv(
      [columns, ...rows.map(row => row.map(cellText))].map(([first = '', ...others]) => [
        escapeText(first),
        ...others.map(escapeInside)
      ])
    ),
  markdown: listMarkdown
} as const satisfies Readonly<Record<string, (list: WlanList, options: RenderOptions) => string>>

/** The names of at most so many sites that could not be read are listed. */
const MAX_SITES = 20

function listOverview({ columns, rows, about: headline, unread }: WlanList): Overview {
  const cells = rows.map(line => row(...line.map(each => [name(cellText(each) || '-')])))
  const about = {
    id: 'rows',
    title: 'Rows',
    count: rows.length,
    noun: 'row',
    isNamed: true
  } as const
  const overview = tablesOverview('list', 'note', headline, section(about, columns, cells))
  const names = listFirst(unread, MAX_SITES)
  const text = `${unreadSitesText(unread.length)}: ${names}`
  return unread.length === 0 ? overview : { ...overview, tone: 'warn', unread: [text] }
}

function listText({ columns, rows }: WlanList, options: RenderOptions): string {
  if (rows.length === 0) return ''
  const cells = rows.map(row => ({ cells: row.map(cell => [[name(cellText(cell) || '-')]]) }))
  const lines = new Terminal(options).table(
    { kind: 'table', columns, rows: cells, isNamed: true },
    ''
  )
  return escapeLines(lines.map(line => `${line}\n`).join(''))
}

function listMarkdown({ columns, rows }: WlanList): string {
  const markdown = new Markdown(undefined)
  const cell = (text: string) => (text === '' ? '' : markdown.inline([text]))
  return [
    tableLine(columns.map(cell)),
    tableLine(columns.map(() => ':---')),
    ...rows.map(row => tableLine(row.map(each => cell(cellText(each)))))
  ].join('')
}

/**
 * A value that is not declared is null. A matrix has the values of a site in an object of their own, because an SSID may
 * be `site`.
 */
function listData({ columns, rows, isMatrix, unread }: WlanList): unknown {
  const [first = '', ...others] = columns
  const dataOf = (cell: Cell | undefined) => (cell?.isDefault ? null : (cell?.value ?? null))
  const members = (names: readonly string[], cells: readonly Cell[]) =>
    Object.fromEntries(names.map((each, at) => [each, dataOf(cells[at])]))
  const objects = rows.map(row =>
    isMatrix
      ? { [first]: dataOf(row[0]), values: members(others, row.slice(1)) }
      : members(columns, row)
  )
  return { format: 'wlanctl-list/1', rows: objects, ...(unread.length > 0 && { unread }) }
}
