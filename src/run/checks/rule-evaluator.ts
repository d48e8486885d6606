import { type Match, undeclaredWlans } from '../../core/diff/match.ts'
import { overlayWlan } from '../../core/diff/overlay.ts'
import type { Desired, DesiredSite, DesiredWlan, Policy, Site } from '../../core/model/desired.ts'
import {
  aboutAddresses,
  asWaived,
  byPlace,
  type Finding,
  type FindingLevel,
  type FindingWaiver,
  finding,
  type Location,
  type Where
} from '../../core/model/finding.ts'
import type {
  FleetRules,
  PolicyRule,
  RuleSite,
  RuleSubject,
  RuleViolation
} from '../../core/model/fleet-rules.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import type { PlannedSite } from '../../core/plan/plan.ts'
import { secretsShownIn } from '../../core/schema/shown-secrets.ts'
import { compact, sortBy } from '../../core/values/collections.ts'
import { quote } from '../../core/values/text.ts'
import { fromEntries, member, type ValueObject } from '../../core/values/value.ts'
import type { Waivers } from '../../fleet/policy/waivers.ts'
import { recordAtBase } from './base-problems.ts'
import { FieldPlaces } from './field-places.ts'

/** Violations of a rule that differ only in the WLAN. */
interface Group {
  readonly rule: PolicyRule
  readonly existing: boolean
  readonly waived: FindingWaiver | undefined
  readonly place: Location | undefined
  /** The SSID of a WLAN that no file declares. */
  readonly undeclared: string | undefined
  /** It is judged by the rule like a change. */
  readonly isUnmanaged: boolean
  readonly addresses: string[]
}

/** A rule lists at most this many places, and counts the others. */
const MAX_PLACES = 200

type RuleContext = Pick<Desired, 'placesOf' | 'policy'>

/**
 * Evaluates the rules of the policy on the WLANs of a run as its changes leave them. An error refuses the run
 * only if a change causes it or makes it worse, or if `policy.lint.strict` is set.
 */
export class RuleEvaluator {
  readonly #rules: FleetRules
  readonly #waivers: Waivers
  readonly #policy: Policy
  readonly #places: FieldPlaces
  readonly #judgesUnmanaged: boolean
  readonly #groups = new Map<string, Group>()
  /** The number of listed groups of each rule. */
  readonly #listed = new Map<PolicyRule, number>()
  /** The number of WLANs at places that are not listed, by rule. */
  readonly #more = new Map<PolicyRule, number>()

  /** `judgesUnmanaged`: existing errors of unmanaged WLANs stay errors. */
  constructor(desired: RuleContext, rules: FleetRules, waivers: Waivers, judgesUnmanaged = false) {
    this.#judgesUnmanaged = judgesUnmanaged
    this.#policy = desired.policy
    this.#places = new FieldPlaces(desired)
    this.#rules = rules
    this.#waivers = waivers
  }

  /**
   * Evaluates the rules on a site as its planned changes leave it. WLANs that the plan blocks keep their live
   * state. `matches`: those of `matchSite`. Existing violations that the site `atBase` lacks are new.
   */
  addPlanned(
    site: DesiredSite,
    live: LiveSite,
    { wlanPlans }: Pick<PlannedSite, 'wlanPlans'>,
    matches: ReadonlyMap<DesiredWlan, Match>,
    atBase?: LiveSite
  ): void {
    const changed = new Set(
      wlanPlans.flatMap(({ status, address }) => (status === 'changed' ? address : []))
    )
    const subjectOf = subjects(site, live, this.#rules)
    for (const [wlan, match] of matches) {
      const found = 'live' in match ? match.live : match.contested
      if (wlan.excluded || found === undefined) continue
      const before = subjectOf(found)
      const isChanged = changed.has(wlan.address) && !isInherited(found.record)
      const after = isChanged ? withDeclared(before, wlan.fields, this.#rules) : before
      const aged = this.#aged(after, found, atBase)
      for (const violation of this.#rules.evaluateLive(after, before))
        this.#push(aged(violation), site, wlan)
    }
    if (!this.#rules.appliesToUnmanaged) return
    for (const wlan of undeclaredWlans(matches, live)) {
      const subject = subjectOf(wlan)
      const aged = this.#aged(subject, wlan, atBase)
      const violations = this.#rules.evaluateUnmanaged(subject)
      for (const violation of violations) this.#push(aged(violation), site, undefined, wlan)
    }
  }

  /** Returns a function that makes the existing violations of a WLAN new that it does not have at the base. */
  #aged(
    after: RuleSubject,
    live: LiveWlan,
    atBase: LiveSite | undefined
  ): (violation: RuleViolation) => RuleViolation {
    if (atBase === undefined) return violation => violation
    return violation => {
      if (!violation.existing) return violation
      const record = recordAtBase(atBase, live)
      const was = { ...after, fields: picked(record, this.#rules.fields), live: record }
      const isNew = this.#rules
        .evaluateLive(after, was)
        .some(({ rule, existing }) => rule.name === violation.rule.name && !existing)
      return isNew ? { ...violation, existing: false } : violation
    }
  }

  /** All findings; with `isWhole` also the rules that apply to no WLAN. Call it once, after the last site. */
  result(isWhole: boolean): Finding[] {
    const groups = sortBy([...this.#groups], ([key]) => key).map(([, group]) =>
      this.#finding(group)
    )
    const more = [...this.#more].map(([{ name, level, place }, count]) =>
      finding('RULE_BROKEN_OFTEN', { place, rule: name }, name, count, level)
    )
    return [...groups, ...more, ...this.#rules.problems(isWhole)].sort(byPlace)
  }

  #push(
    { rule, existing, pointer }: RuleViolation,
    site: Site,
    wlan?: DesiredWlan,
    unmanaged?: LiveWlan
  ): void {
    const waived = this.#waivers.covering(rule.name, () => ({
      site,
      wlan: wlan?.key ?? unmanaged?.ssid
    }))
    const place =
      existing || wlan === undefined
        ? undefined
        : this.#places.placeOf(pointer ? [pointer] : [], wlan, site)
    const undeclared = unmanaged?.ssid
    const isUnmanaged =
      this.#judgesUnmanaged && unmanaged !== undefined && !isInherited(unmanaged.record)
    const address = wlan?.address ?? site.name
    const about = { existing, waived, place, undeclared, isUnmanaged }
    const key = JSON.stringify([rule.name, rule.level, ...Object.values(about)])
    const group = this.#groups.get(key)
    if (group !== undefined) {
      group.addresses.push(address)
      return
    }
    const listed = this.#listed.get(rule) ?? 0
    if (listed === MAX_PLACES && waived === undefined && !existing) {
      this.#more.set(rule, (this.#more.get(rule) ?? 0) + 1)
      return
    }
    this.#listed.set(rule, listed + (existing ? 0 : 1))
    this.#groups.set(key, { rule, ...about, addresses: [address] })
  }

  #finding(group: Group): Finding {
    const { rule, existing, waived, place, addresses } = group
    const where: Where = {
      ...compact({ place }),
      ...aboutAddresses(addresses),
      rule: rule.name,
      ...(existing && { existing: true })
    }
    const isTolerated = existing && !group.isUnmanaged && this.#policy.lint?.strict !== true
    const level = isTolerated ? 'warning' : rule.level
    const found = brokenRule(rule, where, level, addresses, group.undeclared)
    return waived === undefined ? found : asWaived(found, waived)
  }
}

function brokenRule(
  { name, message }: PolicyRule,
  where: Where,
  level: FindingLevel,
  addresses: readonly string[],
  undeclared?: string
): Finding {
  const sorted = sortBy(addresses, address => address)
  const isExisting = where.existing === true
  const { hint, ...found } = finding(
    'RULE',
    where,
    name,
    message,
    level,
    sorted,
    undefined,
    isExisting
  )
  return {
    ...found,
    ...(!isExisting && compact({ hint })),
    ...(undeclared !== undefined && { message: `${quote(undeclared)}: ${found.message}` })
  }
}

/** The live WLANs of a site as subjects of rules, with the fields that the rules read. */
function subjects(
  site: RuleSite & Pick<DesiredSite, 'sinceBase'>,
  { wlans }: Pick<LiveSite, 'wlans'>,
  { fields }: FleetRules
): (wlan: LiveWlan) => RuleSubject {
  const showsSecrets = secretsShownIn(wlans.map(({ record }) => record))
  const siteAtBase = site.sinceBase?.site
  return ({ record }) => ({
    fields: picked(record, fields),
    live: record,
    site,
    siteAtBase,
    showsSecrets
  })
}

function withDeclared(
  before: RuleSubject,
  declared: ValueObject,
  { fields }: FleetRules
): RuleSubject {
  return { ...before, fields: overlayWlan(before.fields, picked(declared, fields)) }
}

function picked(record: ValueObject, names: ReadonlySet<string> | undefined): ValueObject {
  if (names === undefined) return record
  return fromEntries(
    [...names].flatMap(name => {
      const value = member(record, name)
      return value === undefined ? [] : [[name, value] as const]
    })
  )
}

/** The rules that a change breaks and the live WLAN does not, for a run without declarations. */
export function newlyBroken(
  { change, desired, live }: PlannedChange,
  rules: FleetRules,
  site: RuleSite
): Finding[] {
  const before = subjects(site, { wlans: [live] }, rules)(live)
  const { address } = change
  const fields = picked({ ...live.record, ...change.request.body }, rules.fields)
  const broken = rules.evaluateLive({ ...before, fields }, before)
  const where = { address, place: desired.place }
  return broken
    .filter(({ existing }) => !existing)
    .map(({ rule }) => brokenRule(rule, { ...where, rule: rule.name }, rule.level, [address]))
}
