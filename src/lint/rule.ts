import type { FindingLevel } from '../model/finding.ts'
import type { Pointer } from '../model/pointer.ts'
import type { Origin } from './merged.ts'
import type { WlanView } from './view.ts'

/**
 * `error`: it cannot work, or opens a network by mistake. `warning`: it works otherwise than its author
 * expects, or is unsafe. `info`: worth a line in an audit.
 */
export type LintLevel = FindingLevel

/** One way in which a WLAN breaks a rule; what is absent is as the rule has it. */
export interface Violation {
  readonly level?: LintLevel
  readonly message?: string
  readonly fields?: readonly Pointer[]
  /** Identifies one of several violations of a rule by a WLAN, before and after a change; no secret. */
  readonly subject?: string
  /** A number that grows as the violation gets worse. */
  readonly extent?: number
}

/** The data of a rule for findings and `explain`. */
interface RuleFacts {
  readonly id: string
  readonly severity: LintLevel
  /** The fields that the rule relates; a message names those with a known value. */
  readonly fields: readonly Pointer[]
  /** The problem in one sentence; also the title of the rule. */
  readonly message: string
  /** The consequence, or the reason, in one sentence. */
  readonly why: string
  /** The condition in words. */
  readonly condition: string
  readonly advice: string
  /** The evidence, and how good it is. */
  readonly source: string
  /** How likely a false alarm is, and where. */
  readonly falseAlarms: string
  /** True if a finding depends on a secret's value: it belongs into no saved plan, snapshot or record. */
  readonly fromSecret?: true
}

/**
 * A rule about one WLAN.
 *
 * | view | judges                                                                   |
 * |------|--------------------------------------------------------------------------|
 * | D    | values that are wrong by themselves, of disabled WLANs, too              |
 * | M    | related values of WLANs that are not known to be disabled                |
 * | T    | the transition from `before`; nothing where that is unknown              |
 */
export interface WlanRule extends RuleFacts {
  readonly view: 'D' | 'M' | 'T'
  /** The rule can break only where one of these fields is on or set: a filter that makes linting fast. */
  readonly given?: readonly Pointer[]
  check(wlan: WlanView, before: WlanView | undefined): readonly Violation[]
}

/** A WLAN of a site; `index` identifies it before and after a change. */
export interface SiteWlan {
  readonly index: number
  readonly name: string
  readonly view: WlanView
}

/** A violation by a site, or by one of its WLANs. */
export interface SiteViolation extends Violation {
  readonly wlan?: SiteWlan
}

/** A rule about the WLANs of a site; `wlans` are those not known to be disabled. Linear in their number. */
export interface SiteRule extends RuleFacts {
  readonly view: 'S'
  check(wlans: readonly SiteWlan[]): readonly SiteViolation[]
}

/** The facts about a WLAN that rules of the fleet compare; no secret, and nothing that is made of one. */
export interface FleetFacts {
  readonly ssid: string
  readonly ssidOrigin: Origin
  /** Authentication type, ciphers and OWE, as a text for people; undefined where one is unknown. */
  readonly security: string | undefined
  readonly securityOrigin: Origin
}

/** WLANs of a fleet that rules of the fleet cannot tell apart: far fewer than there are WLANs. */
export interface FleetWlans {
  /** Identifies the WLANs before and after a change. */
  readonly index: number
  readonly facts: FleetFacts
  /** The reference of the pre-shared key; undefined where none is declared. */
  readonly keyReference: string | undefined
  readonly count: number
}

/** A violation by each of some WLANs; the level is that of the rule. */
export interface FleetViolation extends Omit<Violation, 'level'> {
  readonly wlans: FleetWlans
}

/**
 * A rule about all WLANs that are not known to be disabled and have a known SSID, in the order of their first
 * sites. Linear in their number. It sees no values of secrets, so that the facts of a part of a fleet can be saved.
 */
export interface FleetRule extends RuleFacts {
  readonly view: 'F'
  check(wlans: readonly FleetWlans[]): readonly FleetViolation[]
}

export type LintRule = WlanRule | SiteRule | FleetRule

const none: readonly Violation[] = []
const one: readonly Violation[] = [{}]

/** The violation as the rule describes it, where the condition holds. */
export function when(condition: boolean): readonly Violation[] {
  return condition ? one : none
}

/** The violations among alternatives; a condition that does not hold is none. */
export function violationsOf(
  ...found: readonly (Violation | false | undefined)[]
): readonly Violation[] {
  return found.some(Boolean)
    ? found.filter(violation => violation !== undefined && violation !== false)
    : none
}

/** One violation for all texts, the count of which is its extent; none where there is no text. */
export function aboutEach(
  texts: readonly string[],
  violation: (texts: readonly string[]) => Violation
): readonly Violation[] {
  return texts.length === 0 ? none : [{ extent: texts.length, ...violation(texts) }]
}
