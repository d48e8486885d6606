import type { Contested } from '../core/history/contested.ts'
import type { EstateEvent } from '../core/history/events.ts'
import type { EstateHistory } from '../core/history/history.ts'
import { compact } from '../core/values/collections.ts'
import { Secret } from '../core/values/secret.ts'
import { mapValue, type Value } from '../core/values/value.ts'
import { csv } from './csv.ts'
import { escapeInside, escapeJson, escapeLines } from './escape.ts'
import { formatField, formatValue } from './format-value.ts'
import { overviewHtml } from './html/overview.ts'
import { historyOverview } from './overview/history.ts'
import { commentOf } from './render/comment.ts'
import { COMMENT_BYTES, SUMMARY_BYTES } from './render/page.ts'
import type { RenderOptions } from './report.ts'
import { overviewText } from './text/text.ts'

/** The formats of a history by name. */
export const historyFormats = {
  text: (history, options) => escapeLines(overviewText(historyOverview(history), options)),
  json: historyJson,
  csv: historyCsv,
  html: (history, { source }) => overviewHtml(historyOverview(history), source),
  markdown: (history, options) => commentOf(historyOverview(history), options, COMMENT_BYTES),
  summary: (history, options) => commentOf(historyOverview(history), options, SUMMARY_BYTES)
} as const satisfies Readonly<
  Record<string, (history: EstateHistory, options: RenderOptions) => string>
>

function historyJson({ events, contested, began, ended, states, ...about }: EstateHistory): string {
  const data = {
    format: 'wlanctl-history/1',
    began,
    ended,
    states,
    ...(about.isShallow && { shallow: true }),
    ...(about.unreadable.length > 0 && { unreadable: about.unreadable }),
    contested: contested.map(contestedData),
    events: events.map(eventData)
  }
  return `${escapeJson(JSON.stringify(data, null, 2))}\n`
}

function contestedData({ events, value, returns, longestAway }: Contested<EstateEvent>) {
  const [last] = events.slice(-1)
  const { siteId, wlanId, address, pointer } = last as EstateEvent
  return {
    ...{ address, site_id: siteId, wlan_id: wlanId, pointer },
    ...compact({ value: readable(value) }),
    returns,
    longest_away: longestAway,
    changes: events.map(({ time, before, after, run, who }) => ({
      time,
      ...compact({ before: readable(before), after: readable(after), run, who })
    }))
  }
}

function eventData(event: EstateEvent) {
  const { siteId, wlanId, before, after, isDowngrade, ...rest } = event
  return {
    ...rest,
    site_id: siteId,
    wlan_id: wlanId,
    ...compact({ before: readable(before), after: readable(after), downgrade: isDowngrade })
  }
}

/** A value for JSON; secrets are `(secret)`. */
function readable(value: Value | undefined): unknown {
  return value === undefined
    ? undefined
    : mapValue(value, each => (each instanceof Secret ? '(secret)' : undefined))
}

const COLUMNS = ['time', 'site', 'ssid', 'change', 'field', 'before', 'after', 'impact', 'by']

function historyCsv({ events }: EstateHistory): string {
  const rows = events.map(
    ({ time, site, ssid, kind, pointer, before, after, impact, network, run, who }) => [
      time,
      site,
      ssid,
      kind,
      formatField(pointer),
      cell(before),
      cell(after) || (network ?? ''),
      impact ?? '',
      who ?? (run === undefined ? '' : `wlanctl ${run}`)
    ]
  )
  return csv([COLUMNS, ...rows.map(row => row.map(escapeInside))])
}

/** A text as it is, any other value as in a report. */
function cell(value: Value | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : formatValue(value)
}
