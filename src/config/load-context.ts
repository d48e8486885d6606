import type { Policy } from '../model/desired.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Budget } from './budget.ts'
import type { Findings } from './checks/findings.ts'
import type { Suggestions } from './checks/suggest.ts'
import type { Pace } from './pace.ts'
import type { RuleSet } from './rules/rule-set.ts'
import type { Texts } from './wlans/texts.ts'

/** What the steps from declarations to WLANs share. */
export interface LoadContext {
  readonly policy: Policy
  readonly rules: RuleSet
  readonly secrets: SecretSource
  readonly budget: Budget
  readonly suggestions: Suggestions
  readonly texts: Texts
  readonly pace: Pace
  /** Where the steps put what they find. */
  readonly findings: Findings
}
