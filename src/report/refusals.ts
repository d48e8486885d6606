import { type Finding, type FindingCode, isError, isPolicyRefusal } from '../model/finding.ts'
import type { Plan } from '../model/plan.ts'
import { plural } from '../model/text.ts'

/** The heading of the refusals of a plan. */
export const REFUSED = 'Refused by apply'

/** The findings of a plan that are not among its refusals. */
export function otherFindings({ findings, refusals = [] }: Plan): readonly Finding[] {
  if (refusals.length === 0) return findings
  return findings.filter(found => !isPolicyRefusal(found))
}

const nouns: Readonly<Partial<Record<FindingCode, string>>> = {
  LINT: 'lint error',
  PROTECTED: 'protected WLAN',
  RULE_BROKEN: 'broken rule',
  RULE_BROKEN_OFTEN: 'broken rule',
  UNMANAGED: 'unmanaged WLAN'
}

const causes: Readonly<Partial<Record<FindingCode, string>>> = {
  DOWNGRADE_REFUSED: 'security downgrade',
  OVER_MAX_IMPACT: 'too much impact',
  OVER_MAX_CHANGES: 'too many changes',
  OVER_MAX_PERCENT: 'too many changes',
  OVER_MAX_NEW_SITES: 'too many new sites',
  MORE_REFUSALS: 'more refusals'
}

/**
 * What `apply` would refuse, in a few words: `1 protected WLAN, too many changes`; undefined if there is
 * nothing. Warnings do not count: another run may have the secrets.
 */
export function formatRefused({ refusals = [] }: Pick<Plan, 'refusals'>): string | undefined {
  const counts = new Map<string, number>()
  for (const { code, addresses } of refusals.filter(isError)) {
    const name = nouns[code] ?? causes[code] ?? code
    const n = code === 'PROTECTED' ? (addresses?.length ?? 1) : 1
    counts.set(name, (counts.get(name) ?? 0) + n)
  }
  const isCounted = new Set<string>(Object.values(nouns))
  const parts = [...counts].map(([name, n]) => (isCounted.has(name) ? plural(n, name) : name))
  return parts.length === 0 ? undefined : parts.join(', ')
}
