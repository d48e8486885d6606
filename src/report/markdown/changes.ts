import { byCodeUnit } from '../../model/collections.ts'
import type { Change, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { fieldsOf } from '../field-changes.ts'
import { few, formatValue, thousands } from '../format-value.ts'
import {
  addressPartsOf,
  changeKey,
  type GroupedFindings,
  groupFindings
} from '../group-findings.ts'
import { type Severity, severities, severityOf } from '../severity.ts'
import { codeSpan, fieldSpan, siteCell, wlanCell } from './cells.ts'
import { type FieldsOptions, fieldsCell } from './fields.ts'
import type { Section, TableRow } from './page.ts'

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
export interface ChangeGroup {
  readonly changes: GroupedFindings<Change>
  /** 0 where these are not the rule. */
  readonly exceptions: number
  /** True for a change that is an exception from a rule. */
  readonly isException: boolean
}

/** The changes of a plan, equal ones together, in the order in which they are to be read. */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const totals = new Map<string, number>()
  for (const change of changes) {
    const { key } = addressPartsOf(change)
    totals.set(key, (totals.get(key) ?? 0) + 1)
  }
  const groups = groupFindings(changes, changeKey).sort(byWeight)
  const ruled = new Set<string>()
  const found = groups.map(group => {
    const { key } = addressPartsOf(group[0])
    const exceptions = (totals.get(key) ?? 0) - group.length
    const isException = ruled.has(key)
    const isRule = group.length > 1 && exceptions < group.length
    if (isRule) ruled.add(key)
    return { changes: group, exceptions: isRule ? exceptions : 0, isException }
  })
  return found.sort(byUrgency)
}

/** What gets less safe, whatever it is an exception from; then the rules, then the rest; the worst first. */
function byUrgency(a: ChangeGroup, b: ChangeGroup): number {
  return (
    Number(isDowngrade(b)) - Number(isDowngrade(a)) ||
    Number(a.isException) - Number(b.isException) ||
    severityRank(a.changes) - severityRank(b.changes) ||
    byWeight(a.changes, b.changes)
  )
}

/** The most first, then the worst, then by address. */
function byWeight(a: GroupedFindings<Change>, b: GroupedFindings<Change>): number {
  return (
    b.length - a.length ||
    severityRank(a) - severityRank(b) ||
    byCodeUnit(a[0].address, b[0].address)
  )
}

function isDowngrade({ changes: [change] }: ChangeGroup): boolean {
  return change.downgrades !== undefined
}

/** 0 for the worst. */
export function severityRank([change]: GroupedFindings<Change>): number {
  return severities.indexOf(severityOf(change))
}

/** The table of the changes, by site; where it has to be cut, the worst ones stay. */
export function changesSection(plan: Plan, direction: string): Section {
  const groups = groupChanges(plan.changes)
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

function row(
  { changes, exceptions, isException }: ChangeGroup,
  hasOwners: boolean,
  look: FieldsOptions
): TableRow {
  const places = changes.map(addressPartsOf)
  const beside = exceptions === 0 ? '' : `, ${thousands(plural(exceptions, 'exception'))}`
  return {
    cells: [
      siteCell(places, isException ? ' <sub>exception</sub>' : beside),
      wlanCell(addressPartsOf(changes[0])) + ssidOf(changes),
      impactBadges(changes[0]),
      ...(hasOwners ? [ownerOf(changes)] : []),
      fieldsCell(changes, look)
    ],
    weight: changes.length,
    rank: severityRank(changes)
  }
}

/** A downgrade may be an outage as well. */
export function impactBadges(change: Change): string {
  const also = change.downgrades === undefined || change.impact === undefined
  return badges[severityOf(change)] + (also ? '' : `<br>${badges[change.impact]}`)
}

/** The present SSID, where it is another one than the handle. */
function ssidOf(changes: GroupedFindings<Change>): string {
  const ssids = new Set(changes.map(({ wlan }) => wlan.ssid))
  const [ssid = ''] = ssids
  const isSaid = ssids.size > 1 || ssid === addressPartsOf(changes[0]).key
  return isSaid ? '' : `<br>${codeSpan(formatValue(ssid))}`
}

function ownerOf(changes: GroupedFindings<Change>): string {
  const owned = changes.flatMap(({ owner }) => owner ?? [])
  const owners = new Set(owned)
  const [owner] = owners
  if (owner === undefined) return ''
  const part =
    owned.length === changes.length ? '' : ` <sub>${owned.length} of ${changes.length}</sub>`
  return (owners.size === 1 ? codeSpan(owner) : plural(owners.size, 'owner')) + part
}

/** A table with more rows than this is too long to be looked through. */
const LONG = 25

/** A kind of changes names so many fields. */
const NAMES = 10

/**
 * How many changes there are of each kind: the same fields of the WLANs of one handle, with the same
 * impact, whatever the values. Only where the table of the changes is too long to be looked through.
 */
export function kindsSection({ changes }: Plan): Section {
  const isLong = groupChanges(changes).length > LONG
  const kinds = groupFindings(isLong ? changes : [], kindOf).sort(byWeight)
  return {
    lead: isLong ? '#### Kinds of changes' : '',
    columns: ['Sites', 'WLAN', 'Impact', 'Fields'],
    rows: kinds.map(kind => ({
      cells: [
        siteCell(kind.map(addressPartsOf)),
        wlanCell(addressPartsOf(kind[0])),
        impactBadges(kind[0]),
        few(namesOf(kind[0]).map(fieldSpan), NAMES)
      ],
      weight: kind.length,
      rank: severityRank(kind)
    })),
    noun: 'change',
    share: 1 / 8
  }
}

function kindOf(change: Change): string {
  const { impact, downgrades } = change
  return JSON.stringify([addressPartsOf(change).key, namesOf(change), impact, downgrades])
}

function namesOf(change: Change): string[] {
  return fieldsOf(change).map(({ path }) => path)
}
