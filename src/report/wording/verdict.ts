import { formatMinute } from '../../core/model/calendar.ts'
import {
  countUnresolved,
  type Finding,
  type FindingCode,
  isError
} from '../../core/model/finding.ts'
import { countUnread, type Plan, type PlanSummary } from '../../core/model/plan.ts'
import { isPolicyRefusal } from '../../core/model/refusals.ts'
import { groupBy, present, sortBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatSpan, formatTime } from '../../core/values/time.ts'
import { strong } from '../render/document.ts'
import type { PlanReport } from '../report.ts'
import { impactCounts } from './effects.ts'
import { messageText } from './message.ts'
import { unwatchedNote } from './unwatched.ts'

type Kind = PlanReport['kind']
type Command = PlanReport['command']

/** What keeps a plan from being good news, and its verdict. */
export function planVerdict(kind: Kind, plan: Plan, command?: Command) {
  const { summary, findings, refusals = [] } = plan
  const isDrift = kind === 'drift'
  const missing = missingText(plan)
  const reasons = refusedText(plan)
  const leftOut = leftOutText(plan)
  const cannotFix = isDrift && summary.changed > 0 && reasons
  const alarms = present(
    !cannotFix && reasons && `Refused: ${reasons}.`,
    leftOut && `Left out: ${leftOut}.`
  )
  const moved = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED').length
  const risks = isDrift ? findings.filter(isRisk).length : 0
  const others = present(
    moved > 0 && `${plural(moved, 'undeclared field')} changed`,
    risks > 0 && `${plural(risks, 'error')} in the live state`,
    cannotFix && `apply would refuse to fix it: ${cannotFix}`
  )
  const needed = refusals.flatMap(({ code, message }) =>
    code === 'SECRETS_MISSING' ? message : []
  )
  const text =
    summary.changed > 0
      ? [changedText(kind, plan), ...others, ...needed]
      : others.length > 0
        ? [`Drift: ${others.join('; ')}`]
        : [unchangedText(kind, plan, command), ...needed]
  return {
    incomplete: missing,
    alarms,
    verdict: [strong(...messageText(text.join('; ')))]
  }
}

/** True for an error that is drift without a change. */
function isRisk(found: Finding): boolean {
  return found.code === 'UNMANAGED_OPEN' || isPolicyRefusal(found)
}

function changedText(kind: Kind, { summary: { changed, wlans }, changes }: Plan): string {
  const impact = impactCounts(changes).join(', ')
  if (kind === 'plan')
    return `Plan: ${plural(changed, 'WLAN')} to change${impact && ` (${impact})`}`
  const verb = changed === 1 ? 'differs' : 'differ'
  const drift = `Drift: ${formatNumber(changed)} of ${plural(wlans, 'WLAN')} ${verb} from the declaration`
  return drift + (impact && ` (fixing causes ${impact})`)
}

/** The verdict without changes: of a plan, of a drift report, and of a run that had nothing to send. */
export function unchangedText(
  kind: Kind,
  plan: Pick<Plan, 'summary' | 'findings' | 'not_compared'>,
  command?: Command
): string {
  const { sites, wlans, unchanged, blocked, sites_failed } = plan.summary
  const nothing =
    command === 'revert' ? 'Nothing to revert' : kind === 'drift' ? 'No drift' : 'No changes'
  if (sites === 0) return `${nothing}: this run covers no sites`
  const secrets = plan.not_compared.reduce((sum, { pointers }) => sum + pointers.length, 0)
  const were = `${secrets === 1 ? 'was' : 'were'} not compared`
  const except = secrets === 0 ? '' : `, apart from ${plural(secrets, 'secret')} that ${were}`
  if (blocked + sites_failed > 0) {
    if (unchanged === 0) return 'Nothing was compared'
    return `${nothing} among the other ${unchanged === 1 ? 'WLAN' : plural(unchanged, 'WLAN')}${except}`
  }
  if (command === 'revert') return nothingToRevert(plan)
  if (wlans === 0) return `${nothing}: no WLANs are declared`
  return wlans === 1
    ? `${nothing}: the WLAN is as declared${except}`
    : `${nothing}: all ${plural(wlans, 'WLAN')} are as declared${except}`
}

export function nothingToRevert({ summary, findings }: Pick<Plan, 'summary' | 'findings'>): string {
  const has = (wanted: FindingCode) => findings.some(({ code }) => code === wanted)
  const except = present(
    has('SECRET_NOT_RESTORED') && 'secrets',
    has('NOT_RESTORED') && 'other differences'
  ).join(' and ')
  const before = `Nothing to revert: ${plural(summary.unchanged, 'WLAN')} as before`
  return before + (except && `, except for ${except}`)
}

/** The parts that a plan does not cover; empty if it covers all, as are the texts of its parts. */
export function missingText(plan: Pick<Plan, 'summary' | 'findings'>): string {
  return present(notRestoredText(plan), notPlannedText(plan)).join(', ')
}

export function notPlannedText({
  summary: { blocked, sites_failed }
}: Pick<Plan, 'summary'>): string {
  return present(
    blocked > 0 && `${plural(blocked, 'WLAN')} blocked`,
    unreadSitesText(sites_failed)
  ).join(', ')
}

/** `3 sites not read`; empty for none. */
export function unreadSitesText(count: number): string {
  return count === 0 ? '' : `${plural(count, 'site')} not read`
}

/** What a revert cannot restore: former secrets of WLANs, and other parts of a state. */
export function notRestoredText({ findings }: Pick<Plan, 'findings'>): string {
  const serious = findings.filter(({ level }) => level !== 'info')
  const count = (wanted: FindingCode) => serious.filter(({ code }) => code === wanted).length
  const [wlans, others] = [count('SECRET_NOT_RESTORED'), count('NOT_RESTORED')]
  const parts = present(
    wlans > 0 && `secrets of ${plural(wlans, 'WLAN')}`,
    others > 0 && plural(others, 'other difference')
  ).join(' and ')
  return parts && `${parts} not restored`
}

/** The totals of a plan, which add up to the number of WLANs. */
export function totalsText(summary: PlanSummary): string {
  const { sites, wlans, changed, unchanged, blocked, unmanaged, requests } = summary
  const unread = countUnread(summary)
  const parts = present(
    `${formatNumber(changed)} changed`,
    `${formatNumber(unchanged)} unchanged`,
    `${formatNumber(blocked)} blocked`,
    unread > 0 && `${formatNumber(unread)} not read`
  )
  const covered = `${plural(wlans, 'WLAN')} on ${plural(sites, 'site')}`
  return `${covered}: ${parts.join(', ')}; ${formatNumber(unmanaged)} unmanaged; ${plural(requests, 'request')}`
}

/** What a plan covers, and what it does not, a sentence each. `adopt`: the command that declares unwatched fields. */
export function coverageNotes(kind: Kind, plan: Plan, adopt: string): string[] {
  const { against, shard, at, created, ignored_files: ignored, findings } = plan
  const span = against && formatSpan(against.created, created)
  const age = span === undefined ? 'of unknown age' : `${span} old`
  // The verdict says what `apply` needs.
  const isSaid = plan.refusals?.some(({ code }) => code === 'SECRETS_MISSING')
  const unavailable = kind === 'plan' && !isSaid ? countUnresolved(findings) : 0
  return present(
    against &&
      `Planned against a snapshot ${age} (${formatTime(against.created)}), not the live service`,
    shard !== undefined && `Shard ${shard} of the fleet`,
    at !== undefined && `Planned for ${formatTime(at)}, not for now`,
    waitingNote(plan),
    unavailable > 0 &&
      `${plural(unavailable, 'secret')} unavailable to this plan: \`apply\` compares the secrets, and writes those that differ`,
    unwatchedNote(plan, adopt, 'live'),
    ignored !== undefined && `${plural(ignored, 'YAML file')} ignored by .wlanctlignore`
  )
}

/** `3 changes wait; the first may be sent at 2026-11-23 22:00 Europe/Berlin`; empty if no change waits. */
function waitingNote({ deferred = [] }: Plan): string {
  const isOne = deferred.length === 1
  const dated = deferred.filter(({ until }) => until !== undefined)
  const [first] = sortBy(dated, ({ until = '' }) => until)
  if (deferred.length === 0) return ''
  const waiting = `${formatNumber(deferred.length)} ${isOne ? 'change waits' : 'changes wait'}`
  if (first?.until === undefined) return `${waiting}; no window opens within a year`
  const time = first.local ?? formatMinute(first.until)
  return `${waiting}; ${isOne ? 'it' : 'the first'} may be sent at ${time}`
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
 * The refusals in a few words: `1 broken rule, too many changes`; empty if there are none. Warnings do not count,
 * because another run may have the secrets.
 */
export function refusedText({ refusals = [] }: Pick<Plan, 'refusals'>): string {
  const counted = groupBy(
    refusals.filter(isError),
    ({ code }) => nouns[code] ?? causes[code] ?? code
  )
  const isCounted = new Set<string>(Object.values(nouns))
  return [...counted]
    .map(([name, { length }]) => (isCounted.has(name) ? plural(length, name) : name))
    .join(', ')
}

/** The protected WLANs of a plan, whose changes are not sent: `2 protected WLANs`; empty if there are none. */
function leftOutText({ refusals = [] }: Plan): string {
  const wlans = refusals
    .filter(({ code }) => code === 'PROTECTED')
    .reduce((sum, { addresses }) => sum + (addresses?.length ?? 1), 0)
  return wlans === 0 ? '' : plural(wlans, 'protected WLAN')
}
