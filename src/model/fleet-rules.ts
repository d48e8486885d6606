import type { Finding, Location } from './finding.ts'
import type { Pointer } from './pointer.ts'
import type { ValueObject } from './value.ts'

/** The site of a WLAN, as the rules of a policy see it under `$site`. */
export interface RuleSite {
  readonly id: string
  readonly name: string
  readonly groups?: readonly string[]
  /** The variables with their values, without those that refer to a secret. */
  readonly vars?: ValueObject
}

/** A WLAN before or after a change, as far as `FleetRules.fields` names its fields. */
export interface RuleSubject {
  readonly fields: ValueObject
  /** The live record, for `$live`. */
  readonly live: ValueObject
  readonly site: RuleSite
  /** True if the response with the live record shows any secret: an absent one is unset then. */
  readonly showsSecrets: () => boolean
}

/** A rule of the policy, as its findings need it. */
export interface PolicyRule {
  readonly name: string
  /** The message for the author of a WLAN that breaks the rule. */
  readonly message: string
  readonly level: 'error' | 'warning'
  /** `managed`: only declared WLANs are judged. */
  readonly over: 'managed' | 'all'
  readonly place: Location
}

/** A rule that a WLAN breaks. */
export interface Breach {
  readonly rule: PolicyRule
  /** The field that breaks it; `''` where a field is absent. */
  readonly pointer: Pointer
  /** True if the WLAN before the change breaks the rule as well, in the same places and no less. */
  readonly existing: boolean
}

/** The compiled rules of a policy. */
export interface FleetRules {
  /** The top-level fields that the rules read; undefined: they may read all. */
  readonly fields: ReadonlySet<string> | undefined
  /** True if a rule reads `$live`. */
  readonly readsLive: boolean
  /** True if a rule judges WLANs that no file declares. */
  readonly judgesUnmanaged: boolean
  /**
   * The rules that a declared WLAN breaks after a change. Absent members have their documented defaults.
   * `before` is the WLAN before the change; the same object where nothing changes.
   */
  judge(after: RuleSubject, before: RuleSubject): readonly Breach[]
  /** The rules with `over: all` that a WLAN which no file declares breaks; all are existing. */
  judgeUnmanaged(live: RuleSubject): readonly Breach[]
  /** The rules that could not be judged, as errors; with `isWhole` also those whose `when` fits no judged WLAN. */
  problems(isWhole: boolean): readonly Finding[]
}
