import { Option } from 'commander'
import { matchSite, undeclaredWlans } from '../../core/diff/match.ts'
import type { Desired, Site } from '../../core/model/desired.ts'
import { type ExitCode, exit, worst } from '../../core/model/failure.ts'
import { type Finding, finding, withDriftFindings } from '../../core/model/finding.ts'
import type { Plan, Unwatched } from '../../core/model/plan.ts'
import { isInShard } from '../../core/model/shard.ts'
import { digestOf } from '../../core/plan/digest.ts'
import { withDangers } from '../../core/plan/effects/effects.ts'
import { driftExit } from '../../core/plan/exit-codes.ts'
import { planSite } from '../../core/plan/plan.ts'
import { unwatchedParts, unwatchedRefusal } from '../../core/plan/undeclared/undeclared.ts'
import {
  compareUndeclared,
  type EarlierState,
  openUnmanaged
} from '../../core/plan/undeclared/undeclared-drift.ts'
import { append, compact, sortBy } from '../../core/values/collections.ts'
import { refuseOtherService } from '../../files/saved-file.ts'
import { refuseOtherOrganization, sitesIn } from '../../files/snapshot.ts'
import { undeclaredSteps } from '../../report/overview/headline.ts'
import type { NextStep } from '../../report/report.ts'
import { makePlan } from '../../run/make-plan.ts'
import type { Reader } from '../../service/client.ts'
import { ApiError } from '../../service/http/error.ts'
import type { CommandRow } from '../command.ts'
import { withReader } from '../connect.ts'
import { loadDesired } from '../load-desired.ts'
import { fleetArgument, groups, optionSets, type PlanningOptions, under } from '../options.ts'
import { writeReport } from '../output.ts'
import { runContext } from '../run-context.ts'
import { secretSourceOf } from '../secret-source.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection, stepWhenUnread } from '../terminal/next-steps.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options extends PlanningOptions {
  readonly since?: string
}

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.planning,
    under(
      groups.output,
      new Option(
        '--since <state>',
        'also compare the fields that no file declares with this snapshot: its file or its folder'
      )
    )
  ],
  examples: ['wlanctl drift examples/quickstart'],
  run: ({ io }, fleet: string, options: Options) => drift(fleet, { ...options, fleet }, io)
}

/** Compares the live state with the declaration; exit code 2 for a difference. */
async function drift(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const desired = await loadDesired(fleet, options, io, secretSourceOf(options, io))
  const run = runContext(options, io)
  return withReader(options, io, desired, async reader => {
    const earlierState = await earlierStates(options.since, reader, io)
    const found: Finding[] = []
    const unwatched: Unwatched[] = []
    const planner: typeof planSite = (site, live, matches = matchSite(site, live)) => {
      const before = earlierState(site)
      if (before !== undefined) refuseOtherOrganization('the state of --since', before.live, live)
      const undeclared = compareUndeclared(site, live, desired.policy, before, matches)
      append(found, undeclared.findings)
      append(unwatched, undeclared.unwatched)
      if (desired.policy.unmanaged !== 'ignore')
        append(found, openUnmanaged(site, undeclaredWlans(matches, live)))
      return withDangers(planSite(site, live, matches))
    }
    const request = { ...options, planner, lint: 'all' } as const
    const result = await makePlan(desired, reader, request, run)
    const { verdicts, lint } = result
    append(found, await undeclaredSites(desired, reader, options))
    const summary = { ...result.plan.summary, requests: reader.requests }
    const parts = unwatchedParts(sortBy(unwatched, ({ address }) => address))
    append(found, unwatchedRefusal(unwatched, desired.policy))
    const plan = asDrift({ ...withOwnRefusals(result.plan, desired), summary, ...parts }, found)
    const next = stepsAfter(plan, options)
    const report = { kind: 'drift', plan, verdicts, ...compact({ since: options.since }) } as const
    await writeReport({ ...report, ...lint }, options, io, { next })
    await printRequestSummary(summary, options, io, reader)
    await printNextSteps(next, options, io)
    const isComplete = found.every(({ code }) => code !== 'ORG_NOT_READ')
    return worst(driftExit(plan, lint.secretFindings), isComplete ? exit.done : exit.incomplete)
  })
}

function stepsAfter(plan: Plan, options: Options): NextStep[] {
  const { changes, findings } = plan
  const unread = stepWhenUnread(plan.summary, options)
  if (unread !== undefined) return [unread]
  const [undo, keep]: [NextStep[], NextStep[]] = [[], []]
  if (changes.length > 0) {
    undo.push(
      plan.refusals === undefined
        ? [sameSelection('apply', options), 'puts the declared values back']
        : [sameSelection('plan', options), 'shows what `apply` refuses, and how to allow it']
    )
    keep.push([sameSelection('adopt', options), 'writes the live values into the files instead'])
  }
  const undeclared = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED')
  if (undeclared.length > 0) {
    const command = (name: string, ...words: string[]) => sameSelection(name, options, ...words)
    const [first, second] = undeclaredSteps(command, options.since)
    undo.push(first)
    if (undeclared.some(each => !each.not_adoptable)) keep.push(second)
  }
  return [...undo, ...keep]
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
  const own = refusals.filter(({ existing }) => isStrict || !existing)
  return own.length > 0 ? { ...plan, refusals: own } : others
}

/** The drift report of a plan, dangerous findings first. Sites may be read in any order. */
function asDrift({ format, tool, digest: _, ...plan }: Plan, found: readonly Finding[]): Plan {
  const findings = withDriftFindings(plan.findings, found)
  const drift = { format, tool, command: 'drift', ...plan, findings } as const
  return { ...drift, digest: digestOf(drift) }
}

/** Returns a function for the state of a site in the snapshot of `--since`; undefined where it has none. */
async function earlierStates(
  since: string | undefined,
  { baseUrl }: Reader,
  io: Io
): Promise<(site: Site) => EarlierState | undefined> {
  if (since === undefined) return () => undefined
  const { readState } = await import('../files/states.ts')
  const snapshot = await readState(since, io)
  refuseOtherService(since, snapshot.base_url, baseUrl, 'give a snapshot of this service')
  const stateOf = sitesIn(snapshot)
  return site => {
    const live = stateOf(site)
    return 'wlans' in live ? { live, created: snapshot.created } : undefined
  }
}
