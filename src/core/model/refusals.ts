import { type Finding, type FindingCode, isError } from './finding.ts'

/** The codes of errors by which the policy refuses valid files. */
const refusals: ReadonlySet<FindingCode> = new Set([
  'RULE',
  'RULE_BROKEN_OFTEN',
  'RULE_FAILED',
  'WAIVER_EXPIRED',
  'MORE_REFUSALS',
  'LINT',
  'UNMANAGED',
  'UNWATCHED'
])

/** True for an error by which the policy refuses valid files (exit 4): the plan is made and shown, but not sent. */
export function isPolicyRefusal(found: Finding): boolean {
  return isError(found) && refusals.has(found.code)
}
