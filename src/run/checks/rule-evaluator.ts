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
import type { ValueObject } from '../../core/values/value.ts'
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

  /** As `RunLinter.addPlanned`. */
  addPlanned(
    site: DesiredSite,
    live: LiveSite,
    { wlanPlans }: Pick<PlannedSite, 'wlanPlans'>,
    matches: ReadonlyMap<DesiredWlan, Match>,
    atBase: ReadonlyMap<LiveWlan, ValueObject>
  ): void {
    const changed = new Set(
      wlanPlans.flatMap(({ status, address }) => (status === 'changed' ? address : []))
    )
    const subjectOf = subjects(site, live, atBase)
    for (const [wlan, match] of matches) {
      const found = 'live' in match ? match.live : match.contested
      if (wlan.excluded || found === undefined) continue
      const before = subjectOf(found)
      const isChanged = changed.has(wlan.address) && !isInherited(found.record)
      const after = isChanged
        ? { ...before, fields: overlayWlan(found.record, wlan.fields) }
        : before
      for (const violation of this.#rules.evaluateLive(after, before, 'managed'))
        this.#add(violation, site, wlan.key, wlan)
    }
    for (const wlan of undeclaredWlans(matches, live)) {
      const isStrict = this.#judgesUnmanaged && !isInherited(wlan.record)
      const subject = subjectOf(wlan)
      for (const violation of this.#rules.evaluateLive(subject, subject, 'all'))
        this.#add(violation, site, wlan.ssid, undefined, isStrict)
    }
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

function subjects(
  site: RuleSite & Pick<DesiredSite, 'sinceBase'>,
  { wlans }: Pick<LiveSite, 'wlans'>,
  atBase: ReadonlyMap<LiveWlan, ValueObject> = new Map()
): (wlan: LiveWlan) => RuleSubject {
  const showsSecrets = secretsShownIn(wlans.map(({ record }) => record))
  const siteAtBase = site.sinceBase?.site
  return wlan => ({
    ...{ fields: wlan.record, live: wlan.record, atBase: atBase.get(wlan) },
    ...{ site, siteAtBase, showsSecrets }
  })
}

/** The rules that a change breaks and the live WLAN does not, for a run without declarations. */
export function newlyBroken(
  { change, desired, live }: PlannedChange,
  rules: FleetRules,
  site: RuleSite
): Finding[] {
  const before = subjects(site, { wlans: [live] })(live)
  const { address } = change
  const fields = { ...live.record, ...change.request.body }
  const broken = rules.evaluateLive({ ...before, fields }, before, 'managed')
  const where = { address, place: desired.place }
  return broken
    .filter(({ existing }) => !existing)
    .map(({ rule }) => brokenRule(rule, { ...where, rule: rule.name }, rule.level, [address]))
}
