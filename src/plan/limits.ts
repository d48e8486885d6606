import type { Policy } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import {
  type Change,
  type Impact,
  impacts,
  type PlannedChange,
  type PlanSummary
} from '../model/plan.ts'

/** The percentage limit applies from this number of live WLANs: one of three is a third. */
const WLANS_FOR_A_PERCENTAGE = 10

/** The size of a plan. */
export interface PlanSize {
  readonly changed: number
  /** Declared WLANs of the run. */
  readonly wlans: number
  /** Those of them that exist live; missing WLANs must not make a percentage smaller. */
  readonly compared: number
}

/** The size of a plan of which `changed` changes are sent. */
export function sizeOf(summary: PlanSummary, changed: number): PlanSize {
  return { changed, wlans: summary.wlans, compared: summary.changed + summary.unchanged }
}

/**
 * The limits that a plan exceeds; `apply` refuses it for each. A finding names the number, the limit and
 * the option that allows it. A limit on the command line (`override`) replaces all of the policy's.
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

/** The refusal of changes to protected WLANs (`$protect: true`); empty if there are none. */
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

/** The refusal of changes with a larger impact than `most`; empty if there are none. */
export function overImpact(
  changes: readonly Pick<Change, 'impact' | 'address'>[],
  wlans: number,
  most: 'none' | Impact | undefined
): readonly Finding[] {
  const allowed = most ?? 'outage'
  const isOver = (impact: Impact | 'none') => impacts.indexOf(impact) > impacts.indexOf(allowed)
  const over = changes.flatMap(({ impact }) =>
    impact !== undefined && isOver(impact) ? impact : []
  )
  const worst = impacts.findLast(impact => over.some(each => each === impact))
  if (worst === undefined) return []
  return [finding('OVER_MAX_IMPACT', {}, over.length, wlans, worst, allowed)]
}

/** The finding names this many WLANs and counts the others. */
const MOST_NAMED = 10

/** The refusal of changes that weaken security; undefined if there are none. */
export function downgradeRefusal(changes: readonly Change[]): Finding | undefined {
  const wlans = changes.flatMap(({ address, downgrades }) =>
    downgrades === undefined ? [] : `${address} (${downgrades.join(', ')})`
  )
  if (wlans.length === 0) return undefined
  const named = wlans.slice(0, MOST_NAMED)
  return finding('DOWNGRADE_REFUSED', {}, named, wlans.length - named.length)
}
