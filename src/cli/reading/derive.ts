import { resolve } from 'node:path'
import type { Reader } from '../../api/client.ts'
import { readSites } from '../../api/sites.ts'
import type { Ahead } from '../../config/ahead.ts'
import { noRules, type Rulebook } from '../../config/rules/book.ts'
import type { Desired, DesiredSite } from '../../model/desired.ts'
import { exit, Failure } from '../../model/failure.ts'
import { isError, isRefusal } from '../../model/finding.ts'
import { count } from '../../model/identity.ts'
import type { LiveWlan } from '../../model/live.ts'
import type { Plan, PlannedChange, Verdict } from '../../model/plan.ts'
import {
  assemble,
  type PlanContext,
  type PlannedSite,
  planSite,
  planUnread
} from '../../plan/plan.ts'
import { type SecretSource, secretSource } from '../../secrets/source.ts'
import type { Io } from '../io.ts'
import { tellEstimate } from '../telling/calls.ts'
import { tell, tellAside } from '../telling/output.ts'
import { startProgress } from '../telling/progress.ts'
import { tool } from '../version.ts'
import type {
  FleetOptions,
  ReportOptions,
  SecretOptions,
  ServiceOptions
} from '../words/options.ts'
import { loadSelected } from './fleet.ts'

/**
 * YAML → desired. If anything is wrong with the files, all of it is told and the run ends (exit 3):
 * nothing is planned on half a fleet.
 */
export async function desire(
  fleet: string,
  options: FleetOptions & SecretOptions & ReportOptions,
  io: Io,
  secrets: SecretSource = sourceOf(options, io),
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
): Promise<{ readonly desired: Desired; readonly rules: Rulebook }> {
  const {
    desired,
    rules = noRules,
    findings
  } = await loadSelected(fleet, options, secrets, io, ahead)
  if (desired !== undefined) return { desired, rules }
  const report = { kind: 'findings', findings } as const
  if (options.format === 'text') await tellAside(report, options, io)
  else await tell(report, options, io)
  const errors = findings.filter(found => isError(found) && !isRefusal(found)).length
  throw new Failure(exit.wrongInput, `${count(errors, 'error')}; nothing was sent`)
}

/** Where the secrets of a run come from. */
export function sourceOf(
  { secretPrefix, secretsDir }: SecretOptions,
  { env, cwd }: Io
): SecretSource {
  const directory = secretsDir && resolve(cwd, secretsDir)
  return secretSource({ env, prefix: secretPrefix, directory })
}

/** A plan, and its changes with what they were derived from. */
export interface Derived {
  readonly plan: Plan
  /** One for each declared WLAN. */
  readonly verdicts: readonly Verdict[]
  readonly changes: readonly PlannedChange[]
  /** The live WLANs that were to be kept, by id in lower case. */
  readonly kept: ReadonlyMap<string, LiveWlan>
}

/**
 * Desired → live → plan: one list request for each site, each planned as soon as it is read. Of the
 * live WLANs only those to `keep` (ids in lower case) and those to change stay in memory.
 */
export async function derive(
  desired: Desired,
  reader: Reader,
  options: ServiceOptions & ReportOptions,
  io: Io,
  keep: ReadonlySet<string> = new Set(),
  planner: typeof planSite = planSite
): Promise<Derived> {
  const kept = new Map<string, LiveWlan>()
  await tellEstimate(desired.sites.length, options, io)
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
      progress.step(`${site.name}: ${count(live.wlans.length, 'WLAN')} read`, {
        'to change': changes
      })
      return planned
    }
  ).finally(progress.end)
  const { baseUrl, requests } = reader
  return { ...derived(planned, desired, { baseUrl, requests }, io), kept }
}

/** A rate limit or an interrupt hits the sites first that nobody has reviewed before. */
function knownFirst(sites: readonly DesiredSite[]): readonly DesiredSite[] {
  const fresh = sites.filter(({ isNew }) => isNew)
  return fresh.length === 0 ? sites : [...sites.filter(({ isNew }) => !isNew), ...fresh]
}

/** Puts the planned sites together, with what the run is. */
export function derived(
  planned: readonly PlannedSite[],
  { policy, rollout, findings, part }: Desired,
  live: Pick<PlanContext, 'baseUrl' | 'requests' | 'against'>,
  io: Io
): Omit<Derived, 'kept'> {
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
