import type { Calendar, DeferralCheck, UpcomingEvent } from '../../core/model/calendar.ts'
import type { Desired, DesiredSite } from '../../core/model/desired.ts'
import { type Change, type PlanTimes, timedParts } from '../../core/model/plan.ts'

interface DeferralOptions {
  readonly ignoreWindows?: true
}

/** Undefined for a fleet without windows and freezes, which then loads no code for them. */
export async function deferralOf(
  calendar: Calendar | undefined,
  { ignoreWindows }: DeferralOptions,
  now: () => Date
): Promise<DeferralCheck | undefined> {
  if (calendar === undefined || ignoreWindows) return undefined
  const { deferralCheck } = await import('./deferral.ts')
  return deferralCheck(calendar, now)
}

/** The changes that wait, and the periods of the next days. */
export async function planTimes(
  changes: readonly Change[],
  { at, calendar, sites }: Pick<Desired, 'at' | 'calendar' | 'sites'>,
  options: DeferralOptions,
  now: () => Date
): Promise<PlanTimes> {
  const time = at === undefined ? now() : new Date(at)
  const check = await deferralOf(calendar, options, () => time)
  const deferred = check ? changes.flatMap(change => check(change) ?? []) : []
  const upcoming = await upcomingAt(sites, calendar, time, options)
  return timedParts(at, deferred, upcoming)
}

async function upcomingAt(
  sites: readonly DesiredSite[],
  calendar: Calendar | undefined,
  time: Date,
  options: DeferralOptions
): Promise<UpcomingEvent[]> {
  const wlans = sites.flatMap(site =>
    site.wlans.filter(({ periods, excluded }) => periods !== undefined && !excluded)
  )
  if (wlans.length === 0 && calendar === undefined) return []
  const { upcomingEvents } = await import('./upcoming.ts')
  return upcomingEvents(wlans, calendar, time.getTime(), options)
}
