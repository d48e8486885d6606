import { matchSite, undeclaredWlans } from '../core/diff/match.ts'
import type { Desired } from '../core/model/desired.ts'
import { type Finding, finding, withDriftFindings } from '../core/model/finding.ts'
import type { Unwatched } from '../core/model/plan.ts'
import { isInShard, type Shard } from '../core/model/shard.ts'
import { withDigests } from '../core/plan/digest.ts'
import { planSite } from '../core/plan/plan.ts'
import { unwatchedParts, unwatchedRefusal } from '../core/plan/undeclared/undeclared.ts'
import { compareUndeclared, openUnmanaged } from '../core/plan/undeclared/undeclared-drift.ts'
import { append, sortBy } from '../core/values/collections.ts'
import { refuseOtherService } from '../files/saved-file.ts'
import { refuseOtherOrganization, type Snapshot, sitesIn } from '../files/snapshot.ts'
import type { Reader } from '../service/client.ts'
import { ApiError } from '../service/http/error.ts'
import type { RunContext } from './context.ts'
import { makePlan, type PlanRequest, type PlanResult } from './make-plan.ts'

export interface DriftRequest extends Pick<PlanRequest, 'parallelism'> {
  /** The state to compare the fields with that no file declares, by its name for messages. */
  readonly since?: { readonly name: string; readonly state: Snapshot } | undefined
  /** Compares the sites of `policy.org` with those of the fleet, or with those of this part of it. */
  readonly listsSites: boolean
  readonly shard?: Shard | undefined
}

/**
 * Compares the live state with the declaration: a plan with the dangers of the live WLANs, with what no file declares, and
 * with the findings about all that is live. Sends nothing.
 */
export async function makeDrift(
  desired: Desired,
  reader: Reader,
  { since, listsSites, shard, ...request }: DriftRequest,
  run: RunContext
): Promise<PlanResult> {
  const { policy } = desired
  if (since !== undefined) {
    const { name, state } = since
    refuseOtherService(name, state.base_url, reader.baseUrl, 'give a snapshot of this service')
  }
  const stateOf = since && sitesIn(since.state)
  const found: Finding[] = []
  const unwatched: Unwatched[] = []
  const planner: typeof planSite = (site, live, matches = matchSite(site, live)) => {
    const before = stateOf?.(site)
    const earlier =
      since && before && 'wlans' in before
        ? { live: before, created: since.state.created }
        : undefined
    if (earlier !== undefined) {
      refuseOtherOrganization('the state of --since', earlier.live, live)
    }
    const undeclared = compareUndeclared(site, live, policy, earlier, matches)
    append(found, undeclared.findings)
    append(unwatched, undeclared.unwatched)
    if (policy.unmanaged !== 'ignore')
      append(found, openUnmanaged(site, undeclaredWlans(matches, live)))
    return planSite(site, live, matches, { isDrift: true })
  }
  const result = await makePlan(desired, reader, { ...request, planner, lint: 'all' }, run)
  if (listsSites) append(found, await undeclaredSites(desired, reader, shard))
  append(found, unwatchedRefusal(unwatched, policy))
  const { format, tool, digest: _, refusals = [], ...plan } = result.plan
  // An apply leaves unmanaged WLANs alone, whatever is wrong with them.
  const own = refusals.filter(({ existing }) => policy.lint?.strict === true || !existing)
  const drift = {
    ...({ format, tool, command: 'drift', ...plan } as const),
    ...(own.length > 0 && { refusals: own }),
    summary: { ...plan.summary, requests: reader.requests },
    ...unwatchedParts(sortBy(unwatched, ({ address }) => address)),
    findings: withDriftFindings(plan.findings, found)
  }
  return { ...result, plan: withDigests(drift) }
}

/** One finding for each site of `policy.org` that no file declares; a shard reports its part. */
async function undeclaredSites(
  { policy: { org }, declaredIds }: Desired,
  reader: Reader,
  shard: Shard | undefined
): Promise<readonly Finding[]> {
  if (org === undefined) return []
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
