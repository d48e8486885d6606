import type { Pointer } from '../values/pointer.ts'
import type { ValueObject } from '../values/value.ts'
import type { Finding, Location } from './finding.ts'

/** The site of a WLAN as rules of a policy read it under `$site`. */
export interface RuleSite {
  readonly id: string
  readonly name: string
  readonly groups?: readonly string[]
  /** The variables with their values, without those that refer to a secret. */
  readonly vars?: ValueObject
}

export interface RuleSubject {
  readonly fields: ValueObject
  /** The live record, for `$live`. */
  readonly live: ValueObject
  /** The live record as the base declares it; absent if that is the same. */
  readonly atBase?: ValueObject | undefined
  readonly site: RuleSite
  /** The site at the base, for which the rules hold as well; absent if they see the same. */
  readonly siteAtBase?: RuleSite | undefined
  /** True if the response with the live record shows any secret, so that an absent one is not set. */
  readonly showsSecrets: () => boolean
}

export interface PolicyRule {
  readonly name: string
  /** The message for the author of a WLAN that breaks the rule. */
  readonly message: string
  readonly level: 'error' | 'warning'
  /** `managed`: the rule applies to declared WLANs only. */
  readonly over: 'managed' | 'all'
  readonly place: Location
}

export interface RuleViolation {
  readonly rule: PolicyRule
  /** The field that breaks the rule; `''` if a field is absent. */
  readonly pointer: Pointer
  /** True if the WLAN before the change, and at the base, breaks the rule in the same places to the same extent. */
  readonly existing: boolean
}

/** The compiled rules of a policy. */
export interface FleetRules {
  /**
   * The rules that a WLAN breaks after a change; absent members have their defaults. `before` is
   * the same object if nothing changes; `over` is `all` for an undeclared WLAN, which other rules
   * do not concern.
   */
  evaluateLive(
    after: RuleSubject,
    before: RuleSubject,
    over: PolicyRule['over']
  ): readonly RuleViolation[]
  /** The rules that could not be evaluated, as errors; with `isWhole` also those whose `when` matches no WLAN. */
  problems(isWhole: boolean): readonly Finding[]
}
