import { validateOutcomes } from '#forms'
import type { Wave } from '../../core/model/desired.ts'
import { fileLimits } from '../../core/model/file-limits.ts'
import {
  aboutAddresses,
  byPlace,
  type Finding,
  type FindingCode,
  firstAddress,
  withDriftFindings
} from '../../core/model/finding.ts'
import { concerning } from '../../core/model/messages/template.ts'
import { type Outcome, type OutcomesData, outcomeFrom } from '../../core/model/outcome.ts'
import {
  type Change,
  countUnwatched,
  MAX_PLACED,
  type Plan,
  type PlanSummary,
  type PlanTimes,
  type Since,
  timedParts,
  type Unmanaged
} from '../../core/model/plan.ts'
import { digestOf } from '../../core/plan/digest.ts'
import { mergePeriods } from '../../core/plan/periods.ts'
import { mergeRollouts } from '../../core/plan/rollout.ts'
import { savedRefusals } from '../../core/plan/saved-refusals.ts'
import { unwatchedParts } from '../../core/plan/undeclared/undeclared.ts'
import { byCodeUnit, compact, groupBy, groupsBy, sortBy } from '../../core/values/collections.ts'
import type { SavedForm } from '../saved-file.ts'
import { blockingCodes } from '../saved-plan.ts'
import { assembleSnapshot, type Snapshot } from '../snapshot.ts'
import { mergeRelations, type RelationCheck, withoutRelated } from './merge-relations.ts'
import {
  basesOf,
  cannotMerge,
  checkMembers,
  checkOnce,
  checkSame,
  type Piece,
  stillUnread
} from './parts.ts'

/**
 * Merges the plans of all parts of a fleet into the plan that a single run at the time of the first part
 * would have made. Throws a `Failure` (exit 3) if the files are not the parts of one run.
 */
export function mergePlans(pieces: readonly Piece<Plan>[], check: RelationCheck): Plan {
  checkSame(pieces, 'service', plan => plan.base_url)
  checkSame(pieces, 'program', plan => plan.tool)
  checkSame(pieces, 'command', ({ command }) => command ?? 'plan')
  checkSame(pieces, 'snapshot', ({ against }) => against?.digest ?? 'none')
  checkSame(pieces, 'evidence of drift', ({ since }) => since?.created ?? 'none')
  checkSame(pieces, 'limits', ({ limits }) => JSON.stringify(limits ?? null))
  checkSame(pieces, 'time', ({ at }) => at ?? 'now')
  checkSame(pieces, 'rollout', ({ rollout }) => JSON.stringify(rollout?.flatMap(nameOf) ?? null))
  pieces.forEach(checkPiece)
  const left = stillUnread(pieces, plan => plan.unread ?? [])
  checkOnce(pieces, ({ changes, not_compared }) =>
    [...new Set([...changes, ...not_compared].map(({ address }) => address))].map(address => [
      address,
      address
    ])
  )
  const plans = pieces.map(({ value }) => value)
  const { format, tool, command, base_url, against } = plans[0] as Plan
  const { limits: ofPolicy, ignored_files } = plans[0] as Plan
  const limits = compact({ limits: ofPolicy, ignored_files })
  const changes = plans
    .flatMap(plan => plan.changes)
    .sort(byAddress)
    .map(placedFirst)
  const unmanaged = plans.flatMap(plan => plan.unmanaged).sort(bySite)
  const inherited = plans.flatMap(plan => plan.inherited ?? []).sort(bySite)
  const unread = left.map(({ site }) => site)
  const reasonsIn = new Map(pieces.map(piece => [piece, reasonsBySite(piece.value)]))
  const reasons = left.flatMap(({ piece, site }) => reasonsIn.get(piece)?.get(site.name) ?? [])
  const notCompared = plans.flatMap(plan => plan.not_compared).sort(byAddress)
  const rollout = plans[0]?.rollout && mergeRollouts(plans.map(({ rollout = [] }) => rollout))
  const { relations, related } = mergeRelations(pieces, changes, check)
  const findings = mergeFindings([...plans.map(withoutRelated), related], reasons)
  const summary = summaryOf(plans, unread)
  const claims = plans.flatMap(plan => plan.refusals ?? [])
  const periods = mergePeriods(
    { summary, ...limits },
    plans.flatMap(plan => plan.periods ?? [])
  )
  const refusals = savedRefusals(
    { ...compact({ command }), changes, findings, summary, ...limits, periods },
    claims
  )
  const plan: Omit<Plan, 'digest'> = {
    format,
    tool,
    ...(command && { command }),
    created: plans.map(({ created }) => created).sort(byCodeUnit)[0] ?? '',
    base_url,
    ...(against && { against }),
    ...(plans[0]?.since && { since: sinceOf(plans, plans[0].since) }),
    summary,
    ...(rollout && { rollout }),
    changes,
    not_compared: notCompared,
    unmanaged,
    ...(inherited.length === 0 ? {} : { inherited }),
    ...(unread.length === 0 ? {} : { unread }),
    findings,
    ...(unread.length === 0 ? {} : compact({ relations })),
    ...limits,
    ...(refusals.length === 0 ? {} : { refusals }),
    ...(periods.length > 0 && { periods }),
    ...mergeTimes(plans),
    ...mergeUnwatched(plans)
  }
  return { ...plan, digest: digestOf(plan) }
}

/** Removes places that the plan of a single run would omit. */
function placedFirst(change: Change, at: number): Change {
  const { places, ...rest } = change
  return at < MAX_PLACED || places === undefined ? change : rest
}

/** The name of a wave. The last wave may have no name, and is absent without sites. */
function nameOf({ name }: Wave): string[] {
  return name === undefined ? [] : [name]
}

function checkPiece(piece: Piece<Plan>): void {
  const { changes, unread = [], summary } = piece.value
  if (unread.length !== summary.sites_failed) {
    throw cannotMerge(`${piece.name} does not list the sites that could not be read`, 'plan again')
  }
  checkMembers(piece, [...changes.map(({ site }) => site), ...unread])
}

/** Adds up the counts; a site that several runs could not read counts once. */
function summaryOf(
  plans: readonly Plan[],
  unread: readonly { readonly wlans: number }[]
): PlanSummary {
  const sum = (count: (plan: Plan) => number) =>
    plans.reduce((total, plan) => total + count(plan), 0)
  const total = (member: keyof PlanSummary) => sum(({ summary }) => summary[member])
  const [changed, unchanged, blocked] = [total('changed'), total('unchanged'), total('blocked')]
  const missing = unread.reduce((total, { wlans }) => total + wlans, 0)
  return {
    sites: sum(({ continues, summary }) => (continues === undefined ? summary.sites : 0)),
    sites_failed: unread.length,
    wlans: changed + unchanged + blocked + missing,
    changed,
    unchanged,
    blocked,
    unmanaged: total('unmanaged'),
    requests: total('requests')
  }
}

function mergeUnwatched(plans: readonly Plan[]): Pick<Plan, 'unwatched' | 'unwatched_total'> {
  const all = plans.flatMap(({ unwatched = [] }) => unwatched).sort(byAddress)
  const totals = plans.map(countUnwatched)
  return unwatchedParts(all, {
    fields: totals.reduce((sum, { fields }) => sum + fields, 0),
    wlans: totals.reduce((sum, { wlans }) => sum + wlans, 0)
  })
}

/** Merges the parts that depend on time; each plan contains the freezes of the whole fleet. */
function mergeTimes(plans: readonly Plan[]): PlanTimes {
  const all = plans.flatMap(plan => plan.upcoming ?? [])
  const upcoming = [...new Map(all.map(event => [JSON.stringify(event), event])).values()]
  const counted = plans.reduce(
    (sum, plan) => sum + (plan.upcoming_total ?? plan.upcoming?.length ?? 0),
    0
  )
  const total = counted - (all.length - upcoming.length)
  return timedParts(
    plans[0]?.at,
    plans.flatMap(plan => plan.deferred ?? []).sort(byAddress),
    sortBy(
      upcoming,
      ({ at }) => at,
      ({ address = '' }) => address
    ),
    total
  )
}

function sinceOf(plans: readonly Plan[], { created }: Since): Since {
  const newFields = plans.reduce((sum, { since }) => sum + (since?.new_fields ?? 0), 0)
  return { created, new_fields: newFields }
}

function reasonsBySite({ findings }: Plan): ReadonlyMap<string | undefined, readonly Finding[]> {
  const unread = findings.filter(({ code }) => code === 'SITE_NOT_READ')
  return groupBy(unread, ({ address }) => address)
}

function byAddress(a: Pick<Finding, 'address'>, b: Pick<Finding, 'address'>): number {
  return byCodeUnit(a.address ?? '', b.address ?? '')
}

/** Orders unmanaged WLANs by site: those of a site are sorted already, and each site is in one piece only. */
function bySite(a: Unmanaged, b: Unmanaged): number {
  return byCodeUnit(a.site, b.site)
}

/** Merges the snapshots of all parts of a fleet, as `mergePlans`. */
export function mergeSnapshots(pieces: readonly Piece<Snapshot>[]): Snapshot {
  checkSame(pieces, 'service', snapshot => snapshot.base_url)
  checkSame(pieces, 'program', snapshot => snapshot.tool)
  for (const piece of pieces) checkMembers(piece, [...piece.value.sites, ...piece.value.unread])
  const left = stillUnread(pieces, ({ unread }) => unread)
  checkOnce(pieces, ({ sites }) => sites.map(({ id, name }) => [id.toLowerCase(), name]))
  const snapshots = pieces.map(({ value }) => value)
  const { tool, base_url } = snapshots[0] as Snapshot
  return assembleSnapshot(
    snapshots.flatMap(({ sites }) => sites),
    left.map(({ site }) => site),
    {
      tool,
      created: snapshots.map(({ created }) => created).sort(byCodeUnit)[0] ?? '',
      base_url,
      requests: snapshots.reduce((sum, { summary }) => sum + summary.requests, 0)
    }
  )
}

export const outcomesForm: SavedForm = {
  format: 'wlanctl-outcomes/1',
  validate: validateOutcomes,
  limit: fileLimits.outcomes,
  hint: 'make it with `wlanctl apply --report json=FILE`'
}

/** Outcomes and the facts of their plan. */
export interface MergedOutcomes {
  /** Sorted by address. */
  readonly outcomes: readonly Outcome[]
  /** The failed waves with the reasons; each shard has its own. */
  readonly failedWave?: string
  readonly findings: readonly Finding[]
  readonly tool: string
  readonly created: string
  readonly base_url: string
  readonly planned: PlanSummary
}

/** Merges the outcomes of all shards; throws a `Failure` if one is missing. */
export function mergeOutcomes(pieces: readonly Piece<OutcomesData>[]): MergedOutcomes {
  const shards = basesOf(pieces)
  checkSame(shards, 'service', ({ base_url }) => base_url)
  checkSame(shards, 'program', ({ tool }) => tool)
  const [first, ...others] = shards.map(({ value }) => value)
  if (first === undefined) throw cannotMerge('nothing to merge', 'give the file of every shard')
  return joinOutcomes([first, ...others])
}

/** The outcomes of runs on one service. */
export function joinOutcomes(values: readonly [OutcomesData, ...OutcomesData[]]): MergedOutcomes {
  const [{ tool, base_url }] = values
  const outcomes = values.flatMap(value => value.outcomes).map(outcomeFrom)
  const failedWaves = values.flatMap(value => value.failed_wave ?? [])
  const findings = values.map(value => value.findings ?? [])
  const unread = findings.flat().filter(({ code }) => code === 'SITE_NOT_READ')
  return {
    outcomes: sortBy(outcomes, ({ address }) => address),
    ...(failedWaves.length === 0 ? {} : { failedWave: [...new Set(failedWaves)].join('; ') }),
    findings: mergeFindings(
      findings,
      sortBy(unread, ({ address = '' }) => address)
    ),
    tool,
    created: values.map(({ created }) => created).sort(byCodeUnit)[0] ?? '',
    base_url,
    planned: values.map(({ planned }) => planned).reduce(added)
  }
}

function added(a: PlanSummary, b: PlanSummary): PlanSummary {
  const entries = Object.entries(a).map(([name, n]) => [name, n + b[name as keyof PlanSummary]])
  return Object.fromEntries(entries)
}

/** The codes of findings about a single live WLAN; all others are about the files. */
const wlanCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([...blockingCodes, 'DOWNGRADE'])

/** Findings that `drift` adds to those of the plan, by address. */
const driftCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'UNDECLARED_CHANGED',
  'UNMANAGED_OPEN',
  'SITE_NOT_DECLARED',
  'ORG_NOT_READ',
  'UNWATCHED'
])

/**
 * Merges the findings of several runs in the order of a single run: those about the files, which every run
 * reports, once; those about removed declarations and WLANs, by address; those about unread sites, given as
 * `unread`; unmanaged WLANs; counted violations of the policy, and the linter.
 */
function mergeFindings(
  lists: readonly (readonly Finding[])[],
  unread: readonly Finding[]
): Finding[] {
  const all = lists.flat()
  const isOfSite = ({ code }: Finding) => code === 'SITE_NOT_READ' || code === 'UNMANAGED'
  const isRemoved = ({ code }: Finding) => code === 'NO_LONGER_DECLARED'
  const ofFiles = all.filter(
    found =>
      !wlanCodes.has(found.code) &&
      !driftCodes.has(found.code) &&
      !isOfSite(found) &&
      !isRemoved(found) &&
      !isLint(found)
  )
  const ofPlan = [
    ...joined(ofFiles).sort(byPlace),
    ...all.filter(isRemoved).sort(byAddress),
    ...all.filter(({ code }) => wlanCodes.has(code)).sort(byAddress),
    ...unread,
    ...all.filter(({ code }) => code === 'UNMANAGED').sort(byAddress),
    ...joined(all.filter(found => isLint(found) && found.code !== 'LINT')).sort(byPlace),
    ...joined(all.filter(({ code }) => code === 'LINT')).sort(byPlace)
  ]
  return withDriftFindings(
    ofPlan,
    all.filter(({ code }) => driftCodes.has(code))
  )
}

/** Removes duplicates. A finding that several parts share gets the addresses of all. */
function joined(findings: readonly Finding[]): Finding[] {
  return groupsBy(findings, identityOf).flatMap(same => {
    const [first, ...others] = sortBy(same, firstAddress)
    return first === undefined ? [] : combined(first, others)
  })
}

function identityOf(found: Finding): string {
  const { level, code, message, hint, place, path, rule, waived } = found
  const text = code === 'RULE' && waived === undefined ? true : hint
  return JSON.stringify([level, code, message, text, place, path, rule, waived])
}

function isLint({ code, existing, waived }: Finding): boolean {
  return code === 'LINT' || existing === true || waived !== undefined
}

function combinedLint(first: Finding, others: readonly Finding[]): Finding {
  const all = [first, ...others]
  const {
    address: _,
    addresses: __,
    more: ___,
    rule,
    existing,
    new_since,
    waived,
    ...common
  } = first
  const given = all.flatMap(({ address, addresses = [] }) => address ?? addresses)
  const more = all.reduce((sum, found) => sum + (found.more ?? 0), 0)
  return {
    ...common,
    ...aboutAddresses(given, more),
    ...compact({ rule, existing, new_since, waived })
  }
}

function combined(first: Finding, others: readonly Finding[]): Finding {
  const isOfRule = first.code === 'RULE' || first.code === 'LINT'
  if (!isOfRule || others.length === 0) return first
  if (isLint(first)) return combinedLint(first, others)
  const concerned = [first, ...others].flatMap(
    ({ address, addresses = [] }) => address ?? addresses
  )
  const addresses = [...new Set(concerned)].sort(byCodeUnit)
  if (addresses.length === 1) return first
  const { level, code, message, place, path, rule, new_since } = first
  return {
    level,
    code,
    message,
    hint: concerning(addresses),
    ...compact({ place, path }),
    addresses,
    ...compact({ rule, new_since })
  }
}
