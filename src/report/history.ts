import type { History, HistoryPoint, Recurring } from '../core/model/history.ts'
import { formatNumber, plural } from '../core/values/text.ts'
import { formatTime } from '../core/values/time.ts'
import { escapeInside, escapeJson, escapeLines, escapeText } from './escape.ts'
import { formatField } from './format-value.ts'
import { historyHtml } from './html/history.ts'
import { formatTable, type Style, styleOf, widest, wrap } from './layout.ts'
import type { FormatName, RenderOptions } from './report.ts'
import { findingBlocks } from './text/findings.ts'
import { type Series, seriesOf, trendOf } from './trends.ts'

/** The formats of a history by name. */
export const historyFormats = {
  text: (history, options) => escapeLines(historyText(history, options)),
  json: historyJson,
  html: historyHtml
} as const satisfies Partial<
  Record<FormatName, (history: History, options: RenderOptions) => string>
>

export function isHistoryFormat(name: FormatName): name is keyof typeof historyFormats {
  return Object.hasOwn(historyFormats, name)
}

/** A history as JSON. */
function historyJson({ baseUrl, points, sites, fields, findings }: History): string {
  const data = {
    format: 'wlanctl-history/1',
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    reports: points,
    sites: sites.map(({ name, ...rest }) => ({ site: name, ...rest })),
    fields: fields.map(({ name, ...rest }) => ({ pointer: name, ...rest })),
    ...(findings.length === 0 ? {} : { findings })
  }
  return `${escapeJson(JSON.stringify(data, null, 2))}\n`
}

/** The maximum number of reports to show, the latest ones, and of sites and fields. */
const MAX_REPORTS = 20
const MAX_NAMES = 10

/**
 * A history as text: a line for each report, the sites and fields that drift most often, and the trend of
 * each count at the end.
 */
function historyText(history: History, options: RenderOptions): string {
  const style = styleOf(options)
  const { points, sites, fields, findings } = history
  const plans = points.filter(({ kind }) => kind === 'plan').length
  return [
    pointLines(points, style),
    recurringLines('Sites that drift most', sites, plans, escapeText, style),
    recurringLines('Fields that drift most', fields, plans, formatField, style),
    findingBlocks(findings, options, style).join('\n'),
    trendLines(history, options, style)
  ]
    .filter(section => section !== '')
    .map(section => `${section}\n`)
    .join('\n')
}

function pointLines(points: readonly HistoryPoint[], style: Style): string {
  const shown = points.slice(-MAX_REPORTS)
  const earlier = points.length - shown.length
  const cells = (title: string, of: (point: HistoryPoint) => number | undefined) =>
    rightAligned([title, ...shown.map(point => String(of(point) ?? '–'))])
  const [head = '', ...lines] = formatTable(
    ['when', ...shown.map(({ at }) => formatTime(at))],
    cells('drifted', ({ drifted }) => drifted),
    cells('unmanaged', ({ unmanaged }) => unmanaged),
    cells('failed', ({ failed }) => failed),
    ['file', ...shown.map(({ file }) => escapeInside(file))]
  )
  const rest = earlier === 0 ? [] : [style.faint(`  … and ${plural(earlier, 'earlier report')}`)]
  return [style.strong('Reports'), style.faint(head), ...rest, ...lines].join('\n')
}

function recurringLines(
  title: string,
  all: readonly Recurring[],
  plans: number,
  shownName: (name: string) => string,
  style: Style
): string {
  if (all.length === 0) return ''
  const shown = all.slice(0, MAX_NAMES)
  const rest = all.length - shown.length
  const lines = formatTable(
    shown.map(({ name }) => shownName(name)),
    shown.map(({ reports }) => `in ${reports} of ${plural(plans, 'report')}`),
    shown.map(({ now }) => (now === 0 ? style.faint('not now') : `${plural(now, 'WLAN')} now`))
  )
  const more = rest === 0 ? [] : [style.faint(`  and ${formatNumber(rest)} more`)]
  return [style.strong(title), ...lines, ...more].join('\n')
}

function trendLines(history: History, { width }: RenderOptions, style: Style): string {
  const { points, baseUrl } = history
  const [first, last] = [points[0], points.at(-1)]
  const series = seriesOf(history)
  const names = widest(series.map(({ name }) => name))
  const where = baseUrl === undefined ? '' : ` on ${escapeInside(baseUrl)}`
  const reports = `${plural(points.length, 'report')}${where}`
  const span = `${formatTime(first?.at ?? '')} to ${formatTime(last?.at ?? '')}`
  return [
    ...wrap([reports, span], ', ', width).map(style.faint),
    ...series.map(
      each =>
        `${style.strong(each.name.padEnd(names))}  ${trendOf(each)}  ${sparkline(each, width - 50)}`
    )
  ].join('\n')
}

const BARS = '▁▂▃▄▅▆▇█'

/** The maximum number of bars in a line, regardless of its width. */
const MAX_BARS = 120

/** The last values as bars, scaled to the largest. */
function sparkline({ values }: Series, width: number): string {
  const shown = values.slice(-Math.min(Math.max(10, width), MAX_BARS))
  const most = shown.reduce((max, { n }) => Math.max(max, n), 1)
  return shown.map(({ n }) => BARS[Math.round((n / most) * (BARS.length - 1))]).join('')
}

function rightAligned(cells: readonly string[]): string[] {
  const width = widest(cells)
  return cells.map(cell => cell.padStart(width))
}
