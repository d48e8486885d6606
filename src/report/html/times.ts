import type { UpcomingEvent } from '../../core/model/calendar.ts'
import type { Plan } from '../../core/model/plan.ts'
import { groupBy } from '../../core/values/collections.ts'
import {
  deferredRows,
  deferredTitle,
  FREEZE,
  UPCOMING,
  upcomingColumns,
  upcomingRows
} from '../calendar.ts'
import { severityNouns } from '../effects.ts'
import { severityOf } from '../field-changes.ts'
import { splitAddress } from '../group-findings.ts'
import { fieldsLine, PERIODS, periodGroups } from '../periods.ts'
import { dataTable, moreLine, scrollRegion, section } from './components.ts'
import type { TimesData, View } from './page-data.ts'
import { h, type VElement } from './vdom.ts'

const DAY = 86_400_000
const DAYS = 7

/** The maximum number of rows in a table, and of bars in the timeline; the JSON report contains all. */
const MAX_ROWS = 100

/** The part of a view about waiting changes, and about periods and freezes within seven days. */
export function timesOf(plan: Plan): Pick<View, 'times'> {
  const { upcoming = [], deferred = [], periods = [], created, at = created } = plan
  if (upcoming.length + deferred.length + periods.length === 0) return {}
  const start = Date.parse(at)
  const midnight = Math.ceil(start / DAY) * DAY
  const days = Array.from({ length: DAYS }, (_, day) => {
    const begins = midnight + day * DAY
    return {
      label: `${new Date(begins).toISOString().slice(5, 10)}${day === 0 ? ' UTC' : ''}`,
      at: (begins - start) / (DAYS * DAY)
    }
  })
  return {
    times: {
      deferredTitle: deferredTitle(plan),
      deferred: deferredRows(plan),
      periods: periodRows(plan),
      upcoming: upcomingRows(plan),
      bars: barsOf(upcoming, start),
      days
    }
  }
}

const periodColumns = ['When', 'WLAN', 'Period', 'Impact', 'Fields'] as const

function periodRows(plan: Plan): string[][] {
  return periodGroups(plan).map(({ when, where, event, without, changes }) => [
    when,
    where,
    event,
    changes === undefined ? '' : severityNouns[severityOf(changes[0])],
    changes === undefined ? without : fieldsLine(changes[0])
  ])
}

/** A bar for each period and freeze, clipped to the seven days. */
function barsOf(upcoming: readonly UpcomingEvent[], start: number): TimesData['bars'] {
  const part = (time: string) => (Date.parse(time) - start) / (DAYS * DAY)
  const zoneOf = ({ address, local }: UpcomingEvent) =>
    address === undefined ? local?.split(' ').at(-1) : undefined
  const periods = groupBy(upcoming, event =>
    JSON.stringify([event.address, event.reason, zoneOf(event)])
  )
  const bars = [...periods.values()].flatMap(events => {
    const [first] = events
    if (first === undefined) return []
    const ends = events.filter(({ event }) => event === 'ends')
    const open = first.event === 'ends' ? [0] : []
    const starts = [
      ...open,
      ...events.filter(({ event }) => event === 'begins').map(({ at }) => part(at))
    ]
    return starts.map((from, at) => ({
      address: first.address,
      reason: first.reason,
      from,
      until: ends[at] === undefined ? 1 : part(ends[at].at)
    }))
  })
  const alike = groupBy(bars, ({ address, reason, from, until }) =>
    JSON.stringify([address && splitAddress(address).key, reason, from, until])
  )
  return [...alike.values()].slice(0, MAX_ROWS).flatMap(([bar, ...others]) => {
    if (bar === undefined) return []
    const { address, reason, from, until } = bar
    const sites = others.length + 1
    const isSingle = address === undefined || sites === 1
    const where = isSingle ? (address ?? FREEZE) : `${splitAddress(address).key} on ${sites} sites`
    return { label: `${where}: ${reason}`, from, until }
  })
}

/** The periods that the files add or change, the waiting changes, and the timeline of the next seven days with its table. */
export function timesSections(times: TimesData): VElement[] {
  const { periods, deferred, upcoming } = times
  const later = section(
    'periods',
    PERIODS,
    scrollRegion(
      'periods-table',
      'Table of periods',
      dataTable('Changes of periods', periodColumns, periods.slice(0, MAX_ROWS))
    ),
    moreLine(periods.length - MAX_ROWS, 'row', '; the JSON report has all')
  )
  const waiting = section(
    'deferred',
    times.deferredTitle,
    scrollRegion(
      'deferred-table',
      'Table of deferred changes',
      dataTable('Changes that wait', ['WLAN', 'Waits'], deferred.slice(0, MAX_ROWS))
    ),
    moreLine(deferred.length - MAX_ROWS, 'row', '; the JSON report has all')
  )
  const next = section(
    'upcoming',
    UPCOMING,
    scrollRegion('upcoming-chart', 'Timeline of the next seven days', timeline(times)),
    scrollRegion(
      'upcoming-table',
      'Table of the next seven days',
      dataTable('Beginnings and ends', upcomingColumns, upcoming.slice(0, MAX_ROWS))
    ),
    moreLine(upcoming.length - MAX_ROWS, 'row', '; the JSON report has all')
  )
  return [
    ...(periods.length > 0 ? [later] : []),
    ...(deferred.length > 0 ? [waiting] : []),
    ...(upcoming.length > 0 ? [next] : [])
  ]
}

const WIDTH = 840
const ROW = 34
const HEAD = 22

/** Hidden from screen readers, because the table below has the same content. */
function timeline({ bars, days }: TimesData): VElement {
  const height = HEAD + bars.length * ROW
  const x = (part: number) => Math.round(part * WIDTH)
  const lines = days.map(({ label, at }) => {
    const left = x(at)
    return h(
      'g',
      {},
      h('path', { class: 'week-line', d: `M${left + 0.5} 0V${height}` }),
      h('text', { class: 'week-day', x: left + 4, y: 14 }, label)
    )
  })
  const drawn = bars.map(({ label, from, until }, at) => {
    const top = HEAD + at * ROW
    const left = x(from)
    const anchor = from > 0.6 ? 'end' : 'start'
    return h(
      'g',
      {},
      h(
        'text',
        {
          class: 'week-label',
          x: anchor === 'end' ? x(until) : left,
          y: top + 12,
          'text-anchor': anchor
        },
        label
      ),
      h('rect', {
        class: 'week-bar',
        x: left,
        y: top + 17,
        width: Math.max(3, x(until) - left),
        height: 10,
        rx: 2
      })
    )
  })
  return h(
    'svg',
    {
      class: 'week',
      viewBox: `0 0 ${WIDTH} ${height}`,
      width: WIDTH,
      height,
      'aria-hidden': 'true'
    },
    lines,
    drawn
  )
}
