import { resolve } from 'node:path'
import type { Reader } from '../api/client.ts'
import { readSites } from '../api/sites.ts'
import type { PlannedChange } from '../apply/change.ts'
import { loadFleet } from '../config/load.ts'
import type { Desired } from '../model/desired.ts'
import { type ExitCode, exit, Failure, worst } from '../model/failure.ts'
import { isError } from '../model/finding.ts'
import { count } from '../model/identity.ts'
import type { Plan } from '../model/plan.ts'
import { assemble, planSite, planUnread } from '../plan/plan.ts'
import { secretSource } from '../secrets/source.ts'
import type { Io } from './io.ts'
import type { FleetOptions, ReportOptions, SecretOptions, ServiceOptions } from './options.ts'
import { tell, tellAside } from './output.ts'
import { startProgress } from './progress.ts'
import { tool } from './version.ts'

/**
 * YAML → desired. If anything is wrong with the files, all of it is told and the run ends (exit 3):
 * nothing is planned on half a fleet.
 */
export async function desire(
  fleet: string,
  options: FleetOptions & SecretOptions & ReportOptions,
  io: Io
): Promise<Desired> {
  const { desired, findings } = loadFleet({
    directory: fleet,
    cwd: io.cwd,
    sites: options.site,
    wlans: options.wlan,
    secrets: secretSource({
      env: io.env,
      prefix: options.secretPrefix,
      directory: options.secretsDir && resolve(io.cwd, options.secretsDir)
    })
  })
  if (desired !== undefined) return desired
  const report = { kind: 'findings', findings } as const
  if (options.format === 'text') await tellAside(report, options, io)
  else await tell(report, options, io)
  const errors = findings.filter(isError).length
  throw new Failure(exit.wrongInput, `${count(errors, 'error')} in the files; nothing was sent`)
}

/** A plan, and its changes with what they were derived from. */
export interface Derived {
  readonly plan: Plan
  readonly changes: readonly PlannedChange[]
}

/** Desired → live → plan: one list request for each site, each planned as soon as it is read. */
export async function derive(
  desired: Desired,
  reader: Reader,
  options: ServiceOptions & ReportOptions,
  io: Io
): Promise<Derived> {
  const progress = startProgress('reading sites', desired.sites.length, options, io)
  const planned = await readSites(reader, desired.sites, options.parallelism, (site, live) => {
    if (!('wlans' in live)) {
      progress.step(`${site.name}: not read`)
      return planUnread(site, live)
    }
    progress.step(`${site.name}: ${count(live.wlans.length, 'WLAN')} read`)
    return planSite(site, live)
  }).finally(progress.end)
  const plan = assemble(planned, {
    tool: tool.name,
    created: io
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
    baseUrl: reader.baseUrl,
    policy: desired.policy,
    findings: desired.findings,
    requests: reader.requests
  })
  const changes = planned
    .flatMap(({ verdicts }) => verdicts)
    .filter(verdict => verdict.status === 'changed')
  return { plan, changes }
}

/** The exit code that a plan stands for; `changes` is what it means that there are any. */
export function planExit(plan: Plan, changes: ExitCode): ExitCode {
  const { changed, blocked, sites_failed } = plan.summary
  return worst(
    exit.done,
    changed > 0 ? changes : exit.done,
    blocked > 0 || sites_failed > 0 ? exit.incomplete : exit.done,
    plan.findings.some(({ code }) => code === 'UNMANAGED') ? exit.refused : exit.done
  )
}
