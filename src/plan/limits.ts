import type { Policy } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { Change, Impact, PlannedChange, PlanSummary } from '../model/plan.ts'

/** Below so many live WLANs a percentage says nothing: one of three is a third. */
const WLANS_FOR_A_PERCENTAGE = 10

/** How much a plan changes. */
export interface PlanSize {
  readonly changed: number
  /** Declared WLANs of the run. */
  readonly wlans: number
  /** Those of them that were compared with a live WLAN: what does not exist makes no change small. */
  readonly compared: number
}

/** The size of a plan of which these changes are to be sent. */
export function sizeOf(summary: PlanSummary, changed: number): PlanSize {
  return { changed, wlans: summary.wlans, compared: summary.changed + summary.unchanged }
}

/**
 * Why `apply` refuses a plan of this size; empty if it does not. Each reason names the number, the
 * limit and the way out. A limit given on the command line (`override`) takes the place of all of
 * the policy's.
 */
export function overLimits(
  { changed, wlans, compared }: PlanSize,
  policy: Pick<Policy, 'maxChanges' | 'maxChangePercent'>,
  override?: number | 'all'
): readonly Finding[] {
  if (override === 'all') return []
  const max = override ?? policy.maxChanges
  const found: Finding[] = []
  if (max !== undefined && changed > max) {
    const source = override === undefined ? 'policy.max_changes' : '--max-changes'
    found.push(finding('OVER_MAX_CHANGES', {}, changed, wlans, max, source))
  }
  const percent = (100 * changed) / compared
  const counts = override === undefined && compared >= WLANS_FOR_A_PERCENTAGE
  if (counts && percent > policy.maxChangePercent) {
    found.push(finding('OVER_MAX_PERCENT', {}, changed, compared, policy.maxChangePercent))
  }
  return found
}

/** Why `apply` refuses to touch WLANs that the files protect (`$protect: true`). */
export function overProtected(changes: readonly PlannedChange[]): readonly Finding[] {
  const touched = changes.filter(({ desired }) => desired.protect)
  if (touched[0] === undefined) return []
  const where = { address: touched[0].address, place: touched[0].desired.place }
  return [
    finding(
      'PROTECTED',
      where,
      touched.map(({ address }) => address),
      changes.length
    )
  ]
}

const SEVERITY = ['none', 'reconnect', 'outage'] as const

/** Why `apply` refuses changes that do more to clients than `most`; without one, none is too much. */
export function overImpact(
  changes: readonly Pick<Change, 'impact' | 'address'>[],
  wlans: number,
  most: 'none' | Impact | undefined
): readonly Finding[] {
  const allowed = SEVERITY.indexOf(most ?? 'outage')
  const over = changes.filter(({ impact }) => SEVERITY.indexOf(impact ?? 'none') > allowed)
  if (over[0] === undefined) return []
  const worst = over.some(({ impact }) => impact === 'outage') ? 'outage' : 'reconnect'
  return [finding('OVER_MAX_IMPACT', {}, over.length, wlans, worst, SEVERITY[allowed] ?? 'none')]
}
