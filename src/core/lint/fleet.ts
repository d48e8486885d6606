import { createHash, randomBytes } from 'node:crypto'
import type { LintPolicy } from '../model/desired.ts'
import { resultOf, resultsOf } from '../model/pairs.ts'
import {
  byCodeUnit,
  compact,
  getOrInsert,
  groupBy,
  groupsBy,
  sortBy
} from '../values/collections.ts'
import { referenceName, Secret } from '../values/secret.ts'
import type { Value } from '../values/value.ts'
import { fleetRules } from './catalogue.ts'
import { holdsVariable } from './formats.ts'
import { securityOf } from './labels.ts'
import { reach } from './merged.ts'
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
  readonly members: readonly FleetMember[]
  /** The first name in ascending order. */
  readonly firstSite: string
}

interface FleetState {
  readonly facts: FleetFacts
  /** Tells the pre-shared keys apart that several SSIDs have; undefined for any other key. */
  readonly keyNumber: number | undefined
}

export interface FleetMember {
  readonly site: string
  readonly wlan: string
}

interface Key {
  readonly number: number
  /** The first SSID with this key. */
  readonly ssid: string
  isShared: boolean
}

interface KeyedMember extends FleetMember {
  readonly after: Key | undefined
  readonly before: Key | undefined
}

interface FactsGroup extends Pick<FactsAround, 'after' | 'before'> {
  readonly keyReference: string | undefined
  readonly members: KeyedMember[]
}

/** WLANs of a fleet, grouped by their facts. It keeps the names of each and a hash of its pre-shared key, but no records. */
export class FleetTable {
  readonly #groups = new Map<string, FactsGroup>()
  /** By their hash, which means nothing without the salt of the run. */
  readonly #keys = new Map<string, Key>()
  readonly #salt = randomBytes(16)

  /** Most sites have keys of their own: these tell no groups apart. */
  get groups(): readonly FleetGroup[] {
    return [...this.#groups.values()].flatMap(splitByKeys)
  }

  /** Adds a WLAN to the group of those with its facts; one without facts before and after the change belongs to none. */
  add(site: string, wlan: LintedWlan): void {
    const found = resultOf(wlan.withSecrets.input.pair, this, () => this.#groupFor(wlan))
    if (found === null) return
    const { group, after, before } = found
    group.members.push({ site, wlan: wlan.name, after, before })
  }

  #groupFor(wlan: LintedWlan) {
    const [around] = resultsOf(
      wlan.input.pair,
      FleetTable,
      () => [wlan],
      (_, reads) => factsAround(wlan.noting(reads))
    )
    if (around === undefined) return null
    const { after, before, hasKey } = around
    // Only the files contain references: a different reference does not change the live state.
    const keys = hasKey ? keysOf(wlan) : noKeys
    return {
      group: this.#groupOf(around, keys.reference),
      after: this.#keyOf(keys.after, after),
      before: this.#keyOf(keys.before, before)
    }
  }

  #groupOf({ after, before, text }: FactsAround, keyReference: string | undefined): FactsGroup {
    const id = keyReference === undefined ? text : `${text}${keyReference}`
    return getOrInsert(this.#groups, id, () => ({ after, before, keyReference, members: [] }))
  }

  #keyOf(text: string | undefined, facts: FleetFacts | undefined): Key | undefined {
    if (text === undefined || facts === undefined) return undefined
    const { ssid } = facts
    const hash = createHash('sha256').update(this.#salt).update(text).digest('base64')
    const known = this.#keys.get(hash)
    if (known === undefined) {
      const key = { number: this.#keys.size, ssid, isShared: false }
      this.#keys.set(hash, key)
      return key
    }
    if (known.ssid !== ssid) known.isShared = true
    return known
  }
}

/** Splits a group by the keys of its WLANs that several SSIDs have. */
function splitByKeys({ after, before, keyReference, members }: FactsGroup): FleetGroup[] {
  const numberOf = (key: Key | undefined) => (key?.isShared ? key.number : undefined)
  const byKeys = groupsBy(members, each => `${numberOf(each.after)} ${numberOf(each.before)}`)
  return byKeys.map(same => {
    const [first] = same
    return {
      after: after && { facts: after, keyNumber: numberOf(first.after) },
      before: before && { facts: before, keyNumber: numberOf(first.before) },
      ...{ keyReference, members: same, firstSite: firstOf(same) }
    }
  })
}

function firstOf([{ site }, ...others]: readonly [FleetMember, ...FleetMember[]]): string {
  return others.reduce(
    (first, each) => (byCodeUnit(each.site, first) < 0 ? each.site : first),
    site
  )
}

interface FactsAround {
  readonly after: FleetFacts | undefined
  readonly before: FleetFacts | undefined
  readonly hasKey: boolean
  /** Equal for equal facts. */
  readonly text: string
}

function factsAround({ view, before, mayChange }: LintedWlan): readonly FactsAround[] {
  const facts = factsOf(view)
  const was = mayChange ? before && factsOf(before) : before && facts
  if (facts === undefined && was === undefined) return []
  const hasKey = facts !== undefined && view.meets('psk') && !view.meets('keys-of-users')
  const text = JSON.stringify([factsText(facts), factsText(was)])
  return [{ after: facts, before: was, hasKey, text }]
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
      JSON.stringify([factsText(after?.facts), factsText(before?.facts), keyReference ?? null])
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
