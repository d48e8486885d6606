import { type Match, undeclaredWlans } from '../../core/diff/match.ts'
import { overlayWlan } from '../../core/diff/overlay.ts'
import type { DesiredSite, DesiredWlan, Site } from '../../core/model/desired.ts'
import type { Finding } from '../../core/model/finding.ts'
import type {
  FleetRules,
  RuleSite,
  RuleSubject,
  RuleViolation
} from '../../core/model/fleet-rules.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import type { PlannedChange } from '../../core/model/plan.ts'
import type { PlannedSite } from '../../core/plan/plan.ts'
import { secretsShownIn } from '../../core/schema/shown-secrets.ts'
import { fromEntries, member, type ValueObject } from '../../core/values/value.ts'
import { recordAtBase } from './base-problems.ts'
import { brokenRule, type RuleFindings } from './rule-findings.ts'

/**
 * Evaluates the rules of the policy on the WLANs of a run as its changes leave them. An error refuses the run
 * only if a change causes it or makes it worse, or if `policy.lint.strict` is set.
 */
export class RuleEvaluator {
  readonly #rules: FleetRules
  readonly #findings: RuleFindings
  readonly #judgesUnmanaged: boolean

  /** `judgesUnmanaged`: existing errors of unmanaged WLANs stay errors. */
  constructor(rules: FleetRules, findings: RuleFindings, judgesUnmanaged: boolean) {
    this.#rules = rules
    this.#findings = findings
    this.#judgesUnmanaged = judgesUnmanaged
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
        this.#add(aged(violation), site, wlan.key, wlan)
    }
    if (!this.#rules.appliesToUnmanaged) return
    for (const wlan of undeclaredWlans(matches, live)) {
      const subject = subjectOf(wlan)
      const aged = this.#aged(subject, wlan, atBase)
      const isStrict = this.#judgesUnmanaged && !isInherited(wlan.record)
      for (const violation of this.#rules.evaluateUnmanaged(subject))
        this.#add(aged(violation), site, wlan.ssid, undefined, isStrict)
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

  /** With `isWhole` also the rules that apply to no WLAN. */
  problems(isWhole: boolean): readonly Finding[] {
    return this.#rules.problems(isWhole)
  }

  #add(
    { rule, existing, pointer }: RuleViolation,
    site: Site,
    name: string,
    wlan?: DesiredWlan,
    isStrict = false
  ): void {
    const { name: id, level, message } = rule
    const fields = pointer === '' ? [] : [pointer]
    this.#findings.add({
      found: { rule: id, level, fields, message, advice: '', existing },
      ...{ rule, site, name, wlan, isStrict },
      declared: wlan === undefined || existing ? [] : [{ site, wlan }],
      placeOf: this.#findings.placeOf
    })
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
