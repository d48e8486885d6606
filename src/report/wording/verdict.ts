import { formatMinute } from '../../core/model/calendar.ts'
import type { Part } from '../../core/model/desired.ts'
import {
  type Finding,
  type FindingCode,
  isError,
  isPolicyRefusal
} from '../../core/model/finding.ts'
import { type Change, countUnread, type Plan, type PlanSummary } from '../../core/model/plan.ts'
import { sortBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatSpan, formatTime } from '../../core/values/time.ts'
import type { Text } from '../render/document.ts'
import type { PlanReport } from '../report.ts'
import { impactCounts } from './effects.ts'

type Kind = PlanReport['kind']
type Command = PlanReport['command']

/** The result of a plan in one line, by severity: missing parts, refusals, changes. */
export function planVerdict(kind: Kind, plan: Plan, command?: Command): Text {
  const { summary, changes, findings } = plan
  const missing = formatMissing(plan)
  const reasons = formatRefused(plan)
  const isDrift = kind === 'drift'
  const cannotFix = isDrift && summary.changed > 0 ? reasons : undefined
  const leftOut = formatLeftOut(plan)
  const worst = [
    missing && `Incomplete: ${missing}.`,
    cannotFix === undefined && reasons && `Refused: ${reasons}.`,
    leftOut && `Left out: ${leftOut}.`
  ].flatMap((text): Text => (text ? [{ kind: 'danger', text: [text] }, ' '] : []))
  const risks = isDrift ? findings.filter(isRisk).length : 0
  const moved = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED').length
  const others = [
    moved === 0 ? [] : `${plural(moved, 'undeclared field')} changed`,
    risks === 0 ? [] : `${plural(risks, 'error')} in the live state`,
    cannotFix === undefined ? [] : `apply would refuse to fix it: ${cannotFix}`
  ].flat()
  const needed = neededByApply(plan)
  const text =
    summary.changed > 0
      ? [differing(kind, summary, changes), ...others, ...needed]
      : others.length > 0
        ? [`Drift: ${others.join('; ')}`]
        : [unchangedText(kind, plan, command), ...needed]
  return [...worst, { kind: 'strong', text: [text.join('; ')] }]
}

function neededByApply({ refusals = [] }: Pick<Plan, 'refusals'>): string[] {
  const missing = refusals.filter(({ code }) => code === 'SECRETS_MISSING')
  return missing.map(({ message }) => message.replaceAll('`', ''))
}

/** True for an error that is drift without a change. */
function isRisk(found: Finding): boolean {
  return found.code === 'UNMANAGED_OPEN' || isPolicyRefusal(found)
}

/** The verdict without changes: of a plan, of a drift report, and of a run that had nothing to send. */
export function unchangedText(
  kind: Kind,
  plan: Pick<Plan, 'summary' | 'findings' | 'not_compared'>,
  command?: Command
): string {
  const { summary, not_compared } = plan
  const { sites, wlans, unchanged, blocked, sites_failed } = summary
  const nothing =
    command === 'revert' ? 'Nothing to revert' : kind === 'drift' ? 'No drift' : 'No changes'
  if (sites === 0) return `${nothing}: this run covers no sites`
  const except = uncomparedText(not_compared)
  if (blocked + sites_failed > 0) {
    if (unchanged === 0) return 'Nothing was compared'
    return `${nothing} among the other ${pluralOf(unchanged, 'WLAN')}${except}`
  }
  if (command === 'revert') return nothingToRevert(plan)
  if (wlans === 0) return `${nothing}: no WLANs are declared`
  return wlans === 1
    ? `${nothing}: the WLAN is as declared${except}`
    : `${nothing}: all ${plural(wlans, 'WLAN')} are as declared${except}`
}

/** The verdict of a revert without changes. */
export function nothingToRevert({ summary, findings }: Pick<Plan, 'summary' | 'findings'>): string {
  const has = (wanted: FindingCode) => findings.some(({ code }) => code === wanted)
  const except = [
    ...(has('SECRET_NOT_RESTORED') ? ['secrets'] : []),
    ...(has('NOT_RESTORED') ? ['other differences'] : [])
  ]
  const before = `Nothing to revert: ${plural(summary.unchanged, 'WLAN')} as before`
  return except.length === 0 ? before : `${before}, except for ${except.join(' and ')}`
}

/** `, apart from 2 secrets that were not compared`; empty if all were compared. */
function uncomparedText(uncompared: Plan['not_compared']): string {
  const n = uncompared.reduce((sum, { pointers }) => sum + pointers.length, 0)
  if (n === 0) return ''
  return `, apart from ${plural(n, 'secret')} that ${n === 1 ? 'was' : 'were'} not compared`
}

function pluralOf(n: number, noun: string): string {
  return n === 1 ? noun : plural(n, noun)
}

function differing(
  kind: Kind,
  { changed, wlans }: PlanSummary,
  changes: readonly Change[]
): string {
  const impact = impactCounts(changes).join(', ')
  if (kind === 'plan') {
    return `Plan: ${plural(changed, 'WLAN')} to change${impact === '' ? '' : ` (${impact})`}`
  }
  const verb = changed === 1 ? 'differs' : 'differ'
  const drift = `Drift: ${formatNumber(changed)} of ${plural(wlans, 'WLAN')} ${verb} from the declaration`
  return `${drift}${impact === '' ? '' : ` (fixing causes ${impact})`}`
}

/**
 * The parts that a plan does not cover: see `formatNotRestored` and `formatUnplanned`; undefined if there are
 * none.
 */
export function formatMissing(plan: Pick<Plan, 'summary' | 'findings'>): string | undefined {
  const parts = [formatNotRestored(plan) ?? [], formatUnplanned(plan) ?? []].flat()
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** The WLANs and sites that a plan does not cover; undefined if it covers all. */
export function formatUnplanned({ summary }: Pick<Plan, 'summary'>): string | undefined {
  const { blocked, sites_failed } = summary
  const parts = [
    ...(blocked > 0 ? [`${plural(blocked, 'WLAN')} blocked`] : []),
    ...(sites_failed > 0 ? [`${plural(sites_failed, 'site')} not read`] : [])
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** What a revert cannot restore: former secrets of WLANs, and other parts of a state; undefined if there is nothing. */
export function formatNotRestored({ findings }: Pick<Plan, 'findings'>): string | undefined {
  const serious = findings.filter(({ level }) => level !== 'info')
  const count = (wanted: FindingCode) => serious.filter(({ code }) => code === wanted).length
  const [wlans, others] = [count('SECRET_NOT_RESTORED'), count('NOT_RESTORED')]
  const parts = [
    ...(wlans > 0 ? [`secrets of ${plural(wlans, 'WLAN')}`] : []),
    ...(others > 0 ? [plural(others, 'other difference')] : [])
  ]
  return parts.length === 0 ? undefined : `${parts.join(' and ')} not restored`
}

/** The totals of a plan, which add up to the number of WLANs. */
export function formatTotals(summary: PlanSummary): string {
  const { sites, wlans, changed, unchanged, blocked, unmanaged, requests } = summary
  const unread = countUnread(summary)
  const parts = [
    `${formatNumber(changed)} changed`,
    `${formatNumber(unchanged)} unchanged`,
    `${formatNumber(blocked)} blocked`,
    ...(unread > 0 ? [`${formatNumber(unread)} not read`] : [])
  ]
  const covered = `${plural(wlans, 'WLAN')} on ${plural(sites, 'site')}`
  return `${covered}: ${parts.join(', ')}; ${formatNumber(unmanaged)} unmanaged; ${plural(requests, 'request')}`
}

/** Which part of the fleet a plan covers; undefined if it covers all. */
export function partNote({ shard }: Part): string | undefined {
  return shard === undefined ? undefined : `Shard ${shard} of the fleet`
}

/** The age of a plan's snapshot; undefined for a plan against the service. */
export function snapshotAge({
  against,
  created
}: Pick<Plan, 'against' | 'created'>): string | undefined {
  if (against === undefined) return undefined
  const span = formatSpan(against.created, created)
  const age = span === undefined ? 'of unknown age' : `${span} old`
  return `${age} (${formatTime(against.created)})`
}

/** `3 changes wait; the first may be sent at 2026-11-23 22:00 Europe/Berlin`; undefined if no change waits. */
export function deferredNote({ deferred = [] }: Pick<Plan, 'deferred'>): string | undefined {
  const [first] = sortBy(
    deferred.filter(({ until }) => until !== undefined),
    ({ until = '' }) => until
  )
  if (deferred.length === 0) return undefined
  const waiting = `${formatNumber(deferred.length)} ${deferred.length === 1 ? 'change waits' : 'changes wait'}`
  if (first?.until === undefined) return `${waiting}; no window opens within a year`
  const subject = deferred.length === 1 ? 'it' : 'the first'
  return `${waiting}; ${subject} may be sent at ${first.local ?? formatMinute(first.until)}`
}

/** `planned for 2026-12-04 17:00:00 UTC, not for now`; undefined for a plan for its own time. */
export function plannedForNote({ at }: Pick<Plan, 'at'>): string | undefined {
  return at === undefined ? undefined : `Planned for ${formatTime(at)}, not for now`
}

/** `3 YAML files ignored by .wlanctlignore`; undefined for none. */
export function ignoredNote({ ignored_files: n }: Pick<Plan, 'ignored_files'>): string | undefined {
  return n === undefined ? undefined : `${plural(n, 'YAML file')} ignored by .wlanctlignore`
}

const nouns: Readonly<Partial<Record<FindingCode, string>>> = {
  LINT: 'lint error',
  RULE: 'broken rule',
  RULE_BROKEN_OFTEN: 'broken rule',
  UNMANAGED: 'unmanaged WLAN'
}

const causes: Readonly<Partial<Record<FindingCode, string>>> = {
  DOWNGRADE_REFUSED: 'security downgrade',
  OVER_MAX_IMPACT: 'too much impact',
  OVER_MAX_CHANGES: 'too many changes',
  OVER_MAX_PERCENT: 'too many changes',
  MORE_REFUSALS: 'more refusals'
}

/**
 * The refusals in a few words: `1 broken rule, too many changes`; undefined if there are none. Warnings do
 * not count, because another run may have the secrets.
 */
export function formatRefused({ refusals = [] }: Pick<Plan, 'refusals'>): string | undefined {
  const counts = new Map<string, number>()
  for (const { code } of refusals.filter(isError)) {
    const name = nouns[code] ?? causes[code] ?? code
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const isCounted = new Set<string>(Object.values(nouns))
  const parts = [...counts].map(([name, n]) => (isCounted.has(name) ? plural(n, name) : name))
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** The protected WLANs of a plan, whose changes are not sent: `2 protected WLANs`; undefined if there are none. */
function formatLeftOut({ refusals = [] }: Pick<Plan, 'refusals'>): string | undefined {
  const wlans = refusals
    .filter(({ code }) => code === 'PROTECTED')
    .reduce((sum, { addresses }) => sum + (addresses?.length ?? 1), 0)
  return wlans === 0 ? undefined : plural(wlans, 'protected WLAN')
}
