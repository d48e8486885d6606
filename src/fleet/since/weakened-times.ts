import type { Window } from '../../core/model/calendar.ts'
import { weekdays } from '../../core/model/calendar.ts'
import { type ImpactClass, impacts } from '../../core/model/impact.ts'
import { quote } from '../../core/values/text.ts'
import type {
  DeclaredCalendar,
  DeclaredFreeze,
  DeclaredWindow
} from '../policy/declared-calendar.ts'
import type { FleetSite } from '../sites.ts'
import { instantOf, isLocal } from '../time/zone.ts'
import { timezoneNode } from '../time-zones.ts'
import { type Node, textOf } from '../yaml/tree.ts'
import { type Weakening, weakenedAmong } from './weakening.ts'

/** The times at which changes wait at the base, and are sent now. */
export function weakenedTimes(
  was: DeclaredCalendar,
  is: DeclaredCalendar = { windows: [], freezes: [] },
  now: Date
): Weakening[] {
  return [
    ...weakenedWindows(was.windows, is.windows),
    ...was.freezes.flatMap(freeze => weakenedFreeze(freeze, is.freezes, now))
  ]
}

/** Windows and local times of freezes are in the time zone of each site. */
export function changedTimezones(
  sites: readonly { readonly is: FleetSite; readonly was: FleetSite }[],
  usual: { readonly is: Node | undefined; readonly was: Node | undefined }
): Weakening[] {
  const zones = sites.map(({ is, was }) => {
    const [now, before] = [timezoneNode(is, usual.is), timezoneNode(was, usual.was)]
    return { is, now, zone: textOf(now), before: textOf(before) }
  })
  return weakenedAmong('site', zones, {
    title: those => `\`timezone\` of ${those} changed`,
    isWeaker: ({ zone, before }) => before !== undefined && zone !== before,
    text: ({ is, zone = 'none', before }) => `${quote(is.name)} ${before} → ${zone}`,
    now: ({ is, now }) => now ?? is.declaredAt()
  })
}

const MINUTES_OF_DAY = 24 * 60
const MINUTES_OF_WEEK = 7 * MINUTES_OF_DAY

/** By the minutes of a week: windows of other names or in other pieces may let the same changes through. */
function weakenedWindows(
  was: readonly DeclaredWindow[],
  is: readonly DeclaredWindow[]
): Weakening[] {
  const weaker = impacts.filter(impact => {
    const [before, now] = [was, is].map(windows => openMinutes(listing(windows, impact)))
    return before !== undefined && (now === undefined || [...now].some(each => !before.has(each)))
  })
  const [first] = weaker
  if (first === undefined) return []
  const texts = [was, is].map(windows => describe(weaker.flatMap(each => listing(windows, each))))
  return [
    {
      what: `the windows for ${weaker.join(', ')} ${texts.join(' → ')}`,
      now: listing(is, first)[0]?.node,
      before: listing(was, first)[0]?.node
    }
  ]
}

function listing<W extends Window>(windows: readonly W[], impact: ImpactClass): readonly W[] {
  return windows.filter(window => window.impact.includes(impact))
}

function describe(windows: readonly Window[]): string {
  const texts = windows.map(({ days, from, until }) => {
    const isDaily = days.length === weekdays.length
    return `${isDaily ? 'daily' : days.join(' ')} ${from}–${until}`
  })
  return [...new Set(texts)].join(', ') || 'any time'
}

/** The minutes of a week in which one of these windows is open; undefined without a window: all are. */
function openMinutes(windows: readonly Window[]): ReadonlySet<number> | undefined {
  if (windows.length === 0) return undefined
  const open = new Set<number>()
  for (const { days, from, until } of windows) {
    const [start, end] = [minutesIn(from), minutesIn(until)]
    const length = end > start ? end - start : end - start + MINUTES_OF_DAY
    for (const day of days) {
      const first = weekdays.indexOf(day) * MINUTES_OF_DAY + start
      for (let n = 0; n < length; n += 1) open.add((first + n) % MINUTES_OF_WEEK)
    }
  }
  return open
}

function minutesIn(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number)
  return hours * 60 + minutes
}

/** No time zone is further from UTC, so a local time of the past is past at every site after these ms. */
const FURTHEST_ZONE = 14 * 60 * 60 * 1000

function weakenedFreeze(
  was: DeclaredFreeze,
  is: readonly DeclaredFreeze[],
  now: Date
): Weakening[] {
  const span = spanOf(was)
  if (span === undefined || span.until + FURTHEST_ZONE < now.getTime()) return []
  const isWeaker = impacts.some(
    impact =>
      !was.except.includes(impact) &&
      !isCovered(
        { ...span, from: Math.max(span.from, now.getTime() - FURTHEST_ZONE) },
        is.filter(({ except }) => !except.includes(impact)).flatMap(each => spanOf(each) ?? [])
      )
  )
  if (!isWeaker) return []
  const same = is.find(({ reason }) => reason === was.reason)
  const what = `the freeze ${quote(was.reason)} ${textOfFreeze(was)} → ${same ? textOfFreeze(same) : 'removed'}`
  return [{ what, now: same?.node, before: was.node }]
}

function textOfFreeze({ from, until, except }: DeclaredFreeze): string {
  const rest = except.length === 0 ? '' : ` except ${except.join(', ')}`
  return `${from}–${until}${rest}`
}

interface Span {
  readonly from: number
  readonly until: number
  /** Whether start and end are local times, which differ from others by the zone of the site. */
  readonly notation: string
}

function spanOf({ from, until }: DeclaredFreeze): Span | undefined {
  const [start, end] = [from, until].map(text => instantOf(text, 'UTC'))
  if (start === undefined || end === undefined) return undefined
  return { from: start, until: end, notation: `${isLocal(from)} ${isLocal(until)}` }
}

/** True if spans of the same notation cover all of a span. */
function isCovered({ from, until, notation }: Span, by: readonly Span[]): boolean {
  const alike = by.filter(each => each.notation === notation).sort((a, b) => a.from - b.from)
  const reached = alike.reduce(
    (end, each) => (each.from <= end ? Math.max(end, each.until) : end),
    from
  )
  return reached >= until
}
