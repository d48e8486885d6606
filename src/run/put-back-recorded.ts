import type { Desired } from '../core/model/desired.ts'
import type { Outcome } from '../core/model/outcome.ts'
import { compact } from '../core/values/collections.ts'
import type { Writer } from '../service/client.ts'
import { approvePlan } from './approve.ts'
import type { RunContext } from './context.ts'
import { type ExecuteOptions, executePlan } from './execute-plan.ts'
import { makePlan, type PlanRequest } from './make-plan.ts'
import type { Progress } from './record/progress.ts'
import { planUndo, restoredSites, restoringPolicy, withLostSecrets } from './record/revert.ts'
import { undoOf } from './record/undo.ts'

/**
 * Puts back what earlier runs of a rollout changed: the last wave, or all of them. It follows the rules of `revert`, waits for
 * no window, and appends a run to the record. Returns the outcomes; a site that the run does not cover keeps its own, with the reason.
 */
export async function putBackRecorded(
  {
    progress,
    scope,
    why
  }: { readonly progress: Progress; readonly scope: 'wave' | 'all'; readonly why: string },
  { policy, sites: covered }: Pick<Desired, 'policy' | 'sites'>,
  writer: Writer,
  options: ExecuteOptions,
  run: RunContext
): Promise<readonly Outcome[]> {
  const changes = progress.runs.flatMap(recorded =>
    recorded.changes.filter(({ outcome }) => scope === 'all' || outcome.wave === progress.wave)
  )
  const ids = new Set(covered.map(({ id }) => id.toLowerCase()))
  const undos = undoOf([{ changes }])
  const own = undos.filter(({ site }) => ids.has(site.id.toLowerCase()))
  const undone = new Map(own.map(undo => [undo.address, undo]))
  const free = restoringPolicy(policy)
  const sites = restoredSites(own, options.record?.file ?? '')
  const request: PlanRequest = {
    parallelism: options.parallelism,
    planner: (site, live) => planUndo(site, live, undone),
    lint: false
  }
  const result = await makePlan({ policy: free, sites, findings: [] }, writer, request, run)
  const input = { command: 'revert' as const, ...result, ...approvePlan(result), policy: free }
  const { outcomes } = await executePlan(input, writer, { ...options, ignoreWindows: true }, run)
  const known = new Map(outcomes.map(outcome => [outcome.address, outcome]))
  const verdicts = new Map(result.verdicts.map(verdict => [verdict.address, verdict]))
  const before = new Map(changes.map(({ change, outcome }) => [change.address, outcome]))
  return undos.flatMap((undo): Outcome[] => {
    const { address, lostSecrets } = undo
    const id = undo.site.id.toLowerCase()
    const was = before.get(address)
    if (was === undefined) return []
    const kept = (reason: string) => [{ ...was, reason: `${why}; not put back: ${reason}` }]
    if (!progress.declared.has(id)) return kept('the fleet no longer has its site')
    if (!ids.has(id)) return kept('this run does not cover its site')
    const outcome = known.get(address)
    if (outcome?.status === 'applied') {
      const back = { ...outcome, ...compact({ wave: was.wave }) }
      return [withLostSecrets({ ...back, status: 'reverted', reason: why }, lostSecrets)]
    }
    if (outcome !== undefined) return kept(outcome.reason ?? outcome.status)
    const verdict = verdicts.get(address)
    if (verdict?.status === 'blocked') return kept(verdict.finding.message)
    if (verdict?.status !== 'unchanged') return kept('it could not be read')
    const reason = `${why}; put back by someone else`
    return [withLostSecrets({ ...was, status: 'unchanged', fields: [], reason }, lostSecrets)]
  })
}
