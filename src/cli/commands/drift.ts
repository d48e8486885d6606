import type { Command } from 'commander'
import { matchSite, undeclaredWlans } from '../../core/diff/match.ts'
import type { Desired, DesiredSite } from '../../core/model/desired.ts'
import { type ExitCode, exit, worst } from '../../core/model/failure.ts'
import { type Finding, finding, isCaused, withDriftFindings } from '../../core/model/finding.ts'
import type { EarlierState } from '../../core/model/live.ts'
import type { Plan, Unwatched } from '../../core/model/plan.ts'
import { isInShard } from '../../core/model/shard.ts'
import { digestOf } from '../../core/plan/digest.ts'
import { withDangers } from '../../core/plan/effects/effects.ts'
import { driftExit } from '../../core/plan/exit-codes.ts'
import { planSite } from '../../core/plan/plan.ts'
import { unwatchedParts, unwatchedRefusal } from '../../core/plan/undeclared/undeclared.ts'
import { compareUndeclared, openUnmanaged } from '../../core/plan/undeclared/undeclared-drift.ts'
import { sortBy } from '../../core/values/collections.ts'
import {
  datePlan,
  type Evidence,
  type EvidenceContext,
  earlierSite,
  evidenceOf
} from '../../files/earlier-run.ts'
import { planForm } from '../../files/saved-plan.ts'
import { refuseOtherOrganization, snapshotForm } from '../../files/snapshot.ts'
import type { NextStep } from '../../report/report.ts'
import { makePlan } from '../../run/make-plan.ts'
import type { Reader } from '../../service/client.ts'
import { ApiError } from '../../service/http/error.ts'
import { withReader } from '../connect.ts'
import type { Context } from '../context.ts'
import { loadDesired } from '../load-desired.ts'
import { repeatable } from '../option-values.ts'
import {
  addExample,
  addFleetArgument,
  addGroup,
  addOptions,
  groups,
  type PlanningOptions
} from '../options.ts'
import { writeReport } from '../output.ts'
import { runContext } from '../run-context.ts'
import { secretSourceOf } from '../secret-source.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection, stepWhenUnread } from '../terminal/next-steps.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options extends PlanningOptions {
  readonly since: readonly string[]
}

export function define(command: Command, { io, ends }: Context): void {
  addOptions(addFleetArgument(command), 'planning', 'at')
  addGroup(
    command,
    groups.output,
    repeatable(
      '--since <file>',
      'an earlier report (JSON) or snapshot, to date the drift; repeatable, for sites that the newest did not read'
    )
  ).action(ends((fleet: string, options: Options) => drift(fleet, { ...options, fleet }, io)))
  addExample(command, 'wlanctl drift examples/quickstart')
}

/** Compares the live state with the declaration; exit code 2 for a difference. */
async function drift(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const desired = await loadDesired(fleet, options, io, secretSourceOf(options, io))
  const run = runContext(options, io)
  return withReader(options, io, desired, async reader => {
    // Read before anything is written, because the report may go to the same file.
    const context = { desired, baseUrl: reader.baseUrl, tool: run.tool }
    const evidence = await evidenceIn(options.since, context, io)
    const newestFirst = sortBy(evidence, ({ created }) => created).reverse()
    const found: Finding[] = []
    const unwatched: Unwatched[] = []
    const planner: typeof planSite = (site, live, matches = matchSite(site, live)) => {
      const before = stateIn(newestFirst, site)
      if (before !== undefined) refuseOtherOrganization('the state of --since', before.live, live)
      const undeclared = compareUndeclared(site, live, desired.policy, before, matches)
      found.push(...undeclared.findings)
      unwatched.push(...undeclared.unwatched)
      if (desired.policy.unmanaged !== 'ignore')
        found.push(...openUnmanaged(site, undeclaredWlans(matches, live)))
      return withDangers(planSite(site, live, matches))
    }
    const earlier = (site: DesiredSite) => earlierSite(newestFirst, site)
    const request = { ...options, planner, earlier, lint: 'all' } as const
    const result = await makePlan(desired, reader, request, run)
    const { verdicts, lint } = result
    found.push(...(await undeclaredSites(desired, reader, options)))
    const [first, ...others] = evidence
    const summary = { ...result.plan.summary, requests: reader.requests }
    const parts = unwatchedParts(sortBy(unwatched, ({ address }) => address))
    found.push(...unwatchedRefusal(unwatched, desired.policy))
    const known = asDrift({ ...withOwnRefusals(result.plan, desired), summary, ...parts }, found)
    const dated = first === undefined ? known : datePlan(known, first, ...others)
    const next = stepsAfter(dated, options)
    await writeReport({ kind: 'drift', plan: dated, verdicts, ...lint }, options, io, { next })
    await printRequestSummary(summary, options, io, reader)
    await printNextSteps(next, options, io)
    const isComplete = found.every(({ code }) => code !== 'ORG_NOT_READ')
    return worst(driftExit(dated, lint.secretFindings), isComplete ? exit.done : exit.incomplete)
  })
}

function stepsAfter(plan: Plan, options: Options): NextStep[] {
  const { changes, findings } = plan
  const unread = stepWhenUnread(plan.summary, options)
  if (unread !== undefined) return [unread]
  if (options.at !== undefined) {
    return changes.length === 0
      ? []
      : [[sameSelection('drift', options), 'compares with what the files declare for now']]
  }
  const steps: NextStep[] = []
  if (changes.length > 0) {
    const putBack: NextStep =
      plan.refusals === undefined
        ? [sameSelection('apply', options), 'puts the declared values back']
        : [sameSelection('plan', options), 'shows what `apply` refuses, and how to allow it']
    steps.push(putBack, [
      sameSelection('adopt', options),
      'writes the live values into the files instead'
    ])
  }
  if (findings.some(({ code }) => code === 'UNDECLARED_CHANGED')) {
    const adopt = sameSelection('adopt', options, '--undeclared')
    steps.push([adopt, 'declares the fields that changed unwatched'])
  }
  return steps
}

/** One finding for all undeclared sites of `policy.org`; none for selected sites. A shard reports its part. */
async function undeclaredSites(
  { policy: { org }, declaredIds }: Desired,
  reader: Reader,
  { site, wlan, changedSince, shard }: Options
): Promise<readonly Finding[]> {
  const isSelected = site.length + wlan.length > 0 || changedSince !== undefined
  if (org === undefined || isSelected) return []
  try {
    const sites = await reader.listSites(org)
    return sites.flatMap(({ id, name }) =>
      declaredIds?.has(id.toLowerCase()) || (shard && !isInShard(id, shard))
        ? []
        : finding('SITE_NOT_DECLARED', { address: name || id }, id)
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.kind === 'aborted') throw error
    return [finding('ORG_NOT_READ', {}, error.message)]
  }
}

/** The plan without refusals for errors of unmanaged WLANs, which `apply` leaves alone. */
function withOwnRefusals(plan: Plan, { policy }: Desired): Plan {
  const { refusals = [], ...others } = plan
  const isStrict = policy.lint?.strict === true
  const own = refusals.filter(found => isStrict || isCaused(found))
  return own.length > 0 ? { ...plan, refusals: own } : others
}

/** The drift report of a plan, dangerous findings first. Sites may be read in any order. */
function asDrift({ format, tool, digest: _, ...plan }: Plan, found: readonly Finding[]): Plan {
  const findings = withDriftFindings(plan.findings, found)
  const drift = { format, tool, command: 'drift', ...plan, findings } as const
  return { ...drift, digest: digestOf(drift) }
}

async function evidenceIn(
  files: readonly string[],
  context: EvidenceContext,
  io: Io
): Promise<readonly Evidence[]> {
  const { readSavedOrState } = await import('../files/states.ts')
  const evidence: Evidence[] = []
  for (const file of files) {
    const saved = await readSavedOrState(file, io, planForm, snapshotForm)
    evidence.push(evidenceOf(saved, file, context))
  }
  return evidence
}

/** The state of a site in the first snapshot of the evidence that has it. */
function stateIn(evidence: readonly Evidence[], site: DesiredSite): EarlierState | undefined {
  for (const { stateOf, created } of evidence) {
    const live = stateOf(site)
    if (live !== undefined) return { live, created }
  }
  return undefined
}
