import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import type { Status } from '../../core/model/outcome.ts'
import { byCodeUnit, groupBy, sortBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { dangerKey } from '../danger.ts'
import type { Severity } from '../field-changes.ts'

/** The status of a WLAN on the page; every declared WLAN has one. */
export type CellStatus =
  | Status
  | Severity
  | 'blocked'
  | 'unread'
  | 'uncompared'
  | 'unmanaged'
  | 'inherited'
  | 'sync'

/** The shape of a status without a label; it is recognizable without colour. */
export type GlyphShape =
  | 'low'
  | 'third'
  | 'half'
  | 'full'
  | 'alarm'
  | 'hollow'
  | 'cross'
  | 'dot'
  | 'slit'

export interface StatusInfo {
  readonly status: CellStatus
  /** A unique letter: the status in the data of the page. */
  readonly letter: string
  readonly label: string
  /** One sentence. */
  readonly meaning: string
  readonly shape: GlyphShape
}

/** All statuses in order of severity, which is the order of all lists on the page. */
export const statusInfos: readonly StatusInfo[] = [
  info('unknown', '?', 'unknown', 'cross', 'Sent, but the result is unknown.'),
  info('diverged', 'V', 'diverged', 'alarm', 'Accepted, but reading it back shows otherwise.'),
  info('failed', 'F', 'failed', 'full', 'Not written.'),
  info('downgrade', 'D', 'security downgrade', 'alarm', 'The change weakens security.'),
  info('outage', 'O', 'outage', 'full', 'All or most clients lose this network.'),
  info('unread', 'X', 'not read', 'cross', 'The site could not be read; its state is unknown.'),
  info('blocked', 'B', 'blocked', 'hollow', 'It cannot be planned; see the findings.'),
  info(
    'stale',
    'L',
    'stale',
    'hollow',
    'Changed outside this run since the plan; nothing was sent.'
  ),
  info('reverted', 'W', 'reverted', 'hollow', 'Sent, and put back: it is as before.'),
  info('reconnect', 'R', 'reconnect', 'half', 'Clients are disconnected and reconnect.'),
  info('some', 'P', 'partial outage', 'half', 'Some clients stay out.'),
  info('guest-login', 'G', 'guest login', 'half', 'New guests may be unable to log in.'),
  info(
    'radio-reset',
    'Z',
    'radio reset',
    'half',
    'Other WLANs of the access points drop for seconds.'
  ),
  info('skipped', 'K', 'skipped', 'slit', 'Not attempted.'),
  info('deferred', 'T', 'deferred', 'slit', 'Waits for its window; nothing was sent.'),
  info('none', 'N', 'no interruption', 'third', 'It differs; the change interrupts no clients.'),
  info('uncompared', 'S', 'not compared', 'slit', 'Has secrets that cannot be compared.'),
  info('unmanaged', 'U', 'unmanaged', 'dot', 'Live, but not declared.'),
  info('applied', 'A', 'applied', 'third', 'Sent, and read back as declared.'),
  info('unchanged', 'E', 'already as declared', 'low', 'Nothing had to be sent.'),
  info('inherited', 'I', 'inherited', 'dot', 'From the organization; not declared.'),
  info('sync', '=', 'in sync', 'low', 'Live matches the declaration.')
]

function info(
  status: CellStatus,
  letter: string,
  label: string,
  shape: GlyphShape,
  meaning: string
): StatusInfo {
  return { status, letter, label, shape, meaning }
}

const byStatus = new Map(statusInfos.map(each => [each.status, each]))
const ranks = new Map(statusInfos.map(({ status }, rank) => [status, rank]))

export function statusInfo(status: CellStatus): StatusInfo {
  const found = byStatus.get(status)
  if (found === undefined) throw new Error(`unknown status: ${status}`)
  return found
}

/** The statuses whose labels are nouns. */
const nouns: ReadonlySet<CellStatus> = new Set([
  'downgrade',
  'outage',
  'reconnect',
  'some',
  'radio-reset'
])

/** A number of WLANs with their status: `2 outages`, `2 in sync`. */
export function countStatus(status: CellStatus, count: number): string {
  const { label } = statusInfo(status)
  return nouns.has(status) ? plural(count, label) : `${formatNumber(count)} ${label}`
}

/** 0 for the worst status. */
export function statusRank(status: CellStatus): number {
  return ranks.get(status) ?? statusInfos.length
}

/** True for the statuses that need no attention: applied, unchanged and in sync. */
export function isHealthy(status: CellStatus): boolean {
  return statusRank(status) >= statusRank('applied')
}

/** The status of a WLAN at a site. */
export interface Issue {
  readonly site: string
  readonly key: string
  readonly status: CellStatus
  /** The worst danger of the live WLAN. */
  readonly danger?: DangerKind
}

/** A site with its issues in order of severity. */
export interface SiteIssues<T extends Issue> {
  readonly site: string
  readonly issues: readonly T[]
}

/**
 * The sites with issues, worst first: by dangers; then by their worst status; then by the number of WLANs
 * with it, and so on with the next status. Healthy statuses are ignored.
 */
export function siteIssuesOf<T extends Issue>(all: readonly T[]): SiteIssues<T>[] {
  const unhealthy = all.filter(({ status }) => !isHealthy(status))
  const keyed = [...groupBy(unhealthy, ({ site }) => site)].map(([site, issues]) => ({
    site,
    issues,
    key:
      dangerKey(issues.map(({ danger }) => danger)) +
      worstFirstKey(issues.map(({ status }) => statusInfo(status).letter).join(''))
  }))
  return sortBy(
    keyed,
    ({ key }) => key,
    ({ site }) => site
  ).map(({ site, issues }) => ({ site, issues: issues.sort(byUrgency) }))
}

/** A sort key for a site from the letters of its statuses; worse sites sort first. */
export function worstFirstKey(letters: string): string {
  const counts = new Array<number>(UNHEALTHY.length).fill(0xffff)
  for (const letter of letters) {
    const rank = UNHEALTHY.indexOf(letter)
    if (rank >= 0) counts[rank] = Math.max(0, (counts[rank] ?? 0) - 1)
  }
  return String.fromCharCode(...counts)
}

/** The letters of the statuses that need attention, in order of severity. */
const UNHEALTHY = statusInfos
  .filter(({ status }) => !isHealthy(status))
  .map(({ letter }) => letter)
  .join('')

/** True if a string of status letters contains one that needs attention. */
export function hasIssue(letters: string): boolean {
  for (const letter of letters) if (UNHEALTHY.includes(letter)) return true
  return false
}

/** Orders WLANs by danger, then by status; the worst come first. */
export function byUrgency(a: Issue, b: Issue): number {
  return (
    dangerRank(a.danger) - dangerRank(b.danger) ||
    statusRank(a.status) - statusRank(b.status) ||
    byCodeUnit(a.key, b.key)
  )
}
