import type { Calendar, UpcomingEvent } from '../model/calendar.ts'
import { byCodeUnit, sortBy } from '../model/collections.ts'
import type { DesiredWlan } from '../model/desired.ts'
import { formatTimestamp } from '../model/time.ts'
import { instantOf, isLocal, localOf } from './zone.ts'

/** A plan lists the events of the next seven days, in milliseconds. */
const AHEAD = 7 * 86_400_000

/** The freezes of a calendar, and the time zones of its sites. */
type Freezes = Pick<Calendar, 'freezes' | 'timezones'>

/**
 * The freezes, and the periods of these WLANs, that begin or end within seven days after `instant`, sorted by
 * time and address, freezes first. A freeze in local time begins and ends once in each time zone.
 */
export function upcomingEvents(
  wlans: readonly Pick<DesiredWlan, 'address' | 'periods'>[],
  calendar: Freezes | undefined,
  now: number
): UpcomingEvent[] {
  const isNear = (instant: number) => instant > now && instant <= now + AHEAD
  const ofPeriods = wlans.flatMap(({ address, periods = [] }) =>
    periods.flatMap(({ from, until, reason, timezone }) =>
      boundaries.flatMap((event): UpcomingEvent[] => {
        const at = event === 'begins' ? from : until
        const instant = Date.parse(at)
        if (!isNear(instant)) return []
        return [{ address, event, at, ...localOf(instant, timezone), reason }]
      })
    )
  )
  return sortBy(
    [...(calendar ? freezeEvents(calendar, isNear) : []), ...ofPeriods],
    ({ at }) => at,
    ({ address = '' }) => address
  )
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
