import type { Policy } from '../model/desired.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Budget } from './budget.ts'
import type { Suggestions } from './expect.ts'
import type { Findings } from './findings.ts'
import type { Pace } from './pace.ts'
import type { RuleSet } from './rules/rule-set.ts'

/** What the steps from declarations to WLANs share. */
export interface LoadContext {
  readonly policy: Policy
  readonly rules: RuleSet
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly suggestions: Suggestions
  readonly pace: Pace
  /** Where the steps put what they find. */
  readonly findings: Findings
}
