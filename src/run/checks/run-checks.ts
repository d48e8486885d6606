import { type Match, undeclaredWlans } from '../../core/diff/match.ts'
import { overlayWlan } from '../../core/diff/overlay.ts'
import type { Desired, DesiredSite, DesiredWlan, Waiver } from '../../core/model/desired.ts'
import { byPlace, type Finding } from '../../core/model/finding.ts'
import type {
  FleetRules,
  RuleSite,
  RuleSubject,
  RuleViolation
} from '../../core/model/fleet-rules.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import type { PlannedChange, PlannedSite } from '../../core/model/plan.ts'
import type { ChangePlaces } from '../../core/plan/change-places.ts'
import { type Allowances, mayWeaken } from '../../core/plan/guards.ts'
import { recordsAtBase } from '../../core/plan/since-base.ts'
import { secretsShownAt } from '../../core/schema/shown-secrets.ts'
import { compact } from '../../core/values/collections.ts'
import type { ValueObject } from '../../core/values/value.ts'
import { Waivers } from '../../fleet/policy/waivers.ts'
import { brokenRule, RuleFindings } from './rule-findings.ts'
import type { IsTolerated, LintResult, LintScope, RunLinter } from './run-linter.ts'

type CheckResult = Partial<LintResult> & { readonly findings: readonly Finding[] }

/** What checks a fleet; the linter is not even loaded for one that does not use it. */
interface Checking extends Pick<Desired, 'rules' | 'isWhole'> {
  readonly linter?: RunLinter
  readonly findings: RuleFindings
  readonly waivers: Waivers
  /** Existing errors of unmanaged WLANs stay errors. */
  readonly judgesUnmanaged: boolean
}

/**
 * Checks the WLANs of a run, one site after the other: by the linter, and by the rules of the policy. An error refuses the
 * run only if a change causes it or makes it worse, or if `policy.lint.strict` is set.
 */
export class RunChecks {
  readonly #checking: Checking | undefined

  constructor(checking?: Checking) {
    this.#checking = checking
  }

  /** `matches` are of `matchSite`. An existing problem is new if the base declares otherwise. */
  add(
    site: DesiredSite,
    live: LiveSite,
    planned: PlannedSite,
    matches: ReadonlyMap<DesiredWlan, Match>
  ): void {
    if (this.#checking === undefined) return
    const { linter, rules } = this.#checking
    const atBase = recordsAtBase(site, matches)
    linter?.addPlanned(site, live, planned, matches, atBase)
    if (rules) evaluate({ ...this.#checking, rules }, site, live, planned, matches, atBase)
  }

  /** Call it once, at the end. If every WLAN was checked, unused rules and waivers are findings. */
  result(planned: readonly PlannedSite[], placeOf: ChangePlaces): CheckResult {
    if (this.#checking === undefined) return { findings: [] }
    const { linter, rules, waivers, findings } = this.#checking
    const isWhole = this.#checking.isWhole === true && planned.every(isPlannedWhole)
    linter?.addRelations(placeOf)
    const found = findings.result()
    const { findings: ofLinter = [], ...lint } = linter?.resultOf(found) ?? {}
    const ofRules = [...found.ofPolicy, ...(rules?.problems(isWhole) ?? [])].sort(byPlace)
    const isEvaluated = (waiver: Waiver) =>
      isWhole && (waiver.ofPolicy ? rules !== undefined : linter?.hasLinted(waiver) === true)
    return { ...lint, findings: [...ofRules, ...ofLinter, ...waivers.problems(isEvaluated)] }
  }
}

function isPlannedWhole({ unread, wlanPlans }: PlannedSite): boolean {
  return unread === undefined && wlanPlans.every(({ status }) => status !== 'blocked')
}

/** The checks of a fleet. Loads the linter only if the fleet is linted. */
export async function checksOf(
  desired: Desired,
  scope: LintScope,
  allowances: Allowances = {}
): Promise<RunChecks> {
  const { policy, rules, isWhole } = desired
  if (policy.lint === undefined && rules === undefined) return new RunChecks()
  const waivers = new Waivers(desired.waivers, desired.waiversAtBase)
  // Only drift has all sites in scope.
  const isDrift = scope === 'all'
  const judgesUnmanaged = isDrift && policy.unmanaged !== 'ignore'
  const isTolerated: IsTolerated = (found, _, wlan) =>
    found.isDowngrade === true && wlan !== undefined && mayWeaken(wlan.address, allowances)
  const findings = new RuleFindings(desired, { strict: policy.lint?.strict === true }, waivers)
  const judging = { scope, findings, isTolerated, judgesUnmanaged, isDrift }
  const linter =
    policy.lint && new (await import('./run-linter.ts')).RunLinter(desired, policy.lint, judging)
  return new RunChecks({
    waivers,
    findings,
    judgesUnmanaged,
    ...compact({ linter, rules, isWhole })
  })
}

/** Evaluates the rules of the policy on a site as its planned changes leave it. Blocked WLANs keep their live state. */
function evaluate(
  { rules, findings, judgesUnmanaged }: Checking & { readonly rules: FleetRules },
  site: DesiredSite,
  live: LiveSite,
  { wlanPlans }: PlannedSite,
  matches: ReadonlyMap<DesiredWlan, Match>,
  atBase: ReadonlyMap<LiveWlan, ValueObject>
): void {
  const changed = new Set(
    wlanPlans.flatMap(({ status, address }) => (status === 'changed' ? address : []))
  )
  const subjectOf = subjects(site, live, atBase)
  const add = (
    found: readonly RuleViolation[],
    name: string,
    wlan?: DesiredWlan,
    isStrict = false
  ) => {
    for (const { rule, existing, pointer } of found) {
      const { name: id, level, message } = rule
      const fields = pointer === '' ? [] : [pointer]
      findings.add({
        found: { rule: id, level, fields, message, advice: '', existing },
        ...{ rule, site, name, wlan, isStrict },
        declared: wlan === undefined || existing ? [] : [{ site, wlan }],
        placeOf: findings.placeOf
      })
    }
  }
  for (const [wlan, match] of matches) {
    const found = 'live' in match ? match.live : match.contested
    if (wlan.excluded || found === undefined) continue
    const before = subjectOf(found)
    const isChanged = changed.has(wlan.address) && !isInherited(found.record)
    const after = isChanged ? { ...before, fields: overlayWlan(found.record, wlan.fields) } : before
    add(rules.evaluateLive(after, before, 'managed'), wlan.key, wlan)
  }
  for (const wlan of undeclaredWlans(matches, live)) {
    const isStrict = judgesUnmanaged && !isInherited(wlan.record)
    const subject = subjectOf(wlan)
    add(rules.evaluateLive(subject, subject, 'all'), wlan.ssid, undefined, isStrict)
  }
}

function subjects(
  site: RuleSite & Pick<DesiredSite, 'sinceBase'>,
  live: Pick<LiveSite, 'wlans'>,
  atBase: ReadonlyMap<LiveWlan, ValueObject> = new Map()
): (wlan: LiveWlan) => RuleSubject {
  const showsSecrets = secretsShownAt(live)
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
    .map(({ rule }) => brokenRule(rule, { ...where, rule: rule.name }, rule.level))
}
