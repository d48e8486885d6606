import type { LintPolicy } from '../model/desired.ts'
import { compact, groupBy, sortBy } from '../values/collections.ts'
import { referenceName, Secret } from '../values/secret.ts'
import type { Value } from '../values/value.ts'
import { fleetRules } from './catalogue.ts'
import { holdsVariable } from './formats.ts'
import { securityOf } from './labels.ts'
import { reach } from './paths.ts'
import type { FleetFacts, FleetWlans } from './rule.ts'
import { existingOrNew, isOff, type RuleFinding, ruleFindings } from './rule-finding.ts'
import type { LintWlan, WlanView } from './view.ts'

/** The facts about a WLAN that fleet rules compare; undefined for a state in which it is disabled. */
export interface WlanFacts {
  readonly after: FleetFacts | undefined
  /** The same object as `after` if the change does not affect the facts. */
  readonly before: FleetFacts | undefined
}

/** The number of the known pre-shared key after and before the change, which tells keys apart. */
export interface KeyNumbers {
  readonly after: number | undefined
  readonly before: number | undefined
}

/** WLANs of several sites that are equal for fleet rules, before and after the change. */
export interface FleetGroup extends WlanFacts {
  readonly keyReference: string | undefined
  readonly keyNumbers: KeyNumbers
  /** The first name in ascending order. */
  readonly firstSite: string
  /** In the order of the responses. */
  readonly members: readonly FleetMember[]
}

/** A WLAN of a group. */
export interface FleetMember {
  readonly site: string
  readonly wlan: string
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

  groups(): readonly FleetGroup[] {
    return [...this.#groups.values()]
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
export interface OpenGroup extends Omit<FleetGroup, 'firstSite'> {
  firstSite: string
  readonly members: FleetMember[]
}

interface FoundInGroup {
  readonly group: FleetGroup
  /** The first group that the WLANs differ from, or share something with. */
  readonly other: FleetGroup | undefined
  readonly found: RuleFinding
}

/**
 * The findings of the rules that compare sites, each about all WLANs of a group. They do not depend on the order of
 * the groups.
 */
export function fleetViolations(groups: readonly FleetGroup[], policy: LintPolicy): FoundInGroup[] {
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
    const { keyReference, keyNumbers, members } = group
    const count = members.length
    return facts === undefined
      ? []
      : { index, facts, keyReference, keyNumber: keyNumbers[state], count }
  })
}

function textOf({ after, before, keyReference }: FleetGroup): string {
  return JSON.stringify([factsText(after), factsText(before), keyReference ?? null])
}

function factsText(facts: FleetFacts | undefined): readonly unknown[] {
  if (facts === undefined) return []
  const { ssid, ssidOrigin, security, securityOrigin } = facts
  return [ssid, security ?? null, ssidOrigin, securityOrigin]
}

/** The ids of the rules that compare sites and have the level error. */
export function refusingFleetRules({ rules }: Pick<LintPolicy, 'rules'>): string[] {
  return fleetRules.flatMap(({ id, severity }) =>
    (Object.hasOwn(rules, id) ? rules[id] : severity) === 'error' ? id : []
  )
}

/** The facts that fleet rules compare; undefined for a disabled WLAN and for an unknown SSID. */
export function fleetFacts(view: WlanView): FleetFacts | undefined {
  const ssid = view.text('/ssid')
  if (ssid === undefined || view.off('/enabled')) return undefined
  return {
    ssid,
    ssidOrigin: view.origin('/ssid'),
    ...compact({ security: securityOf(view) }),
    securityOrigin: view.origin('/auth/type')
  }
}

/** True for equal facts. */
export function isSameFacts(a: FleetFacts | undefined, b: FleetFacts | undefined): boolean {
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
