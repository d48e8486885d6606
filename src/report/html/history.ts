import type { History, HistoryPoint, Recurring } from '../../core/model/history.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { formatField } from '../format-value.ts'
import { type Series, seriesOf, trendOf } from '../trends.ts'
import { dataTable } from './blocks.ts'
import { html, type Part } from './markup.ts'
import { fold, htmlPage, type PageSection } from './shell.ts'
import { swatch } from './states.ts'

/** The number of sites and of fields on the page. */
const LISTED = 25

/** A history as a page: a column for each report, what drifts most often, and tables of all data. */
export function historyHtml(history: History): string {
  const { baseUrl, points, sites, fields } = history
  const plans = points.filter(({ kind }) => kind === 'plan').length
  const [drifted, ...others] = seriesOf(history)
  const [first, last] = [points[0]?.at ?? '', points.at(-1)?.at ?? '']
  const code = (pointer: string) => html`<code>${formatField(pointer)}</code>`
  return htmlPage({
    title: `History: ${headline(drifted)}`,
    head: [
      html`<h1>${headline(drifted)}</h1>`,
      html`<p class="coverage">${others.map(each => `${capitalised(each.means)}: ${trendOf(each)}. `)}</p>`,
      columns(points)
    ],
    sections: [
      ...recurring('often-sites', 'Sites that drift most', 'Site', sites, plans, name => name),
      ...recurring('often-fields', 'Fields that drift most', 'Field', fields, plans, code),
      { id: 'reports', title: 'Reports', count: points.length, body: reportTable(points) },
      ...findingsOf(history)
    ],
    stamp: `${formatTime(first)} to ${formatTime(last)}`,
    foot: baseUrl !== undefined && html`Service <code>${baseUrl}</code>`
  })
}

/** `19 networks differ, 6 more than before`. */
function headline(drifted: Series | undefined): string {
  const last = drifted?.values.at(-1)?.n
  if (drifted === undefined || last === undefined) return 'No report of the whole fleet'
  const [, change] = trendOf(drifted).split(', ')
  const networks =
    last === 0
      ? 'No network differs'
      : `${plural(last, 'network')} ${last === 1 ? 'differs' : 'differ'}`
  return change === undefined ? networks : `${networks}, ${change}`
}

/** The view box of the chart, in SVG units; CSS stretches it. */
const HEIGHT = 100
const COLUMN = 10

/** The counts of a report that a column shows, from its foot up, with the state that gives their colour. */
const parts = [
  { name: 'drifted', state: 'differs' },
  { name: 'failed', state: 'failed' }
] as const

/** A column for each report, the newest at the right; each leads to its row in the table. */
function columns(points: readonly HistoryPoint[]): Part {
  const sum = (point: HistoryPoint) =>
    parts.reduce((total, { name }) => total + (point[name] ?? 0), 0)
  const most = Math.max(1, ...points.map(sum))
  const bars = points.map((point, at) => {
    let top = HEIGHT
    const rects = parts.map(({ name, state }) => {
      const height = ((point[name] ?? 0) / most) * HEIGHT
      top -= height
      return html`<rect class="s ${state}" x="${at * COLUMN + 1}" y="${top.toFixed(1)}" width="${COLUMN - 2}" height="${height.toFixed(1)}"/>`
    })
    return html`
      <a href="#run-${at}" tabindex="-1" aria-label="${columnText(point)}">
        <title>${columnText(point)}</title>
        <rect class="ground" x="${at * COLUMN}" width="${COLUMN}" height="${HEIGHT}"/>
        ${rects}
      </a>`
  })
  return html`
    <svg class="history" role="group" aria-label="${trendText(points)}" viewBox="0 0 ${Math.max(points.length, 7) * COLUMN} ${HEIGHT}" preserveAspectRatio="none">
      ${bars}
    </svg>
    <ul class="legend quiet">
      ${parts.map(({ name, state }) => html`<li>${swatch(state)}${name}</li>`)}
      <li class="faint">at most ${formatNumber(most)}; a column for each report, the newest at the right</li>
    </ul>`
}

function trendText(points: readonly HistoryPoint[]): string {
  const [first, last] = [points[0], points.at(-1)]
  return `Drifted over time: from ${first?.drifted ?? 0} to ${last?.drifted ?? 0}`
}

function columnText({ at, drifted, failed }: HistoryPoint): string {
  return `${formatTime(at)}: drifted ${drifted ?? '–'}, failed ${failed}`
}

function recurring(
  id: string,
  title: string,
  column: string,
  all: readonly Recurring[],
  plans: number,
  nameCell: (name: string) => Part
): PageSection[] {
  if (all.length === 0) return []
  const rows = all
    .slice(0, LISTED)
    .map(({ name, reports, wlans, now }): Part[] => [
      nameCell(name),
      `${reports} of ${plans}`,
      wlans,
      now === 0 ? 'none' : now
    ])
  const rest = all.length - LISTED
  const body = [
    dataTable([column, 'Reports with drift', 'Networks in total', 'Now'], rows),
    rest > 0 && html`<p class="faint">and ${plural(rest, `more ${column.toLowerCase()}`)}</p>`
  ]
  return [{ id, title, count: all.length, body }]
}

function reportTable(points: readonly HistoryPoint[]): Part {
  const rows = points.map(({ at, file, kind, drifted, unmanaged, failed }, nth): Part[] => [
    html`<span id="run-${nth}">${formatTime(at)}</span>`,
    html`<code>${file}</code>`,
    kind,
    drifted ?? '–',
    unmanaged ?? '–',
    failed
  ])
  rows.reverse()
  const columns = ['Time', 'File', 'Report', 'Drifted', 'Not declared', 'Failed']
  const older = rows.slice(LISTED)
  return [
    dataTable(columns, rows.slice(0, LISTED)),
    older.length > 0 && fold(plural(older.length, 'older report'), dataTable(columns, older))
  ]
}

function findingsOf({ findings }: History): PageSection[] {
  if (findings.length === 0) return []
  const items = findings.map(
    ({ level, message }) => html`<li><b class="level ${level}">${level}</b> ${message}</li>`
  )
  return [
    {
      id: 'findings',
      title: 'Findings',
      count: findings.length,
      body: html`<ul class="rows">${items}</ul>`
    }
  ]
}
