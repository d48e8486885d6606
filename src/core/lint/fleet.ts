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
import type { LintedWlan, WlanView } from './view.ts'

/** WLANs of several sites that are equal for fleet rules, before and after the change. */
export interface FleetGroup {
  /** Undefined for a state in which they are disabled. */
  readonly after: FleetState | undefined
  readonly before: FleetState | undefined
  /** The reference of the pre-shared key; undefined if none is declared. */
  readonly keyReference: string | undefined
  /** In the order of the responses. */
  readonly members: FleetMember[]
  /** The first name in ascending order. */
  firstSite: string
}

interface FleetState {
  readonly facts: FleetFacts
  /** Tells known pre-shared keys apart. */
  readonly keyNumber: number | undefined
}

/** A WLAN of a group. */
export interface FleetMember {
  readonly site: string
  readonly wlan: string
}

/** The WLANs of a fleet, grouped by their facts. Stores the name of each WLAN, but no records. */
export class FleetTable {
  readonly #groups = new Map<string, FleetGroup>()
  readonly #numbers = new Map<string, number>()

  get groups(): readonly FleetGroup[] {
    return [...this.#groups.values()]
  }

  /** The group of a WLAN; undefined if it has no facts before and after the change. */
  groupOf(wlan: LintedWlan): FleetGroup | undefined {
    const { view, before, mayChange } = wlan
    const facts = factsOf(view)
    const was = mayChange ? before && factsOf(before) : before && facts
    if (facts === undefined && was === undefined) return undefined
    // Only the files contain references: a different reference does not change the live state.
    const hasKey = facts && view.meets('psk') && !view.meets('keys-of-users')
    const keys = hasKey ? keysOf(wlan) : noKeys
    const state = (of: FleetFacts | undefined, key: string | undefined) =>
      of && { facts: of, keyNumber: this.#numberOf(key) }
    const [after, earlier] = [state(facts, keys.after), state(was, keys.before)]
    const { reference } = keys
    const id = JSON.stringify([textOf(after), textOf(earlier), reference])
    const known = this.#groups.get(id)
    if (known !== undefined) return known
    const group = { after, before: earlier, keyReference: reference, members: [], firstSite: '' }
    this.#groups.set(id, group)
    return group
  }

  #numberOf(key: string | undefined): number | undefined {
    if (key === undefined) return undefined
    const number = this.#numbers.get(key) ?? this.#numbers.size
    this.#numbers.set(key, number)
    return number
  }
}

/** Adds a WLAN to its group. */
export function addMember(group: FleetGroup, member: FleetMember): void {
  if (group.members.length === 0 || member.site < group.firstSite) group.firstSite = member.site
  group.members.push(member)
}

/** The facts that fleet rules compare; undefined for a disabled WLAN and for an unknown SSID. */
function factsOf(view: WlanView): FleetFacts | undefined {
  const ssid = view.text('/ssid')
  if (ssid === undefined || view.off('/enabled')) return undefined
  return {
    ssid,
    ssidOrigin: view.origin('/ssid'),
    ...compact({ security: securityOf(view) }),
    securityOrigin: view.origin('/auth/type')
  }
}

/** The pre-shared key of a WLAN: its declared reference, and its value after and before the change if known. */
interface Keys {
  readonly reference: string | undefined
  readonly after: string | undefined
  readonly before: string | undefined
}

const noKeys: Keys = { reference: undefined, after: undefined, before: undefined }
const KEY = ['auth', 'psk']

function keysOf({ input: { declared, live } }: LintedWlan): Keys {
  const own = declared && reach(declared, KEY)
  const before = knownText(live && reach(live, KEY))
  if (!(own instanceof Secret)) return { ...noKeys, after: before, before }
  return { reference: referenceName(own.reference), after: knownText(own), before }
}

function knownText(key: Value | undefined): string | undefined {
  if (!(key instanceof Secret) || !key.known || key.empty) return undefined
  const text = key.reveal()
  return holdsVariable(text) ? undefined : text
}

/** A finding about all WLANs of a group. */
export interface RelationFinding {
  readonly group: FleetGroup
  /** The first group that the WLANs differ from, or share something with. */
  readonly other: FleetGroup | undefined
  readonly found: RuleFinding
}

/** The findings of the rules that compare sites. They do not depend on the order of the groups. */
export function relationsBetween(
  groups: readonly FleetGroup[],
  policy: LintPolicy
): RelationFinding[] {
  const sorted = sortBy(
    groups,
    ({ firstSite }) => firstSite,
    ({ after, before, keyReference }) =>
      JSON.stringify([factsText(after), factsText(before), keyReference ?? null])
  )
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
      const findings = ruleFindings(policy, violation, { rule, existing: state === 'existing' })
      const other = violation.other && sorted[violation.other.index]
      return group === undefined ? [] : findings.map(found => ({ group, other, found }))
    })
  })
}

function wlansIn(groups: readonly FleetGroup[], when: 'after' | 'before'): FleetWlans[] {
  return groups.flatMap(({ keyReference, members, [when]: state }, index) =>
    state === undefined ? [] : { index, ...state, keyReference, count: members.length }
  )
}

function textOf(state: FleetState | undefined): readonly unknown[] {
  return [...factsText(state), state?.keyNumber]
}

function factsText(state: FleetState | undefined): readonly unknown[] {
  if (state === undefined) return []
  const { ssid, ssidOrigin, security, securityOrigin } = state.facts
  return [ssid, security ?? null, ssidOrigin, securityOrigin]
}

/** The ids of the rules that compare sites and have the level error. */
export function refusingFleetRules({ rules }: Pick<LintPolicy, 'rules'>): string[] {
  return fleetRules.flatMap(({ id, severity }) =>
    (Object.hasOwn(rules, id) ? rules[id] : severity) === 'error' ? id : []
  )
}
