import type { LintPolicy } from '../model/desired.ts'
import { type LintLevel, lintLevels } from './rule.ts'

/** The level that the policy gives a finding of a rule; undefined where it is not reported. */
export function levelBy(policy: LintPolicy, rule: string, own: LintLevel): LintLevel | undefined {
  const level = Object.hasOwn(policy.rules, rule) ? policy.rules[rule] : own
  if (level === undefined || level === 'off') return undefined
  return isWorse(policy.level, level) ? undefined : level
}

/** True if the policy refuses the run because of the finding: an error that the change brings in. */
export function isLintRefusal(
  policy: LintPolicy,
  finding: { readonly level: LintLevel; readonly existing: boolean }
): boolean {
  return finding.level === 'error' && (policy.strict || !finding.existing)
}

/** True if the first level is worse than the second. */
export function isWorse(a: LintLevel, b: LintLevel): boolean {
  return lintLevels.indexOf(a) < lintLevels.indexOf(b)
}
