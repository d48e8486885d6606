import type { Match } from '../../core/diff/match.ts'
import type { Desired, DesiredSite, DesiredWlan, Waiver } from '../../core/model/desired.ts'
import { byPlace, type Finding } from '../../core/model/finding.ts'
import type { FleetRules } from '../../core/model/fleet-rules.ts'
import type { LiveSite } from '../../core/model/live.ts'
import type { ChangePlaces } from '../../core/plan/change-places.ts'
import { type Allowances, mayWeaken } from '../../core/plan/guards.ts'
import type { PlannedSite } from '../../core/plan/plan.ts'
import { recordsAtBase } from '../../core/plan/since-base.ts'
import { compact } from '../../core/values/collections.ts'
import { Waivers } from '../../fleet/policy/waivers.ts'
import type { RuleEvaluator } from './rule-evaluator.ts'
import { RuleFindings } from './rule-findings.ts'
import type { IsTolerated, LintResult, LintScope, RunLinter } from './run-linter.ts'

type CheckResult = Partial<LintResult> & { readonly findings: readonly Finding[] }

/** The checks that a fleet uses; absent ones are not even loaded. */
interface UsedChecks {
  readonly linter?: RunLinter
  readonly evaluator?: RuleEvaluator
  readonly rules?: FleetRules
  readonly waivers?: Waivers
  readonly findings?: RuleFindings
}

/** Checks the WLANs of a run, one site after the other: by the linter, and by the rules of the policy. */
export class RunChecks {
  readonly #used: UsedChecks
  readonly #isWhole: boolean

  /** `isWhole`: the run covers the whole fleet. Without `used`, there are no checks and no findings. */
  constructor(used: UsedChecks = {}, isWhole = false) {
    this.#used = used
    this.#isWhole = isWhole
  }

  /** `matches`: those of `matchSite`. An existing problem is new if the base declares otherwise. */
  add(
    site: DesiredSite,
    live: LiveSite,
    planned: PlannedSite,
    matches: ReadonlyMap<DesiredWlan, Match>
  ): void {
    const { linter, evaluator } = this.#used
    if (linter === undefined && evaluator === undefined) return
    const atBase = recordsAtBase(site, matches)
    linter?.addPlanned(site, live, planned, matches, atBase)
    evaluator?.addPlanned(site, live, planned, matches, atBase)
  }

  /** Call it once, at the end. If every WLAN was checked, unused rules and waivers are findings. */
  result(planned: readonly PlannedSite[], placeOf: ChangePlaces): CheckResult {
    const { linter, rules, waivers, findings } = this.#used
    if (findings === undefined) return { findings: [] }
    const isWhole = this.#isWhole && planned.every(isPlannedWhole)
    linter?.addRelations(placeOf)
    const found = findings.result()
    const { findings: ofLinter = [], ...lint } = linter?.resultOf(found) ?? {}
    const ofRules = [...found.ofPolicy, ...(rules?.problems(isWhole) ?? [])].sort(byPlace)
    const isEvaluated = (waiver: Waiver) =>
      isWhole && (waiver.ofPolicy ? rules !== undefined : linter?.hasLinted(waiver) === true)
    const ofWaivers = waivers?.problems(isEvaluated) ?? []
    return { ...lint, findings: [...ofRules, ...ofLinter, ...ofWaivers] }
  }
}

function isPlannedWhole({ unread, wlanPlans }: PlannedSite): boolean {
  return unread === undefined && wlanPlans.every(({ status }) => status !== 'blocked')
}

/** The checks of a fleet. Loads their code only if the fleet is linted or has `policy.rules`. */
export async function checksOf(
  desired: Desired,
  scope: LintScope,
  allowances: Allowances = {}
): Promise<RunChecks> {
  const { policy, rules, waivers: declared, isWhole } = desired
  if (policy.lint === undefined && rules === undefined) return new RunChecks()
  const waivers = new Waivers(declared, desired.waiversAtBase)
  // Only drift has all sites in scope.
  const isDrift = scope === 'all'
  const judgesUnmanaged = isDrift && policy.unmanaged !== 'ignore'
  const isTolerated: IsTolerated = (found, _, wlan) =>
    found.isDowngrade === true && wlan !== undefined && mayWeaken(wlan.address, allowances)
  const findings = new RuleFindings(desired, { strict: policy.lint?.strict === true }, waivers)
  const judging = { scope, findings, isTolerated, judgesUnmanaged, isDrift }
  const linter =
    policy.lint && new (await import('./run-linter.ts')).RunLinter(desired, policy.lint, judging)
  const evaluator =
    rules &&
    new (await import('./rule-evaluator.ts')).RuleEvaluator(rules, findings, judgesUnmanaged)
  return new RunChecks({ waivers, findings, ...compact({ linter, evaluator, rules }) }, isWhole)
}
