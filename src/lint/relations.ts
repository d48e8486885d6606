import { groupBy, sortBy } from '../model/collections.ts'
import type { LintPolicy } from '../model/desired.ts'
import type { FindingLevel } from '../model/finding.ts'
import { Secret } from '../model/secret.ts'
import type { ValueObject } from '../model/value.ts'
import { holdsVariable } from './formats.ts'
import { reach } from './paths.ts'
import type { FleetFacts, FleetRule, FleetWlans } from './rule.ts'
import { existingOrNew, isOff, type RuleFinding, ruleFindings } from './rule-finding.ts'
import { fleetRules } from './rules/across-sites.ts'
import type { WlanView } from './view.ts'

/** The facts about a WLAN that fleet rules compare; undefined for a state in which it is disabled. */
export interface WlanFacts {
  readonly after: FleetFacts | undefined
  /** The same object as `after` if the change does not affect the facts. */
  readonly before: FleetFacts | undefined
}

/** WLANs of several sites that are equal for fleet rules, before and after the change. */
export interface FleetGroup extends WlanFacts {
  readonly keyReference: string | undefined
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
  /** Cache of the groups. Key: the shared facts, and the reference of the key. Bound: the number of WLANs. */
  readonly #byFacts = new WeakMap<WlanFacts, Map<string | undefined, OpenGroup>>()

  add(site: string, wlan: string, facts: WlanFacts, keyReference: string | undefined): void {
    if (facts.after === undefined && facts.before === undefined) return
    let byReference = this.#byFacts.get(facts)
    if (byReference === undefined) {
      byReference = new Map()
      this.#byFacts.set(facts, byReference)
    }
    let group = byReference.get(keyReference)
    if (group === undefined) {
      group = this.#groupOf(facts, keyReference, site)
      byReference.set(keyReference, group)
    }
    group.members.push({ site, wlan })
    if (site < group.firstSite) group.firstSite = site
  }

  groups(): MemberGroup[] {
    return [...this.#groups.values()].map(group => ({ ...group, count: group.members.length }))
  }

  #groupOf(
    { after, before }: WlanFacts,
    keyReference: string | undefined,
    firstSite: string
  ): OpenGroup {
    const key = textOf({ after, before, keyReference })
    const group = this.#groups.get(key) ?? { after, before, keyReference, firstSite, members: [] }
    this.#groups.set(key, group)
    return group
  }
}

interface OpenGroup extends Pick<FleetGroup, 'after' | 'before' | 'keyReference'> {
  firstSite: string
  readonly members: FleetMember[]
}

/**
 * The findings of the rules that compare sites, each about all WLANs of a group. They depend neither on the order
 * of the groups nor on whether groups with equal facts are merged.
 */
export function lintRelations<G extends FleetGroup>(
  groups: readonly G[],
  policy: LintPolicy
): { readonly group: G; readonly found: RuleFinding }[] {
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
      return group === undefined ? [] : findings.map(found => ({ group, found }))
    })
  })
}

function wlansIn(groups: readonly FleetGroup[], state: 'after' | 'before'): FleetWlans[] {
  return groups.flatMap((group, index) => {
    const facts = group[state]
    const { keyReference, count } = group
    return facts === undefined ? [] : { index, facts, keyReference, count }
  })
}

function textOf({ after, before, keyReference }: Omit<FleetGroup, 'count' | 'firstSite'>): string {
  return JSON.stringify([factsText(after), factsText(before), keyReference ?? null])
}

function factsText(facts: FleetFacts | undefined): readonly unknown[] {
  if (facts === undefined) return []
  const { ssid, ssidOrigin, security, securityOrigin } = facts
  return [ssid, security ?? null, ssidOrigin, securityOrigin]
}

/** The level that the policy gives to each rule that compares sites, by the id of the rule. */
export function relationLevels({ rules }: LintPolicy): Record<string, FindingLevel | 'off'> {
  const levelOf = ({ id, severity }: FleetRule) => (Object.hasOwn(rules, id) ? rules[id] : severity)
  return Object.fromEntries(fleetRules.map(rule => [rule.id, levelOf(rule) ?? rule.severity]))
}

/** The facts that fleet rules compare; undefined for a disabled WLAN and for an unknown SSID. */
export function fleetFacts(view: WlanView): FleetFacts | undefined {
  const ssid = view.text('/ssid')
  if (ssid === undefined || view.off('/enabled')) return undefined
  return {
    ssid,
    ssidOrigin: view.origin('/ssid'),
    security: securityOf(view),
    securityOrigin: view.origin('/auth/type')
  }
}

/** E.g. `eap (wpa2-ccmp, wpa3)`, `open`, `open with OWE required`. */
export function securityOf(view: WlanView): string | undefined {
  const type = view.text('/auth/type')
  if (type === undefined || type === 'wep') return type
  if (type === 'open') {
    const owe = view.text('/auth/owe')
    return owe === undefined || owe === 'disabled' ? owe && type : `${type} with OWE ${owe}`
  }
  const pairwise = view.entries('/auth/pairwise')
  if (pairwise === undefined || pairwise.some(holdsVariable)) return undefined
  return `${type} (${[...new Set(pairwise)].sort().join(', ')})`
}

const KEY = ['auth', 'psk']

/** The declared reference of the pre-shared key as a string; undefined if the WLAN declares none. */
export function keyReferenceOf(declared: ValueObject | undefined): string | undefined {
  const key = declared && reach(declared, KEY)
  return key instanceof Secret ? referenceText(key) : undefined
}

/** The reference of a secret in the files as a string; undefined for a live secret. */
export function referenceText({ reference }: Secret): string | undefined {
  if ('$env' in reference) return `$env ${reference.$env}`
  return '$file' in reference ? `$file ${reference.$file}` : undefined
}
