import { matchSite } from '../core/diff/match.ts'
import {
  type Desired,
  type DesiredSite,
  groupsOfSites,
  type SiteGroups
} from '../core/model/desired.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../core/model/live.ts'
import { Pairs } from '../core/model/pairs.ts'
import type { Plan, PlannedChange, PlannedSite } from '../core/model/plan.ts'
import { placedChanges, placesInChanges } from '../core/plan/change-places.ts'
import type { Allowances } from '../core/plan/guards.ts'
import { assemble, changesOf, type PlanContext, planSite, planUnread } from '../core/plan/plan.ts'
import { secretsShownAt } from '../core/schema/shown-secrets.ts'
import { compact } from '../core/values/collections.ts'
import { plural } from '../core/values/text.ts'
import { formatTimestamp } from '../core/values/time.ts'
import { type Snapshot, sitesIn } from '../files/snapshot.ts'
import { planTimes } from '../fleet/time/plan-times.ts'
import type { Reader } from '../service/client.ts'
import { checksOf, RunChecks } from './checks/run-checks.ts'
import type { LintResult, LintScope } from './checks/run-linter.ts'
import type { RunContext } from './context.ts'
import { readSitesAsTask, type SiteStep } from './read-sites.ts'

/**
 * Plans a fleet against the live state: one list request for each site, and each site is planned as soon as
 * it is read. Only the changed WLANs and those to `keep` stay in memory.
 */
export async function makePlan(
  desired: Desired,
  reader: Reader,
  request: PlanRequest,
  run: RunContext
): Promise<PlanResult> {
  const { parallelism, keep = new Set(), planner, lint = 'changed' } = request
  const { allowances, ignoreWindows, narrow } = request
  const checks = lint === false ? new RunChecks() : await checksOf(desired, lint, allowances)
  const liveById = new Map<string, LiveWlan>()
  const pairs = new Pairs()
  const visit = (site: DesiredSite, live: LiveSite | UnreadSite) => {
    for (const wlan of keptWlans(live, keep)) liveById.set(wlan.id.toLowerCase(), wlan)
    const part = 'wlans' in live && narrow ? narrow(site, live) : site
    return planChecked(part, live, { checks, pairs, planner })
  }
  const reading = { parallelism, visit, stepOf: planningStep }
  const planned = await readSitesAsTask(reader, desired.sites, reading, run)
  const { baseUrl, requests } = reader
  const options = compact({ allowances, ignoreWindows })
  const context = { baseUrl, requests, ...options }
  return { ...(await finishPlan(planned, desired, checks, context, run)), liveById }
}

export async function makePlanAgainst(
  desired: Desired,
  snapshot: Pick<Snapshot, 'sites' | 'unread' | 'created' | 'digest' | 'base_url'>,
  run: Pick<RunContext, 'tool' | 'now'>
): Promise<Omit<PlanResult, 'liveById'>> {
  const checks = await checksOf(desired, 'changed')
  const read = sitesIn(snapshot)
  const pairs = new Pairs()
  const planned = desired.sites.map(site => planChecked(site, read(site), { checks, pairs }))
  const { created, digest, base_url: baseUrl } = snapshot
  const context = { baseUrl, requests: 0, against: { created, digest } }
  return finishPlan(planned, desired, checks, context, run)
}

export interface PlanRequest {
  readonly parallelism: number
  /** The ids of live WLANs to return, in lower case; default: none. */
  readonly keep?: ReadonlySet<string>
  readonly planner?: typeof planSite
  /** The part of a site to plan, once it is read; default: the whole site. */
  readonly narrow?: (site: DesiredSite, live: LiveSite) => DesiredSite
  /** The sites to lint, by default `changed`; false for restoring a state without judging it. */
  readonly lint?: LintScope | false
  /** The limits of the command line, for the refusals in the plan. */
  readonly allowances?: Allowances
  /** Plans changes outside of their windows and during a freeze: no change is deferred. */
  readonly ignoreWindows?: true
}

export interface PlanResult {
  readonly plan: Plan
  readonly planned: readonly PlannedSite[]
  readonly changes: readonly PlannedChange[]
  readonly groups: SiteGroups
  /** The live WLANs of `PlanRequest.keep`, by id in lower case. */
  readonly liveById: ReadonlyMap<string, LiveWlan>
  /** For the report: findings of the linter that a saved plan must not contain. */
  readonly lint: Partial<Pick<LintResult, 'secretFindings' | 'lintLevel'>>
}

interface SitePlanning {
  readonly checks: RunChecks
  readonly pairs: Pairs
  readonly planner?: typeof planSite | undefined
}

function planChecked(
  site: DesiredSite,
  live: LiveSite | UnreadSite,
  { checks, pairs, planner = planSite }: SitePlanning
): PlannedSite {
  if (!('wlans' in live)) return planUnread(site, live)
  const matches = matchSite(site, live)
  const isShown = secretsShownAt(live)
  for (const [wlan, match] of matches) {
    if (!('live' in match)) continue
    const atBase = site.sinceBase?.wlans.get(wlan.key)?.fieldsAtBase
    const pair = pairs.pairOf(wlan, match.live.record, isShown(), atBase)
    matches.set(wlan, { live: match.live, pair })
  }
  const planned = planner(site, live, matches)
  checks.add(site, live, planned, matches)
  return planned
}

function keptWlans(live: LiveSite | UnreadSite, keep: ReadonlySet<string>): readonly LiveWlan[] {
  if (!('wlans' in live) || keep.size === 0) return []
  return live.wlans.filter(({ id }) => keep.has(id.toLowerCase()))
}

function planningStep({ wlans }: LiveSite, { wlanPlans }: PlannedSite): SiteStep {
  const changes = wlanPlans.filter(({ status }) => status === 'changed').length
  return [`${plural(wlans.length, 'WLAN')} read`, { 'to change': changes }]
}

interface LiveContext
  extends Pick<PlanContext, 'baseUrl' | 'requests' | 'against'>,
    Pick<PlanRequest, 'allowances' | 'ignoreWindows'> {}

async function finishPlan(
  planned: readonly PlannedSite[],
  desired: Desired,
  checks: RunChecks,
  { ignoreWindows, ...live }: LiveContext,
  { tool, now }: Pick<RunContext, 'tool' | 'now'>
): Promise<Omit<PlanResult, 'liveById'>> {
  const byAddress = changesOf(planned)
  const checked = checks.result(planned, placesInChanges(byAddress, desired.placesOf))
  const { findings: lintFindings, ...lint } = checked
  const changes = placedChanges(byAddress, desired)
  const isSinceBase = desired.sites.some(({ sinceBase }) => sinceBase !== undefined)
  const overridden = isSinceBase
    ? (await import('../core/plan/not-following.ts')).notFollowing(desired)
    : []
  const times = await planTimes(changes, desired, compact({ ignoreWindows }), now)
  const plan = assemble(planned, {
    ...{ ...desired, ...live, tool, created: formatTimestamp(now()) },
    ...{ findings: [...desired.findings, ...overridden], lintFindings, changes, times }
  })
  const changed = planned
    .flatMap(({ wlanPlans }) => wlanPlans)
    .filter(wlanPlan => wlanPlan.status === 'changed')
  return { plan, planned, changes: changed, groups: groupsOfSites(desired.sites), lint }
}
