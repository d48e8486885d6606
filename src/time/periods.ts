import type { UpcomingEvent } from '../model/calendar.ts'
import { compact, sortBy } from '../model/collections.ts'
import type { DesiredWlan } from '../model/desired.ts'
import { formatLocal } from './zone.ts'

/** How far ahead a plan looks, in milliseconds: seven days. */
const AHEAD = 7 * 86_400_000

/** The periods of these WLANs that begin or end within seven days after a moment, by time and address. */
export function upcomingEvents(
  wlans: readonly Pick<DesiredWlan, 'address' | 'periods'>[],
  moment: number
): UpcomingEvent[] {
  const events = wlans.flatMap(({ address, periods = [] }) =>
    periods.flatMap(({ from, until, reason, timezone }) =>
      (['begins', 'ends'] as const).flatMap((event): UpcomingEvent[] => {
        const at = event === 'begins' ? from : until
        const instant = Date.parse(at)
        if (instant <= moment || instant > moment + AHEAD) return []
        const local = timezone === undefined ? undefined : formatLocal(instant, timezone)
        return [{ address, event, at, ...compact({ local }), reason }]
      })
    )
  )
  return sortBy(
    events,
    ({ at }) => at,
    ({ address }) => address
  )
}
