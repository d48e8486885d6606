import type { Calendar, UpcomingEvent, UpcomingWait } from '../../core/model/calendar.ts'
import type { DesiredWlan } from '../../core/model/desired.ts'
import { impacts } from '../../core/model/impact.ts'
import { byCodeUnit, compact, groupsBy, sortBy } from '../../core/values/collections.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { windowFor } from './deferral.ts'
import { instantOf, isLocal, localOf } from './zone.ts'

/** A plan lists the events of the next seven days, in milliseconds. */
const AHEAD = 7 * 86_400_000

type Freezes = Pick<Calendar, 'freezes' | 'timezones'>

interface Options {
  /** True if the run sends changes at any time. */
  readonly ignoreWindows?: boolean | undefined
}

/**
 * The freezes, and the periods of these WLANs, that begin or end within seven days after `now`, sorted by
 * time and address, freezes first. A freeze in local time begins and ends once in each time zone. A period
 * lists the waits of its changes, unless the run ignores windows.
 */
export function upcomingEvents(
  wlans: readonly Pick<DesiredWlan, 'address' | 'periods'>[],
  calendar: Calendar | undefined,
  now: number,
  { ignoreWindows = false }: Options = {}
): UpcomingEvent[] {
  const isNear = (instant: number) => instant > now && instant <= now + AHEAD
  return sortBy(
    [
      ...(calendar ? freezeEvents(calendar, isNear) : []),
      ...periodEvents(wlans, ignoreWindows ? undefined : calendar, isNear)
    ],
    ({ at }) => at,
    ({ address = '' }) => address
  )
}

/** The beginnings and ends of periods that are listed, as in `upcomingEvents` but not sorted. */
export function periodEvents(
  wlans: readonly Pick<DesiredWlan, 'address' | 'periods'>[],
  calendar: Calendar | undefined,
  isListed: (instant: number) => boolean
): UpcomingEvent[] {
  const waitsAt = waitsIn(calendar)
  return wlans.flatMap(({ address, periods = [] }) =>
    periods.flatMap(({ from, until, reason, timezone }) =>
      boundaries.flatMap((event): UpcomingEvent[] => {
        const at = event === 'begins' ? from : until
        const instant = Date.parse(at)
        if (!isListed(instant)) return []
        const waits = waitsAt(instant, timezone)
        return [
          { address, event, at, ...localOf(instant, timezone), reason, ...compact({ waits }) }
        ]
      })
    )
  )
}

/** Waits by impact; undefined if all may be sent. Cached by time and zone, because sites share their periods. */
function waitsIn(calendar: Calendar | undefined) {
  const known = new Map<string, readonly UpcomingWait[] | undefined>()
  return (instant: number, zone: string | undefined): readonly UpcomingWait[] | undefined => {
    if (calendar === undefined) return undefined
    const key = `${instant} ${zone}`
    if (!known.has(key)) known.set(key, waitsOf(calendar, instant, zone))
    return known.get(key)
  }
}

function waitsOf(
  calendar: Calendar,
  instant: number,
  zone: string | undefined
): readonly UpcomingWait[] | undefined {
  const waiting = impacts.flatMap(impact => {
    const wait = windowFor([{ ...calendar, zone }], [impact], instant)
    return wait === undefined ? [] : [{ impact, wait }]
  })
  const equal = groupsBy(waiting, ({ wait }) => JSON.stringify(wait))
  const waits = equal.flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ impact: [first, ...others].map(({ impact }) => impact), ...first.wait }]
  )
  return waits.length === 0 ? undefined : waits
}

const boundaries = ['begins', 'ends'] as const

function freezeEvents(
  { freezes, timezones }: Freezes,
  isNear: (instant: number) => boolean
): UpcomingEvent[] {
  const zones = freezes.length === 0 ? [] : [...new Set(timezones.values())].sort(byCodeUnit)
  return freezes.flatMap(({ from, until, reason }) =>
    boundaries.flatMap(event => {
      const text = event === 'begins' ? from : until
      const places = isLocal(text) || zones.length === 1 ? zones : [undefined]
      return places.flatMap((zone): UpcomingEvent[] => {
        const instant = instantOf(text, zone)
        if (instant === undefined || !isNear(instant)) return []
        const at = formatTimestamp(new Date(instant))
        return [{ event, at, ...localOf(instant, zone), reason }]
      })
    })
  )
}
