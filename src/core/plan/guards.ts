import type { Desired, Policy } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import {
  countUnresolved,
  type Finding,
  type FindingCode,
  finding,
  type Location
} from '../model/finding.ts'
import { type Impact, impacts } from '../model/impact.ts'
import type { Change, Plan, PlannedChange } from '../model/plan.ts'
import { isPolicyRefusal } from '../model/refusals.ts'
import { compact, groupBy, lowest, sortBy } from '../values/collections.ts'
import { matchesGlob, matchesGlobs } from '../values/glob.ts'
import { fieldNames } from '../values/pointer.ts'
import { plural } from '../values/text.ts'

/** The limits of the command line, which replace or extend those of the policy. */
export interface Allowances {
  readonly maxChanges?: number | 'all'
  readonly maxImpact?: 'none' | Impact
  /** Globs over the addresses of WLANs; `*` for all. */
  readonly allowDowngrade?: readonly string[]
  /** The command that has these options, and its first words, for the hints of refusals. Default: `apply`. */
  readonly command?: string
}

export function mayWeaken(address: string, { allowDowngrade = [] }: Allowances): boolean {
  return (
    allowDowngrade.length > 0 && matchesGlobs(allowDowngrade, glob => matchesGlob(address, glob))
  )
}

/** Separates the changes that may be sent from those to protected WLANs (`$protect: true`). */
export function partitionProtected(changes: readonly PlannedChange[]) {
  const isKept = ({ desired }: PlannedChange) => desired.protect === true
  return { free: changes.filter(change => !isKept(change)), kept: changes.filter(isKept) }
}

export interface GuardContext {
  readonly policy: Pick<Policy, 'maxChanges' | 'maxChangePercent'>
  readonly allowances: Allowances
  readonly managed: Desired['managed']
  /** The changes of the plan that wait, which count when they are sent. */
  readonly deferred?: Plan['deferred'] | undefined
  /** Those of the plan: an error of the policy is a refusal, whatever the changes. */
  readonly findings: readonly Finding[]
}

interface Judged extends GuardContext {
  /** The changes to protected WLANs, with the places of their declarations, by address. */
  readonly kept: ReadonlyMap<string, Location | undefined>
  readonly changes: readonly Change[]
}

type Guard = (judged: Judged) => readonly Finding[]

const guards: readonly Guard[] = [
  protection,
  security,
  impactOnClients,
  size,
  policyRefusals,
  missingSecrets
]

/** The refusals in order of severity; `apply` and `revert` enforce the errors among them. */
export function refusalsOf(planned: readonly PlannedChange[], context: GuardContext): Finding[] {
  const { free, kept } = partitionProtected(planned)
  const judged = {
    ...context,
    kept: new Map(kept.map(({ address, desired }) => [address, desired.place])),
    changes: free.map(({ change }) => change)
  }
  return guards.flatMap(guard => guard(judged))
}

/** Changes to protected WLANs are left out, and do not refuse the others. */
function protection({ kept, changes }: Judged): readonly Finding[] {
  const [first, ...others] = sortBy(kept, ([address]) => address)
  if (first === undefined) return []
  const [address, place] = first
  const addresses = [address, ...others.map(([name]) => name)]
  const about = others.length === 0 ? { address } : { addresses }
  const where = { ...compact({ place }), ...about }
  return [finding('PROTECTED', where, kept.size, kept.size + changes.length)]
}

/** Changes that weaken security; those of the same fields and key are named once. */
function security({ changes, allowances }: Judged): readonly Finding[] {
  const { command } = allowances
  const weaker = changes.flatMap(({ address, site, downgrades }) =>
    downgrades === undefined || mayWeaken(address, allowances)
      ? []
      : { address, key: address.slice(site.name.length + 1), fields: fieldNames(downgrades) }
  )
  const groups = groupBy(weaker, ({ key, fields }) => JSON.stringify([key, fields]))
  const named = [...groups.values()].map(group => {
    const [{ address, key, fields }] = group
    const subject = group.length === 1 ? address : `${key} on ${plural(group.length, 'site')}`
    return `${subject} (${fields})`
  })
  return named.length === 0 ? [] : [finding('DOWNGRADE_REFUSED', {}, named, command)]
}

function impactOnClients({ changes, managed, allowances }: Judged): readonly Finding[] {
  const { maxImpact: allowed = 'outage', command } = allowances
  const isOver = (impact: Impact | 'none') => impacts.indexOf(impact) > impacts.indexOf(allowed)
  const over = changes.flatMap(({ impact }) =>
    impact !== undefined && isOver(impact) ? impact : []
  )
  const worst = impacts.findLast(impact => over.some(each => each === impact))
  if (worst === undefined) return []
  const isMixed = over.some(impact => impact !== worst)
  return [finding('OVER_MAX_IMPACT', {}, over.length, managed[0], worst, allowed, isMixed, command)]
}

/** The percentage limit applies from this number of WLANs: one of three is a third. */
const WLANS_FOR_A_PERCENTAGE = 10

/**
 * The limits that the number of changes exceeds, without those that wait. A limit on the command line (`maxChanges`)
 * replaces all limits of the policy. The percentage is of each number of `managed`.
 */
function size({ changes, deferred = [], managed, policy, allowances }: Judged): Finding[] {
  const { maxChanges: override, command } = allowances
  if (override === 'all') return []
  const waiting = new Set(deferred.map(({ address }) => address))
  const changed = changes.filter(({ address }) => !waiting.has(address)).length
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

/** The errors by which the policy refuses valid files, each with the key that allows it. */
function policyRefusals({ findings }: Pick<Judged, 'findings'>): readonly Finding[] {
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

/** Unresolved secrets; a warning, because another run may have them. */
function missingSecrets({ findings }: Pick<Judged, 'findings'>): readonly Finding[] {
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
