import type { Desired, Policy } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import {
  countUnresolved,
  type Finding,
  type FindingCode,
  finding,
  isPolicyRefusal
} from '../model/finding.ts'
import { type Impact, impacts } from '../model/impact.ts'
import type { Change, Plan, PlannedChange } from '../model/plan.ts'
import { byCodeUnit, compact, groupBy, lowest } from '../values/collections.ts'
import { matchesGlob, matchesGlobs } from '../values/glob.ts'
import { plural } from '../values/text.ts'

/** The percentage limit applies from this number of WLANs: one of three is a third. */
const WLANS_FOR_A_PERCENTAGE = 10

/**
 * The limits that a plan exceeds; `apply` refuses it for each. A finding contains the number, the limit and
 * the option that allows it. A limit on the command line (`maxChanges`) replaces all limits of the policy.
 *
 * `changed`: the number of changes that are sent. `managed`: as in `Desired`; the percentage is of each.
 */
export function overLimits(
  changed: number,
  managed: Desired['managed'],
  policy: Pick<Policy, 'maxChanges' | 'maxChangePercent'>,
  { maxChanges: override, command }: Allowances = {}
): readonly Finding[] {
  if (override === 'all') return []
  const max = override ?? policy.maxChanges
  const found: Finding[] = []
  if (max !== undefined && changed > max) {
    const source = override === undefined ? 'policy.max_changes' : '--max-changes'
    found.push(finding('OVER_MAX_CHANGES', {}, changed, managed[0], max, source, command))
  }
  const percent = policy.maxChangePercent
  const isOver = (all: number) => all >= WLANS_FOR_A_PERCENTAGE && (100 * changed) / all > percent
  const over = managed.filter(isOver)
  if (override === undefined && over.length > 0) {
    found.push(finding('OVER_MAX_PERCENT', {}, changed, lowest(over), percent, command))
  }
  return found
}

/** The changes that are sent now. */
export function withoutDeferred(
  changes: readonly Change[],
  deferred: Plan['deferred'] = []
): readonly Change[] {
  const waiting = new Set(deferred.map(({ address }) => address))
  return changes.filter(({ address }) => !waiting.has(address))
}

/** Separates the changes that may be sent from those to protected WLANs (`$protect: true`). */
export function partitionProtected(changes: readonly PlannedChange[]) {
  const isKept = ({ desired }: PlannedChange) => desired.protect === true
  return { free: changes.filter(change => !isKept(change)), kept: changes.filter(isKept) }
}

function protectedRefusal(kept: readonly PlannedChange[], changes: number): readonly Finding[] {
  const [first, ...others] = kept
  if (first === undefined) return []
  const names = kept.map(({ address }) => address).sort(byCodeUnit)
  const about = others.length === 0 ? { address: first.address } : { addresses: names }
  return [finding('PROTECTED', { place: first.desired.place, ...about }, names, changes)]
}

/** The limits of the command line, which replace or extend those of the policy. */
export interface Allowances {
  readonly maxChanges?: number | 'all'
  readonly maxImpact?: 'none' | Impact
  /** Globs over the addresses of WLANs; `*` for all. */
  readonly allowDowngrade?: readonly string[]
  /** The command that has these options, for the hints of refusals. Default: `apply`. */
  readonly command?: 'revert'
}

/** True if the command line allows the WLAN at an address to become less secure. */
export function mayWeaken(address: string, { allowDowngrade = [] }: Allowances): boolean {
  return (
    allowDowngrade.length > 0 && matchesGlobs(allowDowngrade, glob => matchesGlob(address, glob))
  )
}

/** The inputs of refusals, apart from the changes. */
export interface RefusalContext {
  readonly policy: Policy
  readonly allowances: Allowances
  readonly managed: Desired['managed']
  /** The changes of the plan that wait, which count when they are sent. */
  readonly deferred?: Plan['deferred']
  /** Those of the plan: an error of the policy is a refusal, whatever the changes. */
  readonly findings: readonly Finding[]
}

/**
 * All refusals of these changes in order of severity; empty if `apply` sends them. `plan` lists the result,
 * and `apply` and `revert` enforce the errors. Limits count the changes that are sent: those to protected WLANs
 * are left out (`PROTECTED`, a warning), and those that wait.
 */
export function refusalsOf(
  planned: readonly PlannedChange[],
  { policy, allowances, managed, deferred, findings }: RefusalContext
): Finding[] {
  const { free, kept } = partitionProtected(planned)
  const changes = free.map(({ change }) => change)
  const sent = withoutDeferred(changes, deferred)
  const downgrade = downgradeRefusal(
    changes.filter(({ address }) => !mayWeaken(address, allowances))
  )
  return [
    ...protectedRefusal(kept, planned.length),
    ...(downgrade ? [downgrade] : []),
    ...overImpact(changes, managed[0], allowances),
    ...overLimits(sent.length, managed, policy, allowances),
    ...policyRefusals(findings),
    ...missingSecrets(findings)
  ]
}

/** The refusals of a plan, and the limits of the policy that they come from. */
export function refusalParts(
  planned: readonly PlannedChange[],
  context: Omit<RefusalContext, 'allowances'> & { readonly allowances?: Allowances }
): Pick<Plan, 'limits' | 'refusals'> {
  const { allowances = {}, managed, policy } = context
  const refusals = refusalsOf(planned, { ...context, allowances })
  const { maxChanges, maxChangePercent } = policy
  const limits = {
    ...compact({ max_changes: maxChanges }),
    max_change_percent: maxChangePercent,
    wlans: managed
  }
  return {
    ...(allowances.maxChanges === undefined && { limits }),
    ...(refusals.length === 0 ? {} : { refusals })
  }
}

/** The errors by which the policy refuses valid files, each with the key that allows it. */
export function policyRefusals(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(isPolicyRefusal).map(found => {
    const allowedBy = hintsOfRules[found.code]
    if (allowedBy === undefined) return found
    const hints = [...(found.hint === undefined ? [] : [found.hint]), allowedBy]
    return { ...found, hint: hints.join('; ') }
  })
}

const RULE_HINT = 'correct the declaration, or make the rule a warning in `policy.rules`'

const hintsOfRules: Readonly<Partial<Record<FindingCode, string>>> = {
  RULE: RULE_HINT,
  RULE_BROKEN_OFTEN: RULE_HINT,
  LINT: 'or make the rule a warning in `policy.lint.rules`'
}

/** The refusal of a plan with unresolved secrets; a warning, because another run may have them. */
export function missingSecrets(findings: readonly Finding[]): readonly Finding[] {
  const missing = countUnresolved(findings)
  return missing === 0 ? [] : [finding('SECRETS_MISSING', {}, missing)]
}

/** A message lists at most this many reasons of a refusal, and counts the others; the report lists all. */
const MAX_REASONS = 5

/** Throws (exit 4) with these refusals as reasons; returns if there are none. */
export function refuseWith(refusals: readonly Finding[]): void {
  if (refusals.length === 0) return
  const named = refusals.slice(0, MAX_REASONS)
  const rest = refusals.length - named.length
  const messages = [
    ...named.map(({ message }) => message),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    'nothing was sent'
  ]
  const hints = new Set(named.flatMap(({ hint }) => hint ?? []))
  throw new Failure(exit.refused, `refused: ${messages.join('; ')}`, [...hints].join('; '))
}

/** Refuses changes with a larger impact than allowed; empty if there are none. */
export function overImpact(
  changes: readonly Pick<Change, 'impact' | 'address'>[],
  wlans: number,
  { maxImpact: allowed = 'outage', command }: Allowances
): readonly Finding[] {
  const isOver = (impact: Impact | 'none') => impacts.indexOf(impact) > impacts.indexOf(allowed)
  const over = changes.flatMap(({ impact }) =>
    impact !== undefined && isOver(impact) ? impact : []
  )
  const worst = impacts.findLast(impact => over.some(each => each === impact))
  if (worst === undefined) return []
  const isMixed = over.some(impact => impact !== worst)
  return [finding('OVER_MAX_IMPACT', {}, over.length, wlans, worst, allowed, isMixed, command)]
}

/** Refuses changes that weaken security; undefined if there are none. Those of the same fields and key are named once. */
export function downgradeRefusal(changes: readonly Change[]): Finding | undefined {
  const weaker = changes.flatMap(({ address, site, downgrades }) =>
    downgrades === undefined
      ? []
      : { address, key: address.slice(site.name.length + 1), fields: downgrades.join(', ') }
  )
  const groups = groupBy(weaker, ({ key, fields }) => JSON.stringify([key, fields]))
  const named = [...groups.values()].map(group => {
    const [{ address, key, fields }] = group
    const subject = group.length === 1 ? address : `${key} on ${plural(group.length, 'site')}`
    return `${subject} (${fields})`
  })
  return named.length === 0 ? undefined : finding('DOWNGRADE_REFUSED', {}, named)
}
