import { type Reader, readSites } from '../api/client.ts'
import { Waivers } from '../config/waivers.ts'
import type { Calendar, DeferralCheck, UpcomingEvent } from '../model/calendar.ts'
import { compact, sortBy } from '../model/collections.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  ValueOrigins,
  ValuePlaces,
  ValueSource,
  Waiver
} from '../model/desired.ts'
import { type ExitCode, exit, worst } from '../model/failure.ts'
import { type Finding, isError, isPolicyRefusal } from '../model/finding.ts'
import type { LiveWlan } from '../model/live.ts'
import {
  type Change,
  MAX_PLACED,
  MAX_TRACED,
  type Plan,
  type PlannedChange,
  timedParts,
  type WlanPlan
} from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { plural } from '../model/text.ts'
import { formatTimestamp } from '../model/time.ts'
import { type Allowances, downgradeCheck } from '../plan/limits.ts'
import { assemble, type PlanContext, type PlannedSite, planSite, planUnread } from '../plan/plan.ts'
import { changedField } from '../plan/relations.ts'
import type { WorkflowHost } from './host.ts'
import type { LintResult, LintScope, RelationContext, RunLinter } from './lint.ts'
import type { RelationPlaces } from './relations.ts'
import type { RuleEvaluator } from './rules.ts'

/** A plan, its changes, and the live state that they are based on. */
export interface PlanResult {
  readonly plan: Plan
  /** One for each declared WLAN. */
  readonly verdicts: readonly WlanPlan[]
  readonly changes: readonly PlannedChange[]
  /** The live WLANs of `PlanRequest.keep`, by id in lower case. */
  readonly liveById: ReadonlyMap<string, LiveWlan>
  /** For the report: findings of the linter that a saved plan must not contain. */
  readonly lint: Partial<Pick<LintResult, 'secretFindings' | 'lintLevel'>>
}

/** The options for `makePlan`. */
export interface PlanRequest {
  /** The number of sites that are read at the same time. */
  readonly parallelism: number
  /** The ids of live WLANs to return, in lower case; default: none. */
  readonly keep?: ReadonlySet<string>
  readonly planner?: typeof planSite
  /**
   * The sites to lint; false for a plan that restores an earlier state without judging it. Default:
   * `changed`.
   */
  readonly lint?: LintScope | false
  /** The limits of the command line, for the refusals in the plan. */
  readonly allowances?: Allowances
  /** The number of WLANs that the percentages of refusals refer to; default: the number in the plan. */
  readonly declared?: number
  /** Plans changes outside of their windows and during a freeze: no change is deferred. */
  readonly ignoreWindows?: true
}

/**
 * Plans a fleet against the live state: one list request for each site, and each site is planned as soon as
 * it is read. Only the changed WLANs and those to `keep` stay in memory.
 */
export async function makePlan(
  desired: Desired,
  reader: Reader,
  { parallelism, keep = new Set(), planner = planSite, lint = 'changed', ...limits }: PlanRequest,
  host: WorkflowHost
): Promise<PlanResult> {
  const liveById = new Map<string, LiveWlan>()
  const checks = lint === false ? {} : await checksOf(desired, lint, limits.allowances)
  const total = desired.sites.length
  await host.printEstimate(total)
  const answered = () => reader.listed
  const progress = host.startProgress({ doing: 'reading sites', total, reader, answered })
  const planned = await readSites(reader, knownFirst(desired.sites), parallelism, (site, live) => {
    if (!('wlans' in live)) {
      progress.step(`${site.name}: not read`)
      return planUnread(site, live)
    }
    for (const wlan of live.wlans) {
      const id = wlan.id.toLowerCase()
      if (keep.has(id)) liveById.set(id, wlan)
    }
    const result = planner(site, live)
    checks.linter?.addPlanned(site, live, result)
    checks.evaluator?.addPlanned(site, live, result)
    const changes = result.wlanPlans.filter(({ status }) => status === 'changed').length
    progress.step(`${site.name}: ${plural(live.wlans.length, 'WLAN')} read`, {
      'to change': changes
    })
    return result
  }).finally(progress.end)
  const { baseUrl, requests } = reader
  const { allowances, declared } = limits
  const context = { baseUrl, requests, ...compact({ allowances, declared }) }
  const made = await assemblePlan(planned, desired, checks, context, host)
  const plan = await withTimes(made.plan, desired, limits, host)
  return { ...made, plan, liveById }
}

/** Plans a fleet against a snapshot, without network and token. Throws a `Failure` (exit 3). */
export async function makePlanAgainst(
  file: string,
  loadDesired: () => Promise<Desired>,
  host: WorkflowHost
): Promise<Omit<PlanResult, 'liveById'>> {
  const { intactSnapshot, sitesIn, snapshotForm } = await import('../plan/snapshot.ts')
  const snapshot = intactSnapshot((await host.readSaved(file, snapshotForm)).value, file)
  const desired = await loadDesired()
  const { created, digest, base_url: baseUrl } = snapshot
  const read = sitesIn(snapshot)
  const checks = await checksOf(desired, 'changed')
  const planned = desired.sites.map(site => {
    const live = read(site)
    if (!('wlans' in live)) return planUnread(site, live)
    const result = planSite(site, live)
    checks.linter?.addPlanned(site, live, result)
    checks.evaluator?.addPlanned(site, live, result)
    return result
  })
  const against = { created, digest }
  const made = await assemblePlan(planned, desired, checks, { baseUrl, requests: 0, against }, host)
  return { ...made, plan: await withTimes(made.plan, desired, {}, host) }
}

/** The check of changes against the windows and freezes of a fleet; undefined if it declares none. */
export async function deferralOf(
  calendar: Calendar | undefined,
  { ignoreWindows }: Pick<PlanRequest, 'ignoreWindows'>,
  now: () => Date
): Promise<DeferralCheck | undefined> {
  if (calendar === undefined || ignoreWindows) return undefined
  const { deferralCheck } = await import('../time/calendar.ts')
  return deferralCheck(calendar, now)
}

/** Adds the deferred changes to the plan, and the periods of the next days. */
async function withTimes(
  plan: Plan,
  { at, calendar, sites }: Desired,
  options: Pick<PlanRequest, 'ignoreWindows'>,
  { now }: WorkflowHost
): Promise<Plan> {
  const time = at === undefined ? now() : new Date(at)
  const check = await deferralOf(calendar, options, () => time)
  const deferred = check ? plan.changes.flatMap(change => check(change) ?? []) : []
  return {
    ...plan,
    ...timedParts(at, deferred, await upcomingAt(sites, calendar, time, options))
  }
}

async function upcomingAt(
  sites: readonly DesiredSite[],
  calendar: Calendar | undefined,
  time: Date,
  options: Pick<PlanRequest, 'ignoreWindows'>
): Promise<UpcomingEvent[]> {
  const wlans = sites.flatMap(site =>
    site.wlans.filter(({ periods, excluded }) => periods !== undefined && !excluded)
  )
  if (wlans.length === 0 && calendar === undefined) return []
  const { upcomingEvents } = await import('../time/calendar.ts')
  return upcomingEvents(wlans, calendar, time.getTime(), options)
}

/** The exit code of a plan; `changes` is the exit code of a plan with changes. */
export function planExit(
  plan: Pick<Plan, 'summary' | 'findings'>,
  changes: ExitCode,
  secretFindings: readonly Finding[] = []
): ExitCode {
  const { changed, blocked, sites_failed } = plan.summary
  return worst(
    exit.done,
    changed > 0 || plan.findings.some(({ code }) => code === 'UNWATCHED_CHANGED')
      ? changes
      : exit.done,
    blocked > 0 || sites_failed > 0 ? exit.incomplete : exit.done,
    plan.findings.some(({ code }) => code === 'SECRET_NOT_RESTORED') ? exit.incomplete : exit.done,
    [...plan.findings, ...secretFindings].some(isPolicyRefusal) ? exit.refused : exit.done
  )
}

/**
 * The exit code of `plan --detailed-exitcode`: if `apply` would refuse the plan, the exit code of `apply`.
 */
export function detailedExit(
  plan: Pick<Plan, 'summary' | 'findings' | 'refusals'>,
  secretFindings: readonly Finding[] = []
): ExitCode {
  const isRefused = plan.refusals?.some(isError) ?? false
  return worst(planExit(plan, exit.changes, secretFindings), isRefused ? exit.refused : exit.done)
}

/**
 * Moves new sites to the end: a rate limit or an interrupt loses the last sites, and reviewed sites matter
 * more.
 */
function knownFirst(sites: readonly DesiredSite[]): readonly DesiredSite[] {
  const added = sites.filter(({ isNew }) => isNew)
  return added.length === 0 ? sites : [...sites.filter(({ isNew }) => !isNew), ...added]
}

async function assemblePlan(
  planned: readonly PlannedSite[],
  { policy, rollout, findings, part, placesOf, originsOf, isWhole }: Desired,
  checks: RunChecks,
  live: Omit<PlanContext, 'tool' | 'created' | 'part' | keyof Desired>,
  { tool, now }: WorkflowHost
): Promise<Omit<PlanResult, 'liveById'>> {
  const {
    findings: lintFindings,
    relations,
    ...lint
  } = findingsOf(checks, isWhole === true && planned.every(isPlannedWhole), {
    placeOf: placesInChanges(planned, placesOf),
    isIncomplete: planned.some(({ unread }) => unread !== undefined)
  })
  const context = { tool, created: formatTimestamp(now()), ...(part && { part }) }
  const checked = { findings, lintFindings, ...compact({ relations }) }
  const plan = assemble(planned, { ...context, policy, rollout, ...checked, ...live })
  const verdicts = planned.flatMap(site => site.wlanPlans)
  const changes = verdicts.filter(verdict => verdict.status === 'changed')
  const placed = placesOf ? withPlaces(plan, placesOf) : plan
  const traced = originsOf ? await withSources(placed, changes, originsOf) : placed
  return { plan: traced, verdicts, changes, lint }
}

/** The checks of the WLANs of a run; each is absent unless the fleet uses it. */
interface RunChecks {
  readonly linter?: RunLinter
  /** Evaluates the rules of the policy. */
  readonly evaluator?: RuleEvaluator
  readonly waivers?: Waivers
}

/** The checks of the run; a fleet that is not linted and has no `policy.rules` does not even load their code. */
async function checksOf(
  desired: Desired,
  scope: LintScope,
  allowances: Allowances = {}
): Promise<RunChecks> {
  const { policy, rules, waivers: declared } = desired
  if (policy.lint === undefined && rules === undefined) return {}
  const waivers = new Waivers(declared)
  const mayWeaken = downgradeCheck(policy, allowances)
  const linter =
    policy.lint &&
    new (await import('./lint.ts')).RunLinter(desired, policy.lint, scope, waivers, mayWeaken)
  const evaluator = rules && new (await import('./rules.ts')).RuleEvaluator(desired, rules, waivers)
  return { waivers, ...compact({ linter, evaluator }) }
}

/**
 * The findings of the checks. `isWhole`: they saw every WLAN, so that unused rules and waivers are findings,
 * too.
 */
function findingsOf(
  { linter, evaluator, waivers }: RunChecks,
  isWhole: boolean,
  context: RelationContext
): Partial<LintResult> & { readonly findings: readonly Finding[] } {
  const { findings = [], ...lint } = linter?.result(context) ?? {}
  const ofRules = evaluator?.result(isWhole) ?? []
  const isEvaluated = (waiver: Waiver) =>
    isWhole && (waiver.ofPolicy ? evaluator !== undefined : linter?.hasLinted(waiver) === true)
  return { ...lint, findings: [...ofRules, ...findings, ...(waivers?.unused(isEvaluated) ?? [])] }
}

/** Finds the places of changes as they are in the plan; changes beyond the first `MAX_PLACED` have those of their WLANs. */
function placesInChanges(
  planned: readonly PlannedSite[],
  placesOf: ValuePlaces | undefined
): RelationPlaces {
  let changes: ReadonlyMap<string, PlannedChange & { readonly isPlaced: boolean }> | undefined
  return ({ site, wlan }, fields) => {
    changes ??= changesByAddress(planned)
    const found = changes.get(`${site}/${wlan}`)
    const path = found && changedField(found.change.patch, fields)
    if (found === undefined || path === undefined) return undefined
    const { desired, change, isPlaced } = found
    const places = isPlaced ? placesOf?.(change.site, desired.key, [path], 'cwd') : undefined
    return places?.[path] ?? desired.place
  }
}

function changesByAddress(planned: readonly PlannedSite[]) {
  const all = planned.flatMap(({ wlanPlans }) => wlanPlans)
  const changes = all.filter(wlanPlan => wlanPlan.status === 'changed')
  return new Map(
    sortBy(changes, ({ address }) => address).map((each, at) => [
      each.address,
      { ...each, isPlaced: at < MAX_PLACED }
    ])
  )
}

/** True if all WLANs of the site were found. */
function isPlannedWhole({ unread, wlanPlans }: PlannedSite): boolean {
  return unread === undefined && wlanPlans.every(({ status }) => status !== 'blocked')
}

/** Adds the places of the changed values to the plan. */
function withPlaces(plan: Plan, placesOf: ValuePlaces): Plan {
  const changes = plan.changes.map((change, at) => {
    if (at >= MAX_PLACED) return change
    const { address, site, patch } = change
    const pointers = patch.filter(({ op }) => op !== 'test').map(({ path }) => path)
    const places = placesOf(site, address.slice(site.name.length + 1), pointers)
    return Object.keys(places).length === 0 ? change : { ...change, places }
  })
  return { ...plan, changes }
}

/** Adds the declarations of the changed values to the plan. */
async function withSources(
  plan: Plan,
  planned: readonly PlannedChange[],
  originsOf: ValueOrigins
): Promise<Plan> {
  const desired = new Map(planned.map(each => [each.address, each.desired]))
  const changes = [...plan.changes]
  for (const [at, change] of changes.slice(0, MAX_TRACED).entries()) {
    const wlan = desired.get(change.address)
    const sources = wlan && (await sourcesOf(change, wlan, originsOf))
    if (sources && Object.keys(sources).length > 0) changes[at] = { ...change, sources }
  }
  return { ...plan, changes }
}

/** The declarations of the changed fields that are declared in more than one place. */
async function sourcesOf(
  { site, places = {} }: Change,
  wlan: DesiredWlan,
  originsOf: ValueOrigins
): Promise<Record<Pointer, readonly ValueSource[]>> {
  const sources: Record<Pointer, readonly ValueSource[]> = {}
  for (const pointer of Object.keys(places)) {
    const [origin, ...others] = await originsOf(site, wlan, pointer, 'fleet')
    if (others.length === 0 && origin && origin.sources.length > 1)
      sources[pointer] = origin.sources
  }
  return sources
}
