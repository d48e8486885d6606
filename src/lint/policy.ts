import type { LintPolicy } from '../model/desired.ts'
import { levelRank } from '../model/finding.ts'
import type { LintLevel, Violation } from './rule.ts'

/** The level that the policy gives a finding of a rule; undefined where it is not reported. */
export function levelBy(policy: LintPolicy, rule: string, own: LintLevel): LintLevel | undefined {
  const level = Object.hasOwn(policy.rules, rule) ? policy.rules[rule] : own
  if (level === undefined || level === 'off') return undefined
  return isWorse(policy.level, level) ? undefined : level
}

/** True for a rule that the policy switches off. */
export function isOff(policy: LintPolicy, id: string): boolean {
  return Object.hasOwn(policy.rules, id) && policy.rules[id] === 'off'
}

/** True if the policy refuses the run because of the finding: an error that the change brings in. */
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
 * `existing` if the state before the change breaks the rule in the same way, and no less: with the same
 * subject, a level as bad, and an extent as large. Otherwise the change brings the violation in, or makes
 * it worse: `new`. `severity` is the level of violations that have none.
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
