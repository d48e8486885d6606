import { type Finding, finding } from '../model/finding.ts'
import type { PlanSummary } from '../model/plan.ts'
import type { Policy } from '../model/policy.ts'

/** Below so many declared WLANs a percentage says nothing: one of three is a third. */
const WLANS_FOR_A_PERCENTAGE = 10

/**
 * Why `apply` refuses a plan of this size; empty if it does not. Each reason names the number, the
 * limit and the way out. A limit given on the command line (`override`) takes the place of all of
 * the policy's.
 */
export function overLimits(
  { changed, wlans }: Pick<PlanSummary, 'changed' | 'wlans'>,
  policy: Pick<Policy, 'maxChanges' | 'maxChangePercent'>,
  override?: number | 'all'
): readonly Finding[] {
  if (override === 'all') return []
  const max = override ?? policy.maxChanges
  const found: Finding[] = []
  if (max !== undefined && changed > max) {
    const source = override === undefined ? 'policy.max_changes' : '--max-changes'
    found.push(finding('OVER_MAX_CHANGES', {}, changed, max, source))
  }
  const percent = (100 * changed) / wlans
  const counts = override === undefined && wlans >= WLANS_FOR_A_PERCENTAGE
  if (counts && percent > policy.maxChangePercent) {
    found.push(finding('OVER_MAX_PERCENT', {}, changed, wlans, policy.maxChangePercent))
  }
  return found
}
