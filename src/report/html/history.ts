import type { History, HistoryPoint, Recurring } from '../../model/history.ts'
import { formatTime } from '../../model/time.ts'
import { formatField } from '../format-value.ts'
import { seriesOf, trendOf } from '../history/series.ts'
import { bar, chart } from './chart.ts'
import type { View } from './data.ts'
import { staticPage } from './document.ts'
import { findingsPart } from './findings.ts'
import { factsPart, verdictPart } from './overview.ts'
import { code, table, titled, wide } from './pieces.ts'
import { type Element, h, type Tree } from './tree.ts'
import { count } from './words.ts'

/** So many sites and fields are listed. */
const LISTED = 25

/** A history as a page: three drawings, what drifts again and again, and all of it as tables. */
export function historyHtml(history: History): string {
  const { points, sites, fields, findings } = history
  const plans = points.filter(({ kind }) => kind === 'plan').length
  const name = `History of ${count(points.length, 'report')}`
  return staticPage(
    `${name} – wlanctl`,
    h('header', {}, verdictPart({ verdict: verdictOf(history, name), accounts: span(history) })),
    h(
      'main',
      { id: 'main' },
      titled('charts', 'Over time', h('div', { class: 'charts' }, ...seriesOf(history).map(chart))),
      h(
        'div',
        { class: 'halves' },
        recurring('often-sites', 'Sites that drift most', 'Site', sites, plans, name => name),
        recurring('often-fields', 'Fields that drift most', 'Field', fields, plans, fieldName)
      ),
      titled('reports', 'Reports', wide('report-table', 'Table of reports', reportTable(points))),
      ...(findings.length === 0 ? [] : [findingsPart(findings, false)])
    ),
    h('footer', {}, factsPart({ facts: factsOf(history) }))
  )
}

function verdictOf(history: History, name: string): View['verdict'] {
  const series = seriesOf(history)
  const told = series.map(each => `${each.name.toLowerCase()} ${trendOf(each)}`)
  const [drifted = 0, , failed = 0] = series.map(({ values }) => values.at(-1)?.n)
  const tone = failed > 0 ? 'bad' : drifted > 0 ? 'warn' : 'good'
  return { tone, text: `${name}: ${told.join('; ')}` }
}

function span({ points }: History): string {
  return `${formatTime(points[0]?.at ?? '')} to ${formatTime(points.at(-1)?.at ?? '')}`
}

function factsOf({ baseUrl }: History): readonly (readonly [string, string])[] {
  return baseUrl === undefined ? [] : [['Service', baseUrl]]
}

function fieldName(pointer: string): Tree {
  return code(formatField(pointer))
}

function recurring(
  id: string,
  title: string,
  column: string,
  all: readonly Recurring[],
  plans: number,
  shownName: (name: string) => Tree
): Element {
  if (all.length === 0) return titled(id, title, h('p', { class: 'calm' }, 'None of them drifted.'))
  const rows = all
    .slice(0, LISTED)
    .map(({ name, reports, wlans, now }): Tree[] => [
      shownName(name),
      h('span', { class: 'share' }, bar(reports, plans), `${reports} of ${plans}`),
      String(wlans),
      now === 0 ? h('span', { class: 'faint' }, 'none') : String(now)
    ])
  const rest = all.length - rows.length
  const columns = [column, 'Reports with drift', 'WLANs in all', 'Now']
  return titled(
    id,
    title,
    wide(`${id}-table`, `Table: ${title}`, table('Those in the most reports first', columns, rows)),
    ...(rest === 0 ? [] : [h('p', { class: 'faint' }, `and ${rest} more`)])
  )
}

function reportTable(points: readonly HistoryPoint[]): Element {
  const rows = points
    .toReversed()
    .map(({ at, file, kind, drifted, unmanaged, failed }): Tree[] => [
      h('time', { datetime: at }, formatTime(at)),
      kind === 'plan' ? 'the fleet' : 'an update',
      orDash(drifted),
      orDash(unmanaged),
      String(failed),
      code(file)
    ])
  const columns = ['When', 'Tells of', 'Drifted', 'Unmanaged', 'Failed', 'File']
  return table('The newest first', columns, rows)
}

function orDash(n: number | undefined): string {
  return n === undefined ? '–' : String(n)
}
