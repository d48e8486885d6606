import type { History, HistoryPoint, Recurring } from '../../core/model/history.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { formatField } from '../format-value.ts'
import {
  dataTable,
  factsList,
  inlineCode,
  moreLine,
  scrollRegion,
  section,
  verdictHeader
} from './components.ts'
import { findingsOverview } from './findings.ts'
import { staticPage } from './html.ts'
import type { ReportVerdict } from './page-data.ts'
import { type Child, h, type VElement } from './vdom.ts'

/** The maximum number of sites and of fields on the page. */
const LISTED = 25

/**
 * A history as a page without script: a chart of each count, the most frequent drift, and tables of all data.
 */
export function historyHtml(history: History): string {
  const { baseUrl, points, sites, fields, findings } = history
  const plans = points.filter(({ kind }) => kind === 'plan').length
  const name = `History of ${plural(points.length, 'report')}`
  const [first, last] = [points[0]?.at ?? '', points.at(-1)?.at ?? '']
  const accounts = `${formatTime(first)} to ${formatTime(last)}`
  const charts = seriesOf(history).map(trendChart)
  const fieldCell = (pointer: string) => inlineCode(formatField(pointer))
  const mostFrequent = [
    recurringSection('often-sites', 'Sites that drift most', 'Site', sites, plans, name => name),
    recurringSection('often-fields', 'Fields that drift most', 'Field', fields, plans, fieldCell)
  ]
  return staticPage(
    `${name} – wlanctl`,
    h('header', {}, verdictHeader({ verdict: historyVerdict(history, name), accounts })),
    h(
      'main',
      { id: 'main' },
      section('charts', 'Over time', h('div', { class: 'charts' }, charts)),
      h('div', { class: 'halves' }, mostFrequent),
      section(
        'reports',
        'Reports',
        scrollRegion('report-table', 'Table of reports', reportTable(points))
      ),
      findings.length > 0 && findingsOverview(findings, false)
    ),
    h('footer', {}, factsList(baseUrl === undefined ? [] : [['Service', baseUrl]]))
  )
}

function historyVerdict(history: History, name: string): ReportVerdict {
  const series = seriesOf(history)
  const trends = series.map(each => `${each.name.toLowerCase()} ${trendOf(each)}`)
  const [drifted = 0, , failed = 0] = series.map(({ values }) => values.at(-1)?.n)
  const tone = failed > 0 ? 'bad' : drifted > 0 ? 'warn' : 'good'
  return { tone, text: `${name}: ${trends.join('; ')}` }
}

function recurringSection(
  id: string,
  title: string,
  column: string,
  all: readonly Recurring[],
  plans: number,
  nameCell: (name: string) => Child
): VElement {
  if (all.length === 0) return section(id, title, h('p', { class: 'calm' }, 'No drift.'))
  const rows = all
    .slice(0, LISTED)
    .map(({ name, reports, wlans, now }): Child[] => [
      nameCell(name),
      h('span', { class: 'share' }, shareMeter(reports, plans), `${reports} of ${plans}`),
      String(wlans),
      now === 0 ? h('span', { class: 'faint' }, 'none') : String(now)
    ])
  const columns = [column, 'Reports with drift', 'WLANs in total', 'Now']
  return section(
    id,
    title,
    scrollRegion(`${id}-table`, `Table: ${title}`, dataTable('Most frequent first', columns, rows)),
    moreLine(all.length - LISTED, column.toLowerCase())
  )
}

function reportTable(points: readonly HistoryPoint[]): VElement {
  const rows = points
    .toReversed()
    .map(({ at, file, kind, drifted, unmanaged, failed }): Child[] => [
      h('time', { datetime: at }, formatTime(at)),
      kind,
      orDash(drifted),
      orDash(unmanaged),
      String(failed),
      inlineCode(file)
    ])
  const columns = ['Time', 'Report', 'Drifted', 'Unmanaged', 'Failed', 'File']
  return dataTable('Newest first', columns, rows)
}

function orDash(n: number | undefined): string {
  return n === undefined ? '–' : String(n)
}

/** The view box of a chart, in SVG units; CSS stretches it. */
const WIDTH = 1000
const HEIGHT = 100

/**
 * A count over time: a line above an area, from 0 to the maximum, with a dot for each report. The caption and
 * the table of reports contain the same data as text.
 */
export function trendChart(series: Series): VElement {
  const { name, means, values } = series
  const maximum = values.reduce((max, { n }) => Math.max(max, n), 0)
  const [first, last] = [values[0], values.at(-1)]
  return h(
    'figure',
    { class: 'chart' },
    h('figcaption', {}, h('strong', {}, name), ` ${trendOf(series)}`, h('div', {}, means)),
    h(
      'svg',
      {
        role: 'img',
        'aria-label': `${name} over time: from ${first?.n ?? 0} to ${last?.n ?? 0}, at most ${maximum}`,
        viewBox: `0 -8 ${WIDTH} ${HEIGHT + 16}`,
        preserveAspectRatio: 'none'
      },
      trendPaths(values, maximum)
    ),
    h(
      'div',
      { class: 'axis', 'aria-hidden': 'true' },
      h('span', {}, formatDay(first?.at)),
      h('span', {}, `at most ${formatNumber(maximum)}`),
      h('span', {}, formatDay(last?.at))
    )
  )
}

function formatDay(at: string | undefined): string {
  return at === undefined ? '' : formatTime(at).replace(/ \d\d:.*$/, '')
}

function trendPaths(values: Series['values'], maximum: number): VElement[] {
  const valid = values.filter(({ at }) => !Number.isNaN(Date.parse(at)))
  const times = valid.map(({ at }) => Date.parse(at))
  const [from = 0, to = 0] = [times[0], times.at(-1)]
  const points = valid.map(({ n }, at) => {
    const x = to === from ? WIDTH / 2 : (((times[at] ?? 0) - from) / (to - from)) * WIDTH
    const y = HEIGHT - (n / Math.max(maximum, 1)) * HEIGHT
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  if (points.length === 0) return []
  const line = `M${points.join('L')}`
  const [left, right] = [points[0]?.split(' ')[0], points.at(-1)?.split(' ')[0]]
  return [
    h('path', { class: 'ground', d: `M0 ${HEIGHT}H${WIDTH}` }),
    h('path', { class: 'area', d: `${line}L${right} ${HEIGHT}L${left} ${HEIGHT}z` }),
    h('path', { class: 'line', d: line }),
    // A line of length 0 with round caps remains a round dot even if the chart is stretched.
    h('path', { class: 'dots', d: points.map(point => `M${point}h0`).join('') })
  ]
}

/** A share of a whole as a bar; the text next to it has the numbers. */
function shareMeter(part: number, whole: number): VElement {
  const width = whole === 0 ? 0 : Math.round((part / whole) * 100)
  return h(
    'svg',
    { class: 'meter', 'aria-hidden': 'true', viewBox: '0 0 100 10', preserveAspectRatio: 'none' },
    h('path', { d: `M0 0h${width}v10h${-width}z` })
  )
}

/** A count in the reports over time. */
export interface Series {
  readonly name: string
  /** The meaning of the count in a sentence. */
  readonly means: string
  readonly values: readonly SeriesValue[]
}

export interface SeriesValue {
  /** UTC. */
  readonly at: string
  readonly n: number
}

/** The counts of a history; a report without a count has no value. */
export function seriesOf({ points }: History): readonly Series[] {
  const series = (name: string, means: string, of: 'drifted' | 'unmanaged' | 'failed'): Series => {
    const values = points.flatMap(({ at, [of]: n }) => (n === undefined ? [] : [{ at, n }]))
    return { name, means, values }
  }
  return [
    series('Drifted', 'declared WLANs that differ', 'drifted'),
    series('Unmanaged', 'live WLANs that are not declared', 'unmanaged'),
    series('Failed', 'sites not read, WLANs blocked, failed updates', 'failed')
  ]
}

/** The last value, compared with the one before: `12, 3 more than before`. */
export function trendOf({ values }: Series): string {
  const [last, before] = [values.at(-1), values.at(-2)]
  if (last === undefined) return 'unknown'
  const change = before === undefined ? 0 : last.n - before.n
  if (before === undefined) return String(last.n)
  if (change === 0) return `${last.n}, unchanged`
  return `${last.n}, ${Math.abs(change)} ${change > 0 ? 'more' : 'fewer'} than before`
}
