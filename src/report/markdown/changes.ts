import { byCodeUnit } from '../../model/collections.ts'
import type { Change, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { type GroupedFindings, groupFindings, matterOf, whereaboutsOf } from '../group-findings.ts'
import { type Severity, severities, severityOf } from '../severity.ts'
import { shown } from '../shown.ts'
import { thousands } from '../words.ts'
import { code } from './code.ts'
import { fieldsCell, type Look } from './fields.ts'
import type { Row, Section } from './page.ts'
import { siteCell, wlanCell } from './where.ts'

/** A plan of so many rows shows its fields unfolded. */
const FEW_ROWS = 4

/** How the impact of a change is shown, to find it while scrolling. */
const badges: Readonly<Record<Severity, string>> = {
  downgrade: '🔴&nbsp;downgrade',
  outage: '🟠&nbsp;outage',
  reconnect: '🟡&nbsp;reconnect',
  none: 'none'
}

/** Equal changes, and how many changes of the same WLAN elsewhere are not equal to them. */
export interface Group {
  readonly changes: GroupedFindings<Change>
  /** 0 where these are not the rule. */
  readonly exceptions: number
  /** True for a change that is an exception from a rule. */
  readonly isException: boolean
}

/** The changes of a plan, equal ones together, in the order in which they are to be read. */
export function groupsOf(changes: readonly Change[]): Group[] {
  const totals = new Map<string, number>()
  for (const change of changes) {
    const { key } = whereaboutsOf(change)
    totals.set(key, (totals.get(key) ?? 0) + 1)
  }
  const groups = groupFindings(changes, matterOf).sort(byWeight)
  const ruled = new Set<string>()
  const found = groups.map(group => {
    const { key } = whereaboutsOf(group[0])
    const exceptions = (totals.get(key) ?? 0) - group.length
    const isException = ruled.has(key)
    const isRule = group.length > 1 && exceptions < group.length
    if (isRule) ruled.add(key)
    return { changes: group, exceptions: isRule ? exceptions : 0, isException }
  })
  return found.sort(byUrgency)
}

/** What gets less safe, whatever it is an exception from; then the rules, then the rest; the worst first. */
function byUrgency(a: Group, b: Group): number {
  return (
    Number(isDowngrade(b)) - Number(isDowngrade(a)) ||
    Number(a.isException) - Number(b.isException) ||
    rankOf(a.changes) - rankOf(b.changes) ||
    byWeight(a.changes, b.changes)
  )
}

/** The most first, then the worst, then by address. */
export function byWeight(a: GroupedFindings<Change>, b: GroupedFindings<Change>): number {
  return b.length - a.length || rankOf(a) - rankOf(b) || byCodeUnit(a[0].address, b[0].address)
}

function isDowngrade({ changes: [change] }: Group): boolean {
  return change.downgrades !== undefined
}

/** 0 for the worst. */
export function rankOf([change]: GroupedFindings<Change>): number {
  return severities.indexOf(severityOf(change))
}

/** The table of the changes, by site; where it has to be cut, the worst ones stay. */
export function changesSection(plan: Plan, direction: string): Section {
  const groups = groupsOf(plan.changes)
  const hasOwners = plan.changes.some(({ owner }) => owner !== undefined)
  const look = { open: groups.length <= FEW_ROWS, aged: plan.since !== undefined }
  const columns = [
    'Site',
    'WLAN',
    'Impact',
    ...(hasOwners ? ['Owner'] : []),
    `Fields, ${direction}`
  ]
  return {
    lead: groups.length === 0 ? '' : '#### Changes',
    columns,
    rows: groups.map(group => row(group, hasOwners, look)),
    noun: 'change',
    share: 1
  }
}

function row({ changes, exceptions, isException }: Group, hasOwners: boolean, look: Look): Row {
  const places = changes.map(whereaboutsOf)
  const beside = exceptions === 0 ? '' : `, ${thousands(plural(exceptions, 'exception'))}`
  return {
    cells: [
      siteCell(places, isException ? ' <sub>exception</sub>' : beside),
      wlanCell(whereaboutsOf(changes[0])) + ssidOf(changes),
      impactOf(changes[0]),
      ...(hasOwners ? [ownerOf(changes)] : []),
      fieldsCell(changes, look)
    ],
    weight: changes.length,
    rank: rankOf(changes)
  }
}

/** A downgrade may be an outage as well. */
export function impactOf(change: Change): string {
  const also = change.downgrades === undefined || change.impact === undefined
  return badges[severityOf(change)] + (also ? '' : `<br>${badges[change.impact]}`)
}

/** The present SSID, where it is another one than the handle. */
function ssidOf(changes: GroupedFindings<Change>): string {
  const ssids = new Set(changes.map(({ wlan }) => wlan.ssid))
  const [ssid = ''] = ssids
  const isSaid = ssids.size > 1 || ssid === whereaboutsOf(changes[0]).key
  return isSaid ? '' : `<br>${code(shown(ssid))}`
}

function ownerOf(changes: GroupedFindings<Change>): string {
  const owned = changes.flatMap(({ owner }) => owner ?? [])
  const owners = new Set(owned)
  const [owner] = owners
  if (owner === undefined) return ''
  const part =
    owned.length === changes.length ? '' : ` <sub>${owned.length} of ${changes.length}</sub>`
  return (owners.size === 1 ? code(owner) : plural(owners.size, 'owner')) + part
}
