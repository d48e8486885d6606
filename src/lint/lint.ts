import { byCodeUnit, compact, groupBy } from '../model/collections.ts'
import { defaultLintPolicy, type LintPolicy } from '../model/desired.ts'
import type { Pointer } from '../model/pointer.ts'
import { lintRules } from './catalogue.ts'
import { describeFields } from './describe.ts'
import { fleetWlan, type TextCache } from './fleet-wlans.ts'
import { ResultCache } from './memo.ts'
import { existingOrNew, levelBy } from './policy.ts'
import type {
  FleetRule,
  FleetWlan,
  LintLevel,
  LintRule,
  SiteRule,
  SiteWlan,
  Violation,
  WlanRule
} from './rule.ts'
import { type LintSite, type SiteViews, siteViews } from './site-views.ts'
import type { WlanView } from './view.ts'

/** A problem that a rule of the linter found. Texts from outside in it are not escaped. */
export interface LintFinding {
  /** The id of the rule. */
  readonly rule: string
  readonly level: LintLevel
  /** The name of the site. */
  readonly site: string
  /** The name of the WLAN; absent where the site as a whole breaks the rule. */
  readonly wlan?: string
  /** The pointers of the fields that the finding is about. */
  readonly fields: readonly Pointer[]
  /** The problem, and the values of the fields with their origins. No secret. */
  readonly message: string
  readonly advice: string
  /** True if the live state breaks the rule already, no less. */
  readonly existing: boolean
  /** The finding depends on a secret's value: keep it out of saved plans, snapshots and records. */
  readonly fromSecret?: true
}

/**
 * Lints a fleet, one site after the other: `lintSite` for each, then `lintFleet` once for the relations
 * across sites. Between the calls it keeps a few facts about each WLAN, no records. The time is linear in
 * the number of WLANs.
 *
 * A WLAN with declared fields and a live record is judged as it will be after the update, and each finding
 * is existing or new. With declared fields alone, a rule holds only where all the values that it needs are
 * declared; such findings are new. A live WLAN that is not declared has existing findings only.
 */
export class Linter {
  readonly #policy: LintPolicy
  readonly #wlanRules: readonly RuleGroup[]
  readonly #results: ResultCache<LintFinding>
  readonly #siteRules: readonly SiteRule[]
  readonly #fleetRules: readonly FleetRule[]
  readonly #after: FleetWlan[] = []
  /** The WLANs before the change, where they were read. */
  readonly #before: FleetWlan[] = []
  readonly #texts: TextCache = new Map()
  #count = 0

  constructor(policy: LintPolicy = defaultLintPolicy) {
    this.#policy = policy
    const rules = lintRules.filter(({ id }) => !isOff(policy, id))
    this.#wlanRules = groupRules(rules.filter(isWlanRule))
    this.#results = new ResultCache(this.#wlanRules.length)
    this.#siteRules = rules.filter(rule => rule.view === 'S')
    this.#fleetRules = rules.filter(rule => rule.view === 'F')
  }

  /** The findings of the rules about single WLANs, changes and the site. */
  lintSite(site: LintSite): LintFinding[] {
    const views = siteViews(site)
    const judged = views.after.filter(({ view }) => !view.off('/enabled'))
    this.#remember(site.name, views)
    return [
      ...views.after.flatMap(wlan => this.#ofWlan(site.name, views, wlan)),
      ...this.#siteRules.flatMap(rule => this.#ofSite(rule, site.name, views, judged))
    ]
  }

  /** The findings of the rules about relations across all sites given to `lintSite`. */
  lintFleet(): LintFinding[] {
    sortBySite(this.#after)
    sortBySite(this.#before)
    return this.#fleetRules.flatMap(rule => this.#ofFleet(rule))
  }

  #ofWlan(site: string, views: SiteViews, wlan: SiteWlan): LintFinding[] {
    const check = (group: number) => this.#ofGroup(group, site, views, wlan)
    const found = this.#results.results(wlan.name, views.input(wlan), check)
    // A result may be that of an equal WLAN of another site.
    return found.map(each => (each.site === site ? each : { ...each, site }))
  }

  #ofGroup(group: number, site: string, views: SiteViews, wlan: SiteWlan): LintFinding[] {
    const { given, rules } = this.#wlanRules[group] ?? noGroup
    if (given !== undefined && !wlan.view.someSet(given)) return []
    const before = views.mayChange(wlan) ? views.before(wlan) : undefined
    const isOff = wlan.view.off('/enabled')
    const findings: LintFinding[] = []
    for (const rule of rules) {
      if (isOff && rule.view !== 'D') continue
      for (const violation of rule.check(wlan.view, before)) {
        const existing = this.#isExistingOnWlan(rule, views, wlan, before, violation)
        findings.push(...this.#finding(rule, violation, site, existing, wlan))
      }
    }
    return findings
  }

  #isExistingOnWlan(
    rule: WlanRule,
    views: SiteViews,
    wlan: SiteWlan,
    before: WlanView | undefined,
    violation: Violation
  ): boolean {
    if (before === undefined) return views.before(wlan) !== undefined
    if (rule.view !== 'D' && before.off('/enabled')) return false
    return existingOrNew(rule.check(before, undefined), violation, rule.severity) === 'existing'
  }

  #ofSite(
    rule: SiteRule,
    site: string,
    views: SiteViews,
    wlans: readonly SiteWlan[]
  ): LintFinding[] {
    const violations = rule.check(wlans)
    if (violations.length === 0) return []
    const was = rule.check(wlansBefore(views))
    return violations.flatMap(violation => {
      const same = was.filter(({ wlan }) => wlan?.index === violation.wlan?.index)
      const existing = existingOrNew(same, violation, rule.severity) === 'existing'
      return this.#finding(rule, violation, site, existing, violation.wlan)
    })
  }

  #ofFleet(rule: FleetRule): LintFinding[] {
    const violations = rule.check(this.#after)
    if (violations.length === 0) return []
    const was = new Map<number, Violation[]>()
    for (const violation of rule.check(this.#before)) {
      const { index } = violation.wlan
      const group = was.get(index)
      if (group === undefined) was.set(index, [violation])
      else group.push(violation)
    }
    return violations.flatMap(violation => {
      const { site, wlan, index } = violation.wlan
      const existing = existingOrNew(was.get(index) ?? [], violation, rule.severity) === 'existing'
      return this.#finding(rule, violation, site, existing, { name: wlan })
    })
  }

  #remember(site: string, views: SiteViews): void {
    for (const wlan of views.after) {
      const index = this.#count
      this.#count += 1
      const after = fleetWlan(site, wlan, wlan.view, index, this.#texts)
      if (after !== undefined) this.#after.push(after)
      const view = views.before(wlan)
      if (view === undefined) continue
      const before = views.mayChange(wlan) ? fleetWlan(site, wlan, view, index, this.#texts) : after
      // The files alone name references: a difference between them is no change of the live state.
      if (before !== undefined) {
        this.#before.push({ ...before, keyReference: after?.keyReference })
      }
    }
  }

  #finding(
    rule: LintRule,
    violation: Violation,
    site: string,
    existing: boolean,
    wlan?: { readonly name: string; readonly view?: WlanView }
  ): LintFinding[] {
    const level = levelBy(this.#policy, rule.id, violation.level ?? rule.severity)
    if (level === undefined) return []
    const fields = violation.fields ?? rule.fields
    const values = wlan?.view === undefined ? '' : describeFields(wlan.view, fields)
    const text = violation.message ?? rule.message
    return [
      {
        rule: rule.id,
        level,
        site,
        ...compact({ wlan: wlan?.name }),
        fields,
        message: values === '' ? text : `${text}: ${values}`,
        advice: rule.advice,
        existing,
        ...compact({ fromSecret: rule.fromSecret })
      }
    ]
  }
}

/** Sites come in the order of their responses; the findings do not depend on it. */
function sortBySite(wlans: FleetWlan[]): void {
  wlans.sort((a, b) => byCodeUnit(a.site, b.site))
}

/** All findings of a fleet. */
export function lint(
  sites: Iterable<LintSite>,
  policy: LintPolicy = defaultLintPolicy
): LintFinding[] {
  const linter = new Linter(policy)
  const findings: LintFinding[] = []
  for (const site of sites) findings.push(...linter.lintSite(site))
  return [...findings, ...linter.lintFleet()]
}

/** Rules about one WLAN that have the same filter. */
interface RuleGroup {
  readonly given: readonly Pointer[] | undefined
  readonly rules: readonly WlanRule[]
}

const noGroup: RuleGroup = { given: undefined, rules: [] }

/** The groups in the order of their first rule; a rule without a filter has a group of its own. */
function groupRules(rules: readonly WlanRule[]): RuleGroup[] {
  const groups = groupBy(rules, ({ id, given }) => given?.join(' ') ?? id)
  return [...groups.values()].map(group => ({ given: group[0]?.given, rules: group }))
}

function isWlanRule(rule: LintRule): rule is WlanRule {
  return rule.view !== 'S' && rule.view !== 'F'
}

function isOff(policy: LintPolicy, id: string): boolean {
  return Object.hasOwn(policy.rules, id) && policy.rules[id] === 'off'
}

/** The live WLANs that are not known to be disabled, as they are before the change. */
function wlansBefore(views: SiteViews): SiteWlan[] {
  return views.after.flatMap(wlan => {
    const view = views.before(wlan)
    return view === undefined || view.off('/enabled') ? [] : [{ ...wlan, view }]
  })
}
