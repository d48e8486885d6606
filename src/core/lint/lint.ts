import { defaultLintPolicy } from '../model/defaults.ts'
import type { LintPolicy } from '../model/desired.ts'
import { Pair, resultsOf } from '../model/pairs.ts'
import { append, compact, groupBy, sortBy } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { siteRules, wlanRules } from './catalogue.ts'
import { FleetTable, type RelationFinding, relationsBetween } from './fleet.ts'
import type { SiteRule, SiteWlan, Violation, WlanRule } from './rule.ts'
import { existingOrNew, isOff, type RuleFinding, ruleFindings } from './rule-finding.ts'
import {
  type LayersOf,
  type LintedWlan,
  type LintSite,
  lintedWlans,
  type WlanView
} from './view.ts'

export interface LintFinding extends RuleFinding {
  readonly site: string
  /** The name of the WLAN; absent if the finding is about the whole site. */
  readonly wlan?: string
}

/**
 * Receives a finding and the name of its WLAN; undefined for a finding about the whole site. `others` are the names of
 * the other WLANs that break the rule together with it.
 */
export type ReportFinding = (
  found: RuleFinding,
  wlan: string | undefined,
  others?: readonly string[]
) => void

const MAX_SITES = 500

/**
 * Lints a fleet site by site: call `lintSite` or `addSite` for each site, then `lintFleet` once for the
 * relations across sites. Between the calls it keeps a few facts about each WLAN, but no records. The time
 * is linear in the number of WLANs.
 *
 * A WLAN with declared fields and a live record is linted as the update would leave it, and each finding is
 * existing or new: one that the state of the base lacks is new, too. Without a live record, a rule applies only if all values that it needs are declared;
 * such findings are new. A live WLAN that is not declared has existing findings only.
 */
export class Linter {
  readonly #policy: LintPolicy
  readonly #wlanRules: readonly RuleGroup[]
  /** The rules that depend on the values of secrets, in which WLANs with the same `Pair` differ. */
  readonly #secretRules: readonly RuleGroup[]
  readonly #siteRules: readonly SiteRule[]
  readonly #fleet = new FleetTable()
  /** Cache of the findings about whole sites. Key: the names and the pairs of their WLANs. Bound: `MAX_SITES`. */
  readonly #sites = new Map<string, Pair>()
  readonly #numbers = new Map<Pair, number>()

  constructor(policy: LintPolicy = defaultLintPolicy) {
    this.#policy = policy
    const used = wlanRules.filter(({ id }) => !isOff(policy, id))
    this.#wlanRules = groupRules(used.filter(({ fromSecret }) => fromSecret !== true))
    this.#secretRules = groupRules(used.filter(({ fromSecret }) => fromSecret === true))
    this.#siteRules = siteRules.filter(({ id }) => !isOff(policy, id))
  }

  /** Adds the WLANs of a site for `lintFleet` without reporting findings about the site. */
  addSite(site: LintSite): void {
    for (const wlan of lintedWlans(site)) this.#fleet.add(site.name, wlan)
  }

  /** Reports the findings of the rules about single WLANs, their changes and the site. */
  lintSite(site: LintSite, report: ReportFinding): void {
    const wlans = lintedWlans(site)
    for (const wlan of wlans) {
      this.#fleet.add(site.name, wlan)
      for (const found of this.#check(wlan, this.#wlanRules)) report(found, wlan.name)
      for (const found of this.#check(wlan.withSecrets, this.#secretRules)) report(found, wlan.name)
    }
    const rules = this.#siteRules
    const found = resultsOf(
      this.#siteOf(wlans),
      rules,
      () => rules,
      (rule, reads) =>
        this.#siteFindings(
          rule,
          wlans.map(wlan => wlan.noting(reads))
        )
    )
    for (const [each, wlan, others] of found) report(each, wlan, others)
  }

  /** What sites have in common whose WLANs have the same names and pairs; undefined if a WLAN has none. */
  #siteOf(wlans: readonly LintedWlan[]): Pair | undefined {
    let key = ''
    for (const { name, input } of wlans) {
      if (input.pair === undefined) return undefined
      const number = this.#numbers.get(input.pair) ?? this.#numbers.size
      this.#numbers.set(input.pair, number)
      key += `${number} ${name.length} ${name} `
    }
    const known = this.#sites.get(key)
    if (known !== undefined || this.#sites.size === MAX_SITES) return known
    const varying = new Set(wlans.flatMap(({ input }) => [...(input.pair?.varying ?? [])]))
    const site = new Pair(varying.size === 0 ? undefined : varying)
    this.#sites.set(key, site)
    return site
  }

  /** The findings of the rules that compare all sites passed to `lintSite` or `addSite`. */
  relations(): RelationFinding[] {
    return relationsBetween(this.#fleet.groups, this.#policy)
  }

  /** `relations`, with a finding for each WLAN. */
  lintFleet(): LintFinding[] {
    return this.relations().flatMap(({ group, found }) =>
      sortBy(group.members, ({ site }) => site).map(member => ({ ...found, ...member }))
    )
  }

  #check(wlan: LintedWlan, groups: readonly RuleGroup[]): readonly RuleFinding[] {
    return resultsOf(
      wlan.input.pair,
      groups,
      () => groups,
      (group, reads) => this.#findingsOf(wlan.noting(reads), group)
    )
  }

  #findingsOf(wlan: LintedWlan, { given, rules }: RuleGroup): readonly RuleFinding[] {
    const { view } = wlan
    if (!view.someSet(given)) return []
    const before = wlan.mayChange ? wlan.before : undefined
    const isOff = view.off('/enabled')
    const findings: RuleFinding[] = []
    for (const rule of rules) {
      if (isOff && rule.view !== 'D') continue
      if (before === undefined && rule.view === 'T') continue
      for (const found of rule.check(view, before)) {
        if (!found) continue
        const fields = found.fields ?? rule.fields
        const violation = withoutOverridden(found, fields, wlan.input.layersOf)
        if (violation === undefined) continue
        const existing = isExistingOnWlan(rule, wlan, violation)
        append(findings, ruleFindings(this.#policy, violation, { rule, existing, view }))
      }
    }
    return findings
  }

  #siteFindings(rule: SiteRule, wlans: readonly LintedWlan[]): Parameters<ReportFinding>[] {
    const active = wlans.filter(({ view }) => !view.off('/enabled'))
    const violations = rule.check(active)
    if (violations.length === 0) return []
    const isOtherAtBase = wlans.some(({ atBase }) => atBase !== undefined)
    const earlier = [
      rule.check(stateOf(wlans, ({ before }) => before)),
      ...(isOtherAtBase ? [rule.check(stateOf(wlans, wlan => wlan.atBase ?? wlan.before))] : [])
    ]
    return violations.flatMap(violation => {
      const { wlan, others = [] } = violation
      const existing = earlier.every(was => {
        const same = was.filter(each => each.wlan?.index === wlan?.index)
        return existingOrNew(same, violation, rule.severity) === 'existing'
      })
      const findings = ruleFindings(this.#policy, violation, { rule, existing, view: wlan?.view })
      const names = others.map(({ name }) => name)
      return findings.map((found): Parameters<ReportFinding> => [found, wlan?.name, names])
    })
  }
}

/** The findings about one site, in order. */
export function findingsOf(linter: Linter, site: LintSite): LintFinding[] {
  const findings: LintFinding[] = []
  linter.lintSite(site, (found, wlan) => {
    findings.push({ ...found, site: site.name, ...compact({ wlan }) })
  })
  return findings
}

export function lint(
  sites: Iterable<LintSite>,
  policy: LintPolicy = defaultLintPolicy
): LintFinding[] {
  const linter = new Linter(policy)
  const findings: LintFinding[] = []
  for (const site of sites) append(findings, findingsOf(linter, site))
  return [...findings, ...linter.lintFleet()]
}

interface RuleGroup {
  readonly given: WlanRule['given']
  readonly rules: readonly WlanRule[]
}

/** The groups in the order of their first rule; a rule without `given` fields forms its own group. */
function groupRules(rules: readonly WlanRule[]): RuleGroup[] {
  const groups = groupBy(rules, ({ id, given }) => given?.join(' ') ?? id)
  return [...groups.values()].map(group => ({ given: group[0]?.given, rules: group }))
}

/** True if the live state has the violation before a change, and that of the base, too. */
function isExistingOnWlan(rule: WlanRule, wlan: LintedWlan, violation: Violation): boolean {
  const { before, atBase, mayChange } = wlan
  if (before === undefined || (mayChange && !breaks(before, rule, violation))) return false
  return atBase === undefined || breaks(atBase, rule, violation)
}

function breaks(view: WlanView, rule: WlanRule, violation: Violation): boolean {
  if (rule.view !== 'D' && view.off('/enabled')) return false
  if (!view.someSet(rule.given)) return false
  return existingOrNew(rule.check(view, undefined), violation, rule.severity) === 'existing'
}

/**
 * The violation without ignored values of a weaker layer than what makes them ignored: an exception to a profile need
 * not unset what the profile declares. Undefined if none is left.
 */
function withoutOverridden(
  violation: Violation,
  fields: readonly Pointer[],
  layersOf: LayersOf | undefined
): Violation | undefined {
  const { ignored } = violation
  const layers = ignored && layersOf?.(fields)
  if (ignored === undefined || layers === undefined) return violation
  const causes = fields.flatMap(each => (ignored.includes(each) ? [] : (layers[each] ?? [])))
  const isOverridden = (field: Pointer) => causes.some(cause => cause > (layers[field] ?? cause))
  const overridden = ignored.filter(isOverridden)
  if (overridden.length === 0) return violation
  if (overridden.length === ignored.length) return undefined
  return { ...violation, fields: fields.filter(field => !overridden.includes(field)) }
}

function stateOf(
  wlans: readonly LintedWlan[],
  viewOf: (wlan: LintedWlan) => WlanView | undefined
): SiteWlan[] {
  return wlans.flatMap(wlan => {
    const view = viewOf(wlan)
    const { index, name } = wlan
    return view === undefined || view.off('/enabled') ? [] : [{ index, name, view }]
  })
}
