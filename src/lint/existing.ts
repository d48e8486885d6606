import { isWorse } from './policy.ts'
import type { LintLevel, Violation } from './rule.ts'

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
