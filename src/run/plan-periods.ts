import type { UpcomingEvent } from '../core/model/calendar.ts'
import type { Desired, DesiredSite, Policy } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import type { LiveSite } from '../core/model/live.ts'
import type { PeriodPlan, Plan } from '../core/model/plan.ts'
import type { Allowances } from '../core/plan/limits.ts'
import { planPeriod, siteMoments } from '../core/plan/periods.ts'
import { type PlannedSite, planSite } from '../core/plan/plan.ts'
import { byCodeUnit, groupBy, sortBy } from '../core/values/collections.ts'
import { formatNumber } from '../core/values/text.ts'
import { formatTimestamp } from '../core/values/time.ts'
import { periodEvents } from '../fleet/time/upcoming.ts'
import { checksOf, type RunChecks } from './checks/run-checks.ts'

/** The maximum number of beginnings and ends to plan, which bounds time and memory. */
const MAX_EVENTS = 100_000

interface Moment {
  /** By the address of the WLAN. */
  readonly events: ReadonlyMap<string | undefined, readonly UpcomingEvent[]>
  readonly checks: RunChecks
  readonly planned: PlannedSite[]
}

/** Plans the periods that the files add or change since the base when they begin and when they end, site by site. */
export class PeriodPlanner {
  readonly #now: string
  readonly #moments: ReadonlyMap<string, Moment>

  constructor(now: string, moments: ReadonlyMap<string, Moment>) {
    this.#now = now
    this.#moments = moments
  }

  /** Plans the periods of a site on its live WLANs as they are now. */
  add(site: DesiredSite, live: LiveSite): void {
    if (changedWlans(site).length === 0) return
    for (const moment of siteMoments(site, live, this.#now)) {
      const known = this.#moments.get(moment.at)
      if (!site.wlans.some(({ address }) => known?.events.has(address))) continue
      const { compared, live: before, matches } = moment
      const plan = planSite(compared, before, matches)
      known?.checks.add(moment.site, before, plan, moment.declaredMatches)
      known?.planned.push(plan)
    }
  }

  /** Plans the periods, with what the plan for now counts and finds. Call it once, after the last site. */
  plans(
    { summary, findings: known }: Pick<Plan, 'summary' | 'findings'>,
    policy: Policy,
    { allowances = {}, declared }: PeriodLimits
  ): PeriodPlan[] {
    return [...this.#moments].map(([at, { events, checks, planned }]) => {
      const { findings } = checks.result(planned, () => undefined)
      const context = { policy, allowances, summary, declared, findings, known }
      return planPeriod(at, [...events.values()].flat(), planned, context)
    })
  }
}

/** The planner of the periods that the files add or change since the base; throws (exit 3) if there are too many. */
export async function periodPlanner(
  desired: Desired,
  now: Date,
  { allowances = {}, ignoreWindows }: PeriodLimits
): Promise<PeriodPlanner> {
  const { calendar, sites, isWhole: _, waivers = [], ...shared } = desired
  const wlans = sites.flatMap(site => changedWlans(site))
  const windows = ignoreWindows ? undefined : calendar
  const events = sortBy(
    periodEvents(wlans, windows, instant => instant > now.getTime()),
    ({ at }) => at,
    ({ address = '' }) => address
  )
  if (events.length > MAX_EVENTS) {
    throw wrongInput(
      `the files add or change periods that begin or end ${formatNumber(events.length)} times, and a plan shows at most ${formatNumber(MAX_EVENTS)}`,
      'add them in several steps, or plan the fleet by shards'
    )
  }
  const moments = new Map<string, Moment>()
  for (const [at, together] of groupBy(events, event => event.at)) {
    const active = waivers.filter(({ until }) => byCodeUnit(until, at.slice(0, 10)) >= 0)
    // A part of the fleet, since the sites without a change at this time are not checked again.
    const part = { ...shared, sites, waivers: active, part: { shard: '1/2' } }
    moments.set(at, {
      events: groupBy(together, ({ address }) => address),
      checks: await checksOf(part, 'changed', allowances),
      planned: []
    })
  }
  return new PeriodPlanner(formatTimestamp(now), moments)
}

/** The WLANs of a site with the periods that the files add or change. */
function changedWlans({ wlans, sinceBase }: DesiredSite) {
  return wlans.flatMap(({ address, key, excluded }) => {
    const periods = excluded ? undefined : sinceBase?.wlans.get(key)?.periods
    return periods === undefined ? [] : [{ address, periods }]
  })
}

/** The options of the command line, as in `PlanRequest`. */
interface PeriodLimits {
  readonly allowances?: Allowances | undefined
  readonly declared?: number | undefined
  readonly ignoreWindows?: true | undefined
}
