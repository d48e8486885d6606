import type { LintPolicy } from '../model/desired.ts'
import type { FindingLevel } from '../model/finding.ts'
import type { RelatedState } from '../model/relations.ts'
import { compact, groupBy, sortBy } from '../values/collections.ts'
import { referenceName, Secret } from '../values/secret.ts'
import type { Value } from '../values/value.ts'
import { holdsVariable } from './formats.ts'
import { securityOf } from './labels.ts'
import { reach } from './paths.ts'
import type { FleetRule, FleetWlans } from './rule.ts'
import { existingOrNew, isOff, type RuleFinding, ruleFindings } from './rule-finding.ts'
import { fleetRules } from './rules/across-sites.ts'
import type { LintWlan, WlanView } from './view.ts'

/** The facts about a WLAN that fleet rules compare; undefined for a state in which it is disabled. */
export interface WlanFacts {
  readonly after: RelatedState | undefined
  /** The same object as `after` if the change does not affect the facts. */
  readonly before: RelatedState | undefined
}

/** The number of the known pre-shared key after and before the change, which tells keys apart and is not saved. */
export interface KeyNumbers {
  readonly after: number | undefined
  readonly before: number | undefined
}

/** WLANs of several sites that are equal for fleet rules, before and after the change. */
export interface FleetGroup extends WlanFacts {
  readonly keyReference: string | undefined
  readonly keyNumbers?: KeyNumbers | undefined
  readonly count: number
  /** The first name in ascending order. */
  readonly firstSite: string
}

/** A WLAN of a group. */
export interface FleetMember {
  readonly site: string
  readonly wlan: string
}

/** A group with its WLANs, in the order of the responses. */
export interface MemberGroup extends FleetGroup {
  readonly members: readonly FleetMember[]
}

/** The WLANs of a fleet, grouped by their facts. Stores the name of each WLAN, but no records. */
export class FleetTable {
  readonly #groups = new Map<string, OpenGroup>()
  readonly #numbers = new Map<string, number>()

  /** The group of a WLAN with these facts; undefined if it is disabled before and after the change. */
  groupOf(facts: WlanFacts, { keyReference, after, before }: WlanKey): OpenGroup | undefined {
    const keyNumbers = { after: this.#numberOf(after), before: this.#numberOf(before) }
    if (facts.after === undefined && facts.before === undefined) return undefined
    const numbers = [keyNumbers.after, keyNumbers.before]
    const texts = [factsText(facts.after), factsText(facts.before)]
    const key = JSON.stringify([...texts, keyReference, ...numbers])
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    const { after: is, before: was } = facts
    const group = { after: is, before: was, keyReference, keyNumbers, firstSite: '', members: [] }
    this.#groups.set(key, group)
    return group
  }

  add(group: OpenGroup, member: FleetMember): void {
    if (group.members.length === 0 || member.site < group.firstSite) group.firstSite = member.site
    group.members.push(member)
  }

  groups(): MemberGroup[] {
    return [...this.#groups.values()].map(group => ({ ...group, count: group.members.length }))
  }

  #numberOf(key: string | undefined): number | undefined {
    if (key === undefined) return undefined
    const known = this.#numbers.get(key)
    if (known === undefined) this.#numbers.set(key, this.#numbers.size)
    return known ?? this.#numbers.size - 1
  }
}

/** The pre-shared key of a WLAN: its declared reference, and its value after and before the change if known. */
export interface WlanKey {
  readonly keyReference?: string | undefined
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** A group that is not complete yet. */
export interface OpenGroup extends Omit<FleetGroup, 'count' | 'firstSite'> {
  firstSite: string
  readonly members: FleetMember[]
}

interface FoundInGroup<G> {
  readonly group: G
  /** The first group that the WLANs differ from, or share something with. */
  readonly other: G | undefined
  readonly found: RuleFinding
}

/**
 * The findings of the rules that compare sites, each about all WLANs of a group. They depend neither on the order
 * of the groups nor on whether groups with equal facts are merged.
 */
export function fleetViolations<G extends FleetGroup>(
  groups: readonly G[],
  policy: LintPolicy
): FoundInGroup<G>[] {
  const sorted = sortBy(groups, ({ firstSite }) => firstSite, textOf)
  const [after, before] = [wlansIn(sorted, 'after'), wlansIn(sorted, 'before')]
  const rules = fleetRules.filter(({ id }) => !isOff(policy, id))
  return rules.flatMap(rule => {
    const violations = rule.check(after)
    if (violations.length === 0) return []
    const was = groupBy(rule.check(before), ({ wlans }) => wlans.index)
    return violations.flatMap(violation => {
      const { index } = violation.wlans
      const group = sorted[index]
      const state = existingOrNew(was.get(index) ?? [], violation, rule.severity)
      const context = { rule, existing: state === 'existing' }
      const findings = ruleFindings(policy, violation, context)
      const other = violation.other && sorted[violation.other.index]
      return group === undefined ? [] : findings.map(found => ({ group, other, found }))
    })
  })
}

function wlansIn(groups: readonly FleetGroup[], state: 'after' | 'before'): FleetWlans[] {
  return groups.flatMap((group, index) => {
    const facts = group[state]
    const { keyReference, keyNumbers, count } = group
    const keyNumber = keyNumbers?.[state]
    return facts === undefined ? [] : { index, facts, keyReference, keyNumber, count }
  })
}

function textOf({ after, before, keyReference }: Omit<FleetGroup, 'count' | 'firstSite'>): string {
  return JSON.stringify([factsText(after), factsText(before), keyReference ?? null])
}

function factsText(facts: RelatedState | undefined): readonly unknown[] {
  if (facts === undefined) return []
  const { ssid, ssid_origin, security, security_origin } = facts
  return [ssid, security ?? null, ssid_origin, security_origin]
}

/**
 * The level that the policy gives to each rule that compares sites and can be evaluated over saved facts, by the id of
 * the rule.
 */
export function fleetRuleLevels({ rules }: LintPolicy): Record<string, FindingLevel | 'off'> {
  const levelOf = ({ id, severity }: FleetRule) => (Object.hasOwn(rules, id) ? rules[id] : severity)
  const saved = fleetRules.filter(({ fromSecret }) => !fromSecret)
  return Object.fromEntries(saved.map(rule => [rule.id, levelOf(rule) ?? rule.severity]))
}

/** The facts that fleet rules compare; undefined for a disabled WLAN and for an unknown SSID. */
export function fleetFacts(view: WlanView): RelatedState | undefined {
  const ssid = view.text('/ssid')
  if (ssid === undefined || view.off('/enabled')) return undefined
  return {
    ssid,
    ssid_origin: view.origin('/ssid'),
    ...compact({ security: securityOf(view) }),
    security_origin: view.origin('/auth/type')
  }
}

/** True for equal facts. */
export function isSameFacts(a: RelatedState | undefined, b: RelatedState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const [of, other] = [factsText(a), factsText(b)]
  return of.every((fact, place) => fact === other[place])
}

const KEY = ['auth', 'psk']

/** The pre-shared key of a WLAN. */
export function keyOf({ declared, live }: Pick<LintWlan, 'declared' | 'live'>): WlanKey {
  const own = declared && reach(declared, KEY)
  const before = knownText(live && reach(live, KEY))
  if (!(own instanceof Secret)) return { after: before, before }
  return { keyReference: referenceName(own.reference), after: knownText(own), before }
}

function knownText(key: Value | undefined): string | undefined {
  if (!(key instanceof Secret) || !key.known || key.empty) return undefined
  const text = key.reveal()
  return holdsVariable(text) ? undefined : text
}
