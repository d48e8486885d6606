import type { Policy } from '../../core/model/desired.ts'
import type { Findings } from '../findings.ts'
import type { RuleSet } from '../policy/rules/rule-set.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { Usage } from '../usage.ts'

export interface LoadContext {
  readonly policy: Policy
  readonly rules?: RuleSet | undefined
  /** True if `DesiredSite.vars` is needed, for rules that read `$site`. */
  readonly exposesVars?: boolean
  /** True for WLANs that are not managed: a site that lacks one needs no variables for it. */
  readonly variablesOptional?: boolean
  readonly secrets: SecretSource
  readonly usage: Usage
  readonly findings: Findings
}
