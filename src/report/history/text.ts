import type { History, HistoryPoint, Recurring } from '../../model/history.ts'
import { plural } from '../../model/text.ts'
import { shownTime } from '../age.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { table, widest, wrap } from '../layout.ts'
import type { RenderOptions } from '../report.ts'
import { shownField } from '../shown.ts'
import { type Style, styleOf } from '../style.ts'
import { findingBlocks } from '../text/findings.ts'
import { type Series, seriesOf, trendOf } from './series.ts'

/** So many reports have a line, the last ones; so many sites and fields are named. */
const LINES = 20
const NAMED = 10

/**
 * A history for people: a line for each report, the sites and fields that drift again and again, and
 * last, where the eye is when the output stops, how it went.
 */
export function historyText(history: History, manner: RenderOptions): string {
  const style = styleOf(manner)
  const { points, sites, fields, findings } = history
  const plans = points.filter(({ kind }) => kind === 'plan').length
  return [
    pointLines(points, style),
    recurringLines('Sites that drift most', sites, plans, escapeText, style),
    recurringLines('Fields that drift most', fields, plans, shownField, style),
    findingBlocks(findings, manner, style).join('\n'),
    trendLines(history, manner, style)
  ]
    .filter(section => section !== '')
    .map(section => `${section}\n`)
    .join('\n')
}

function pointLines(points: readonly HistoryPoint[], style: Style): string {
  const shown = points.slice(-LINES)
  const earlier = points.length - shown.length
  const cells = (title: string, of: (point: HistoryPoint) => number | undefined) =>
    rightAligned([title, ...shown.map(point => String(of(point) ?? '–'))])
  const [head = '', ...lines] = table(
    ['when', ...shown.map(({ at }) => shownTime(at))],
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
  const shown = all.slice(0, NAMED)
  const rest = all.length - shown.length
  const lines = table(
    shown.map(({ name }) => shownName(name)),
    shown.map(({ reports }) => `in ${reports} of ${plural(plans, 'report')}`),
    shown.map(({ now }) => (now === 0 ? style.faint('not now') : `${plural(now, 'WLAN')} now`))
  )
  const more = rest === 0 ? [] : [style.faint(`  and ${rest} more`)]
  return [style.strong(title), ...lines, ...more].join('\n')
}

function trendLines(history: History, { width }: RenderOptions, style: Style): string {
  const { points, baseUrl } = history
  const [first, last] = [points[0], points.at(-1)]
  const series = seriesOf(history)
  const names = widest(series.map(({ name }) => name))
  const where = baseUrl === undefined ? '' : ` on ${escapeInside(baseUrl)}`
  const reports = `${plural(points.length, 'report')}${where}`
  const span = `${shownTime(first?.at ?? '')} to ${shownTime(last?.at ?? '')}`
  return [
    ...wrap([reports, span], ', ', width).map(style.faint),
    ...series.map(
      each =>
        `${style.strong(each.name.padEnd(names))}  ${trendOf(each)}  ${sparkline(each, width - 50)}`
    )
  ].join('\n')
}

const BARS = '▁▂▃▄▅▆▇█'

/** A line has at most so many bars, however wide it may be. */
const BARS_SHOWN = 120

/** The last values as bars, the largest one full. */
function sparkline({ values }: Series, room: number): string {
  const shown = values.slice(-Math.min(Math.max(10, room), BARS_SHOWN))
  const most = shown.reduce((max, { n }) => Math.max(max, n), 1)
  return shown.map(({ n }) => BARS[Math.round((n / most) * (BARS.length - 1))]).join('')
}

function rightAligned(cells: readonly string[]): string[] {
  const width = widest(cells)
  return cells.map(cell => cell.padStart(width))
}
