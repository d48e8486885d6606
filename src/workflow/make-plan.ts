import { type Reader, readSites } from '../api/client.ts'
import type { Desired, DesiredSite } from '../model/desired.ts'
import { type ExitCode, exit, worst } from '../model/failure.ts'
import { type Finding, isPolicyRefusal } from '../model/finding.ts'
import type { LiveWlan } from '../model/live.ts'
import type { Plan, PlannedChange, WlanPlan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { assemble, type PlanContext, type PlannedSite, planSite, planUnread } from '../plan/plan.ts'
import type { WorkflowHost } from './host.ts'
import { type LintResult, RunLinter } from './lint.ts'

/** A plan, and its changes with the state they were derived from. */
export interface PlanResult {
  readonly plan: Plan
  /** One for each declared WLAN. */
  readonly verdicts: readonly WlanPlan[]
  readonly changes: readonly PlannedChange[]
  /** The live WLANs of `PlanRequest.keep`, by id in lower case. */
  readonly liveById: ReadonlyMap<string, LiveWlan>
  /** For the report: what the linter found and a plan, which may be saved, must not hold. */
  readonly lint: Pick<LintResult, 'secretFindings' | 'lintLevel'>
}

/** How to make a plan. */
export interface PlanRequest {
  /** Sites read at the same time. */
  readonly parallelism: number
  /** Live WLANs to return, by id in lower case; default: none. */
  readonly keep?: ReadonlySet<string>
  readonly planner?: typeof planSite
  /** False for a plan that restores an earlier state, whatever it was. Default: true. */
  readonly lint?: boolean
}

/**
 * Desired → live → plan: one list request for each site, each planned as soon as it is read. Only the
 * live WLANs to `keep` and those to change stay in memory.
 */
export async function makePlan(
  desired: Desired,
  reader: Reader,
  { parallelism, keep = new Set(), planner = planSite, lint = true }: PlanRequest,
  host: WorkflowHost
): Promise<PlanResult> {
  const liveById = new Map<string, LiveWlan>()
  const linter = new RunLinter(desired)
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
    if (lint) linter.addPlanned(site, live, result)
    const changes = result.wlanPlans.filter(({ status }) => status === 'changed').length
    progress.step(`${site.name}: ${plural(live.wlans.length, 'WLAN')} read`, {
      'to change': changes
    })
    return result
  }).finally(progress.end)
  const { baseUrl, requests } = reader
  return { ...assemblePlan(planned, desired, linter, { baseUrl, requests }, host), liveById }
}

/** Desired → snapshot → plan: no network and no token. Throws a `Failure` (exit 3). */
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
  const linter = new RunLinter(desired)
  const planned = desired.sites.map(site => {
    const live = read(site)
    if (!('wlans' in live)) return planUnread(site, live)
    const result = planSite(site, live)
    linter.addPlanned(site, live, result)
    return result
  })
  const against = { created, digest }
  return assemblePlan(planned, desired, linter, { baseUrl, requests: 0, against }, host)
}

/** The exit code of a plan; `changes` is the exit code for a plan with changes. */
export function planExit(
  plan: Pick<Plan, 'summary' | 'findings'>,
  changes: ExitCode,
  secretFindings: readonly Finding[] = []
): ExitCode {
  const { changed, blocked, sites_failed } = plan.summary
  return worst(
    exit.done,
    changed > 0 ? changes : exit.done,
    blocked > 0 || sites_failed > 0 ? exit.incomplete : exit.done,
    [...plan.findings, ...secretFindings].some(isPolicyRefusal) ? exit.refused : exit.done
  )
}

/** UTC to the second, as in all saved files. */
export function formatSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Reads new sites last, since a rate limit or an interrupt loses the last ones: reviewed sites matter more. */
function knownFirst(sites: readonly DesiredSite[]): readonly DesiredSite[] {
  const added = sites.filter(({ isNew }) => isNew)
  return added.length === 0 ? sites : [...sites.filter(({ isNew }) => !isNew), ...added]
}

function assemblePlan(
  planned: readonly PlannedSite[],
  { policy, rollout, findings, part }: Desired,
  linter: RunLinter,
  live: Pick<PlanContext, 'baseUrl' | 'requests' | 'against'>,
  { tool, now }: WorkflowHost
): Omit<PlanResult, 'liveById'> {
  const { findings: lintFindings, ...lint } = linter.result()
  const context = { tool, created: formatSeconds(now()), ...(part && { part }) }
  const plan = assemble(planned, { ...context, policy, rollout, findings, lintFindings, ...live })
  const verdicts = planned.flatMap(site => site.wlanPlans)
  const changes = verdicts.filter(verdict => verdict.status === 'changed')
  return { plan, verdicts, changes, lint }
}
