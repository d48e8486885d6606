import { resolve } from 'node:path'
import type { Reader } from '../api/client.ts'
import { readSites } from '../api/sites.ts'
import type { Io } from '../cli/io.ts'
import type { FleetOptions, ReportOptions, SecretFlags, ServiceOptions } from '../cli/options.ts'
import { writeReport, writeReportToStderr } from '../cli/output.ts'
import { startProgress } from '../cli/progress.ts'
import { printEstimate } from '../cli/request-summary.ts'
import { tool } from '../cli/version.ts'
import type { Ahead } from '../config/ahead.ts'
import { noRules, type RuleSet } from '../config/rules/rule-set.ts'
import type { Desired, DesiredSite } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { isError, isPolicyRefusal } from '../model/finding.ts'
import type { LiveWlan } from '../model/live.ts'
import type { Plan, PlannedChange, WlanPlan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { assemble, type PlanContext, type PlannedSite, planSite, planUnread } from '../plan/plan.ts'
import { type SecretSource, secretSource } from '../secrets/source.ts'
import { loadSelected } from './load-desired.ts'

/**
 * YAML → desired. If anything is wrong with the files, all of it is told and the run ends (exit 3):
 * nothing is planned on half a fleet.
 */
export async function loadDesired(
  fleet: string,
  options: FleetOptions & SecretFlags & ReportOptions,
  io: Io,
  secrets: SecretSource = secretSourceOf(options, io),
  ahead?: Ahead
): Promise<Desired> {
  const { desired } = await loadOrRefuse(fleet, options, io, secrets, ahead)
  return desired
}

/** The same, with the rules of its policy. */
export async function loadOrRefuse(
  fleet: string,
  options: FleetOptions & ReportOptions,
  io: Io,
  secrets: SecretSource,
  ahead?: Ahead
): Promise<{ readonly desired: Desired; readonly rules: RuleSet }> {
  const {
    desired,
    rules = noRules,
    findings
  } = await loadSelected(fleet, options, secrets, io, ahead)
  if (desired !== undefined) return { desired, rules }
  const report = { kind: 'findings', findings } as const
  if (options.format === 'text') await writeReportToStderr(report, options, io)
  else await writeReport(report, options, io)
  const errors = findings.filter(found => isError(found) && !isPolicyRefusal(found)).length
  throw new Failure(exit.wrongInput, `${plural(errors, 'error')}; nothing was sent`)
}

/** Where the secrets of a run come from. */
export function secretSourceOf(
  { secretPrefix, secretsDir }: SecretFlags,
  { env, cwd }: Io
): SecretSource {
  const directory = secretsDir && resolve(cwd, secretsDir)
  return secretSource({ env, prefix: secretPrefix, directory })
}

/** A plan, and its changes with what they were derived from. */
export interface PlanResult {
  readonly plan: Plan
  /** One for each declared WLAN. */
  readonly verdicts: readonly WlanPlan[]
  readonly changes: readonly PlannedChange[]
  /** The live WLANs that were to be kept, by id in lower case. */
  readonly liveById: ReadonlyMap<string, LiveWlan>
}

/**
 * Desired → live → plan: one list request for each site, each planned as soon as it is read. Of the
 * live WLANs only those to `keep` (ids in lower case) and those to change stay in memory.
 */
export async function makePlan(
  desired: Desired,
  reader: Reader,
  options: ServiceOptions & ReportOptions,
  io: Io,
  keep: ReadonlySet<string> = new Set(),
  planner: typeof planSite = planSite
): Promise<PlanResult> {
  const kept = new Map<string, LiveWlan>()
  await printEstimate(desired.sites.length, options, io)
  const progress = startProgress(
    { doing: 'reading sites', total: desired.sites.length, reader, answered: () => reader.listed },
    options,
    io
  )
  const planned = await readSites(
    reader,
    knownFirst(desired.sites),
    options.parallelism,
    (site, live) => {
      if (!('wlans' in live)) {
        progress.step(`${site.name}: not read`)
        return planUnread(site, live)
      }
      for (const wlan of live.wlans) {
        const id = wlan.id.toLowerCase()
        if (keep.has(id)) kept.set(id, wlan)
      }
      const planned = planner(site, live)
      const changes = planned.verdicts.filter(({ status }) => status === 'changed').length
      progress.step(`${site.name}: ${plural(live.wlans.length, 'WLAN')} read`, {
        'to change': changes
      })
      return planned
    }
  ).finally(progress.end)
  const { baseUrl, requests } = reader
  return { ...assemblePlan(planned, desired, { baseUrl, requests }, io), liveById: kept }
}

/** A rate limit or an interrupt hits the sites first that nobody has reviewed before. */
function knownFirst(sites: readonly DesiredSite[]): readonly DesiredSite[] {
  const fresh = sites.filter(({ isNew }) => isNew)
  return fresh.length === 0 ? sites : [...sites.filter(({ isNew }) => !isNew), ...fresh]
}

/** Puts the planned sites together, with what the run is. */
export function assemblePlan(
  planned: readonly PlannedSite[],
  { policy, rollout, findings, part }: Desired,
  live: Pick<PlanContext, 'baseUrl' | 'requests' | 'against'>,
  io: Io
): Omit<PlanResult, 'liveById'> {
  const created = secondsOf(io.now())
  const made = { tool: tool.name, created, ...(part && { part }) }
  const plan = assemble(planned, { ...made, policy, rollout, findings, ...live })
  const verdicts = planned.flatMap(site => site.verdicts)
  const changes = verdicts.filter(verdict => verdict.status === 'changed')
  return { plan, verdicts, changes }
}

/** A time as files of ours have it: UTC, to the second. */
export function secondsOf(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}
