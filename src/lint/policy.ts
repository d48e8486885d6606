import type { LintPolicy } from '../model/desired.ts'
import { levelRank } from '../model/finding.ts'
import type { LintLevel, Violation } from './rule.ts'

/** The level of a rule's findings under the policy; undefined if the policy turns them off. */
export function levelBy(policy: LintPolicy, rule: string, own: LintLevel): LintLevel | undefined {
  const level = Object.hasOwn(policy.rules, rule) ? policy.rules[rule] : own
  if (level === undefined || level === 'off') return undefined
  return isWorse(policy.level, level) ? undefined : level
}

/** True for a rule that the policy switches off. */
export function isOff(policy: LintPolicy, id: string): boolean {
  return Object.hasOwn(policy.rules, id) && policy.rules[id] === 'off'
}

/** True if the finding makes the policy refuse the run: the change causes an error. */
export function isLintRefusal(
  policy: Pick<LintPolicy, 'strict'>,
  finding: { readonly level: LintLevel; readonly existing: boolean }
): boolean {
  return finding.level === 'error' && (policy.strict || !finding.existing)
}

/** True if the first level is worse than the second. */
export function isWorse(a: LintLevel, b: LintLevel): boolean {
  return levelRank(a) < levelRank(b)
}

/**
 * `existing` if the state before the change has the same violation: the same subject, at least the same
 * level, and at least the same extent. Otherwise `new`: the change causes the violation or makes it worse.
 * `severity` is the level of violations without a level of their own.
 */
export function existingOrNew(
  before: readonly Violation[],
  after: Violation,
  severity: LintLevel
): 'existing' | 'new' {
  const isThere = before.some(
    was =>
      was.subject === after.subject &&
      !isWorse(after.level ?? severity, was.level ?? severity) &&
      (after.extent ?? 0) <= (was.extent ?? after.extent ?? 0)
  )
  return isThere ? 'existing' : 'new'
}
