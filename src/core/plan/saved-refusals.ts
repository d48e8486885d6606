import { type Finding, type FindingCode, finding } from '../model/finding.ts'
import type { Change, Plan, PlanLimits } from '../model/plan.ts'
import { compact, sortBy } from '../values/collections.ts'
import {
  downgradeRefusal,
  missingSecrets,
  overLimits,
  policyRefusals,
  withoutDeferred
} from './limits.ts'

/**
 * The refusals of a saved plan, or of several parts of one.
 *
 * | refusal                       | source                                                          |
 * |-------------------------------|-----------------------------------------------------------------|
 * | downgrades                    | the operations; none if the policy allows them                  |
 * | of the policy, of secrets     | the findings                                                    |
 * | protected WLANs               | the file: those of its changes                                  |
 * | limits of the policy          | the operations, with the limits in the file                     |
 * | other limits                  | the file; none without changes                                  |
 */
export function savedRefusals(
  plan: Pick<Plan, 'command' | 'changes' | 'findings' | 'limits' | 'deferred'>,
  claims: readonly Finding[]
): Finding[] {
  const { command, changes, findings, limits, deferred } = plan
  const refuses = [...findings, ...claims].some(({ code }) => downgradeCodes.has(code))
  const kept = protectedWlans(claims, changes)
  const free = changes.filter(({ address }) => !kept.addresses.has(address))
  // Drift reports what unmanaged WLANs break already, and does not refuse an apply for it.
  const listsExisting = command !== 'drift' || !claims.every(({ existing }) => !existing)
  const downgrade = refuses ? downgradeRefusal(free) : undefined
  return [
    ...kept.refusal,
    ...(downgrade ? [downgrade] : []),
    ...(free.length === 0 ? [] : distinct(claims, 'OVER_MAX_IMPACT')),
    ...(limits === undefined
      ? sizeCodes.flatMap(code => (free.length === 0 ? [] : distinct(claims, code)))
      : overLimits(withoutDeferred(free, deferred).length, limits.wlans, policyOf(limits))),
    ...policyRefusals(findings).filter(({ existing }) => !existing || listsExisting),
    ...missingSecrets(findings)
  ]
}

/** Merges the claims about protected WLANs, without WLANs that do not change. */
function protectedWlans(claims: readonly Finding[], changes: readonly Change[]) {
  const changing = new Set(changes.map(({ address }) => address))
  const known = claims.flatMap(({ code, address, addresses, place }) => {
    const names = code === 'PROTECTED' ? (addresses ?? [address ?? '']) : []
    return names.filter(name => changing.has(name)).map(name => ({ name, place }))
  })
  const sorted = sortBy(known, ({ name }) => name)
  const names = [...new Set(sorted.map(({ name }) => name))]
  const [name] = names
  if (name === undefined) return { addresses: new Set<string>(), refusal: [] }
  const about = names.length === 1 ? { address: name } : { addresses: names }
  const where = compact({ place: sorted[0]?.place })
  const refusal = finding('PROTECTED', { ...where, ...about }, names, changes.length)
  return { addresses: new Set(names), refusal: [refusal] }
}

function distinct(claims: readonly Finding[], code: FindingCode): Finding[] {
  const same = claims.filter(claim => claim.code === code)
  return [...new Map(same.map(claim => [claim.message, claim])).values()]
}

const downgradeCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'DOWNGRADE',
  'DOWNGRADE_REFUSED'
])

const sizeCodes = ['OVER_MAX_CHANGES', 'OVER_MAX_PERCENT'] as const

function policyOf({ max_changes, max_change_percent }: PlanLimits) {
  return { ...compact({ maxChanges: max_changes }), maxChangePercent: max_change_percent }
}
