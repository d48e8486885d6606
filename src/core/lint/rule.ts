import type { RuleExplanation } from '../model/explanation.ts'
import type { FindingLevel } from '../model/finding.ts'
import type { Pointer } from '../values/pointer.ts'
import { nameOfSecret, type Secret } from '../values/secret.ts'
import { quote } from '../values/text.ts'
import type { Origin } from './merged.ts'
import type { WlanView } from './view.ts'

/**
 * `error`: the network cannot work, or is open by mistake. `warning`: it works differently than its author
 * expects, or is unsafe. `info`: worth a line in an audit.
 */
export type LintLevel = FindingLevel

/** One way in which a WLAN breaks a rule. Absent members default to those of the rule. */
export interface Violation {
  readonly level?: LintLevel
  readonly message?: string
  readonly fields?: readonly Pointer[]
  /** Those of the fields whose values have no effect because of the other fields. */
  readonly ignored?: readonly Pointer[]
  /** Identifies the violation among those of the same rule and WLAN, before and after a change; not a secret. */
  readonly subject?: string
  /** The size of the problem: a larger number is a worse violation. */
  readonly extent?: number
  /** The secret that the violation is about: it counts once, however many WLANs use that secret. */
  readonly secret?: Secret
}

/** The result of a check: `false` and undefined are no violation. */
export type Violations<V = Violation> = readonly (V | false | undefined)[]

/**
 * A rule of `rules.json`: its texts, and which WLANs it concerns.
 *
 * | view   | checks                                                                   |
 * |--------|--------------------------------------------------------------------------|
 * | absent | related values of WLANs that are not known to be disabled                |
 * | D      | single values, also of disabled WLANs                                    |
 * | T      | the transition from `before`; skipped if the state before is unknown     |
 * | S      | the WLANs of a site                                                      |
 * | F      | the WLANs of all sites                                                   |
 */
export interface RuleFacts extends Omit<RuleExplanation, 'title' | 'scope'> {
  /** The problem in one sentence; also used as the title of the rule. */
  readonly message: string
  readonly view?: 'D' | 'T' | 'S' | 'F'
  /** The rule is checked only if one of these switches is on, or one of these other fields set. */
  readonly given?: readonly Pointer[]
  /** True if a finding depends on the value of a secret: exclude it from saved plans, snapshots and records. */
  readonly fromSecret?: boolean
  /** True if each change that breaks the rule weakens security: one that is allowed to is no error. */
  readonly isDowngrade?: boolean
}

/** Whether a WLAN breaks a rule; `before`: its state before a change. */
export type WlanCheck = (wlan: WlanView, before: WlanView | undefined) => Violations

export type WlanRule = RuleFacts & { readonly check: WlanCheck }

/** A WLAN of a site; `index` identifies it before and after a change. */
export interface SiteWlan {
  readonly index: number
  readonly name: string
  readonly view: WlanView
  /** Its state before a change; absent for an earlier state of the site. */
  readonly before?: WlanView | undefined
}

export interface SiteViolation extends Violation {
  readonly wlan?: SiteWlan
  /** The other WLANs that break the rule together with it. */
  readonly others?: readonly SiteWlan[]
}

/** Checks the WLANs of a site that are not disabled. Its time is linear in their number. */
export type SiteCheck = (wlans: readonly SiteWlan[]) => readonly SiteViolation[]

export type SiteRule = RuleFacts & { readonly check: SiteCheck }

/** The facts about an enabled WLAN that fleet rules compare. */
export interface FleetFacts {
  readonly ssid: string
  readonly ssidOrigin: Origin
  /** The authentication type and ciphers, as a string; absent if one of them is unknown. */
  readonly security?: string
  readonly securityOrigin: Origin
}

/** WLANs of a fleet that rules of the fleet cannot tell apart: far fewer than there are WLANs. */
export interface FleetWlans {
  /** Identifies the WLANs before and after a change. */
  readonly index: number
  readonly facts: FleetFacts
  /** The reference of the pre-shared key; undefined if none is declared. */
  readonly keyReference: string | undefined
  /** Equal for WLANs with the same known key; only within a run. */
  readonly keyNumber: number | undefined
  readonly count: number
}

/** A violation by each of some WLANs; the level is that of the rule. */
export interface FleetViolation extends Omit<Violation, 'level'> {
  readonly wlans: FleetWlans
  /** The first of the WLANs that these differ from, or share something with. */
  readonly other?: FleetWlans | undefined
}

/**
 * Checks all WLANs that are not known to be disabled and have a known SSID, in the order of their first sites. Linear in
 * their number. It sees no values of secrets; a rule `fromSecret` sees whether keys are equal.
 */
export type FleetCheck = (wlans: readonly FleetWlans[]) => readonly FleetViolation[]

export type FleetRule = RuleFacts & { readonly check: FleetCheck }

/** ` "WLAN_SECRET_GUEST"`, to name a secret in a message; empty for a secret without a name. */
export function quotedName(secret: Secret): string {
  const name = nameOfSecret(secret)
  return name === undefined ? '' : ` ${quote(name)}`
}

/** One violation that lists all strings and has their number as its extent; none for an empty list. */
export function aboutEach(
  texts: readonly string[],
  violation: (texts: readonly string[]) => Violation
): Violation | undefined {
  return texts.length === 0 ? undefined : { extent: texts.length, ...violation(texts) }
}
