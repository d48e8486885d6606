import { compact } from '../model/collections.ts'
import type { LintPolicy } from '../model/desired.ts'
import type { Pointer } from '../model/pointer.ts'
import { describeFields } from './describe.ts'
import { levelBy } from './policy.ts'
import type { LintLevel, LintRule, Violation } from './rule.ts'
import type { WlanView } from './view.ts'

/**
 * A problem that a rule found on a WLAN or a site. Equal findings share one object. Strings from the service
 * are not escaped.
 */
export interface RuleFinding {
  /** The id of the rule. */
  readonly rule: string
  readonly level: LintLevel
  /** The pointers of the fields that the finding is about. */
  readonly fields: readonly Pointer[]
  /** The problem, and the values of the fields with their origins. No secret. */
  readonly message: string
  readonly advice: string
  /** True if the live state already breaks the rule to the same extent. */
  readonly existing: boolean
  /** The finding depends on the value of a secret: exclude it from saved plans, snapshots and records. */
  readonly fromSecret?: true
  /** The change weakens security: it is a warning where that is allowed. */
  readonly isDowngrade?: true
}

/** The rule and the subject of a violation. */
interface ViolationContext {
  readonly rule: LintRule
  readonly existing: boolean
  /** The WLAN whose values the message contains. */
  readonly view?: WlanView | undefined
}

/** The finding about a violation; none if the policy does not report it. */
export function ruleFindings(
  policy: LintPolicy,
  violation: Violation,
  { rule, existing, view }: ViolationContext
): RuleFinding[] {
  const level = levelBy(policy, rule.id, violation.level ?? rule.severity)
  if (level === undefined) return []
  const fields = violation.fields ?? rule.fields
  const values = view === undefined ? '' : describeFields(view, fields)
  const text = violation.message ?? rule.message
  return [
    {
      rule: rule.id,
      level,
      fields,
      message: values === '' ? text : `${text}: ${values}`,
      advice: rule.advice,
      existing,
      ...compact({ fromSecret: rule.fromSecret, isDowngrade: rule.isDowngrade })
    }
  ]
}
