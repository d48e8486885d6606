import { compact, sortBy } from '../model/collections.ts'
import { type Finding, type FindingCode, finding, isPolicyRefusal } from '../model/finding.ts'
import type { Change, Plan } from '../model/plan.ts'
import { downgradeRefusal, missingSecrets } from './limits.ts'

/**
 * The refusals of a saved plan, or of several parts of one.
 *
 * | refusal                       | source                                                          |
 * |-------------------------------|-----------------------------------------------------------------|
 * | downgrades                    | the operations; none where the policy allows them               |
 * | those of the policy, secrets  | the findings                                                    |
 * | protected WLANs               | the file: those of its changes                                  |
 * | limits                        | the file; none without changes                                  |
 */
export function savedRefusals(
  { changes, findings }: Pick<Plan, 'changes' | 'findings'>,
  claims: readonly Finding[]
): Finding[] {
  const refuses = [...findings, ...claims].some(({ code }) => downgradeCodes.has(code))
  const kept = protectedWlans(claims, changes)
  const free = changes.filter(({ address }) => !kept.addresses.has(address))
  const downgrade = refuses ? downgradeRefusal(free) : undefined
  return [
    ...kept.refusal,
    ...(downgrade ? [downgrade] : []),
    ...(free.length === 0 ? [] : limitCodes.flatMap(code => distinct(claims, code))),
    ...findings.filter(isPolicyRefusal),
    ...missingSecrets(findings)
  ]
}

/** The claims of protected WLANs as one, without WLANs that do not change. */
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

/** Those with this code, each message once. */
function distinct(claims: readonly Finding[], code: FindingCode): Finding[] {
  const same = claims.filter(claim => claim.code === code)
  return [...new Map(same.map(claim => [claim.message, claim])).values()]
}

const downgradeCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'DOWNGRADE',
  'DOWNGRADE_REFUSED'
])

/** The codes of refusals that only the file knows. */
const limitCodes = ['OVER_MAX_IMPACT', 'OVER_MAX_CHANGES', 'OVER_MAX_PERCENT'] as const
