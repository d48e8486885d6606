import type { EstateDiff } from '../core/history/estate-diff.ts'
import { changeEvents, type EstateEvent } from '../core/history/events.ts'
import { type EstateHistory, summaryOf } from '../core/history/history.ts'
import type { ContestedField } from '../core/model/history.ts'
import { compact } from '../core/values/collections.ts'
import { Secret } from '../core/values/secret.ts'
import { mapValue, type Value } from '../core/values/value.ts'
import { ruleData } from './audit/audit.ts'
import { csv } from './data/csv.ts'
import { escapeInside } from './escape.ts'
import { formatField, formatValue } from './fields/format-value.ts'
import { diffOverview } from './overview/diff.ts'
import { historyOverview } from './overview/history.ts'
import { overviewFormats } from './overview-formats.ts'

/** The formats of a history by name. */
export const historyFormats = {
  ...overviewFormats(historyOverview, historyData),
  csv: ({ events }: EstateHistory) => eventsCsv(events)
}

/** The formats of a diff by name. */
export const diffFormats = {
  ...overviewFormats(diffOverview, diffData),
  csv: (diff: EstateDiff) => eventsCsv(eventsIn(diff))
}

function historyData(history: EstateHistory) {
  const { events, contested, began, ended, states, ...about } = history
  return {
    format: 'wlanctl-history/1',
    began,
    ended,
    states,
    ...(about.isShallow && { shallow: true }),
    ...(about.unreadable.length > 0 && { unreadable: about.unreadable }),
    contested: summaryOf(history, events, contested).contested.map(contestedData),
    events: events.map(eventData)
  }
}

function diffData(diff: EstateDiff) {
  const { states, compared, appeared, disappeared, renamed, unread, rules } = diff
  const [before, after] = states.map(({ name, created }) => ({ state: name, created }))
  return {
    format: 'wlanctl-diff/1',
    before,
    after,
    sites: {
      compared,
      appeared: appeared.map(({ name }) => name),
      disappeared: disappeared.map(({ name }) => name),
      renamed,
      unread: unread.map(({ site, reason }) => ({ site: site.name, reason }))
    },
    changes: eventsIn(diff).map(event => eventData(event)),
    rules: rules.map(ruleData)
  }
}

/** The changes of a diff, at the time of the later state. */
function eventsIn({ changes, states: [, { created }] }: EstateDiff): EstateEvent[] {
  return changes.flatMap(change => changeEvents(change, created))
}

function contestedData({ value, changes, ...field }: ContestedField) {
  return {
    ...field,
    ...compact({ value: readable(value) }),
    changes: changes.map(({ before, after, ...about }) => ({
      ...about,
      ...compact({ before: readable(before), after: readable(after) })
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

function eventsCsv(events: readonly EstateEvent[]): string {
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
