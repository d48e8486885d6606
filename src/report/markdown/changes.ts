import { dangerRank } from '../../core/model/danger.ts'
import type { Change, Plan } from '../../core/model/plan.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { dangerTexts, leadingFields, worstDanger } from '../danger.ts'
import { effectNotes } from '../effects.ts'
import { fieldsOf, type Severity, severities, severityOf } from '../field-changes.ts'
import { formatValue } from '../format-value.ts'
import {
  addressPartsOf,
  changeKey,
  type GroupedFindings,
  groupFindings
} from '../group-findings.ts'
import type { PlanReport } from '../report.ts'
import { codeSpan, type FieldsOptions, fieldSpan, fieldsCell, siteCell, wlanCell } from './cells.ts'
import type { Section, TableRow } from './page.ts'

/** Up to this number of rows, a plan shows its fields without a fold. */
const FEW_ROWS = 4

/** The badge of a severity, which is visible while scrolling. */
const badges: Readonly<Record<Severity, string>> = {
  downgrade: '🔴&nbsp;downgrade',
  outage: '🟠&nbsp;outage',
  reconnect: '🟡&nbsp;reconnect',
  some: '🟡&nbsp;partial&nbsp;outage',
  'guest-login': '🟡&nbsp;guest&nbsp;login',
  'radio-reset': '🟡&nbsp;radio&nbsp;reset',
  none: 'none'
}

/**
 * Equal changes: a rule if they are the majority of the changes of a WLAN key, or exceptions from such a
 * rule.
 */
export interface ChangeGroup {
  readonly changes: GroupedFindings<Change>
  /** The number of other changes of the same WLAN key; 0 unless these changes are a rule. */
  readonly exceptions: number
  /** True for exceptions from a rule. */
  readonly isException: boolean
}

/**
 * The groups of equal changes of a plan: downgrades, rules, then exceptions, each by severity; all by
 * the danger of the live WLAN first.
 */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const totals = new Map<string, number>()
  for (const change of changes) {
    const { key } = addressPartsOf(change)
    totals.set(key, (totals.get(key) ?? 0) + 1)
  }
  const groups = groupFindings(changes, changeKey).sort(byWeight)
  const keysWithRule = new Set<string>()
  const found = groups.map(group => {
    const { key } = addressPartsOf(group[0])
    const exceptions = (totals.get(key) ?? 0) - group.length
    const isException = keysWithRule.has(key)
    const isRule = group.length > 1 && exceptions < group.length
    if (isRule) keysWithRule.add(key)
    return { changes: group, exceptions: isRule ? exceptions : 0, isException }
  })
  return found.sort((a, b) => byDanger(a.changes, b.changes) || byUrgency(a, b))
}

function byDanger([a]: GroupedFindings<Change>, [b]: GroupedFindings<Change>): number {
  return dangerRank(worstDanger(a)) - dangerRank(worstDanger(b))
}

/** Orders downgrades before rules before exceptions, and each by severity. */
function byUrgency(a: ChangeGroup, b: ChangeGroup): number {
  return (
    Number(isDowngrade(b)) - Number(isDowngrade(a)) ||
    Number(a.isException) - Number(b.isException) ||
    severityRank(a.changes) - severityRank(b.changes) ||
    byWeight(a.changes, b.changes)
  )
}

/** Orders groups by size, then by severity, then by address. */
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

/** 0 is the most severe. */
export function severityRank([change]: GroupedFindings<Change>): number {
  return severities.indexOf(severityOf(change))
}

/** The table of changes; if they do not fit, the least severe ones are omitted first. */
export function changesSection(
  plan: Plan,
  direction: string,
  kind: PlanReport['kind'] = 'plan',
  source?: string
): Section {
  const groups = groupChanges(plan.changes)
  const hasOwners = plan.changes.some(({ owner }) => owner !== undefined)
  const options = {
    open: groups.length <= FEW_ROWS,
    dated: plan.since !== undefined,
    isDrift: kind === 'drift',
    ...compact({ source })
  }
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
    rows: groups.map(group => row(group, hasOwners, options)),
    noun: 'change',
    share: 1
  }
}

function row(
  { changes, exceptions, isException }: ChangeGroup,
  hasOwners: boolean,
  options: FieldsOptions
): TableRow {
  const places = changes.map(addressPartsOf)
  const suffix = exceptions === 0 ? '' : `, ${plural(exceptions, 'exception')}`
  return {
    cells: [
      siteCell(places, isException ? ' <sub>exception</sub>' : suffix),
      wlanCell(addressPartsOf(changes[0])) + ssidOf(changes),
      dangerBadge(changes[0]) + impactBadges(changes[0]),
      ...(hasOwners ? [ownerOf(changes)] : []),
      fieldsCell(changes, options)
    ],
    weight: changes.length,
    rank: severityRank(changes) + dangerWeight(changes[0])
  }
}

/** A weight that ranks a row with a danger above all rows without one. */
function dangerWeight(change: Change): number {
  return severities.length * dangerRank(worstDanger(change))
}

/** The worst danger of the live WLAN, on its own line; empty if there is none. */
function dangerBadge(change: Change): string {
  const worst = worstDanger(change)
  return worst === undefined ? '' : `**${dangerTexts[worst]}**<br>`
}

/** The badge and meaning of the severity; a downgrade shows its impact, too. */
export function impactBadges(change: Change): string {
  const isSingle = change.downgrades === undefined || change.impact === undefined
  const impact = isSingle ? '' : `<br>${badges[change.impact]}`
  const notes = effectNotes(change).map(note => `<br><sub>${note}</sub>`)
  return [badges[severityOf(change)], impact, ...notes].join('')
}

/** The live SSID, if all changes share one that differs from the key. */
function ssidOf(changes: GroupedFindings<Change>): string {
  const ssids = new Set(changes.map(({ wlan }) => wlan.ssid))
  const [ssid = ''] = ssids
  const isOmitted = ssids.size > 1 || ssid === addressPartsOf(changes[0]).key
  return isOmitted ? '' : `<br>${codeSpan(formatValue(ssid))}`
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

/** A longer table of changes gets an overview above it. */
const MAX_GROUPS = 25

/** A row of the overview lists at most this many fields. */
const MAX_NAMES = 10

/**
 * An overview of many changes: those with the same WLAN key, fields, danger and impact share a row, regardless of
 * values. Empty if the table of changes is short.
 */
export function kindsSection({ changes }: Plan): Section {
  const isLong = groupChanges(changes).length > MAX_GROUPS
  const kinds = groupFindings(isLong ? changes : [], kindOf).sort(
    (a, b) => byDanger(a, b) || severityRank(a) - severityRank(b) || byWeight(a, b)
  )
  return {
    lead: isLong ? '#### Kinds of changes' : '',
    columns: ['Sites', 'WLAN', 'Impact', 'Fields'],
    rows: kinds.map(kind => ({
      cells: [
        siteCell(kind.map(addressPartsOf)),
        wlanCell(addressPartsOf(kind[0])),
        dangerBadge(kind[0]) + impactBadges(kind[0]),
        listFirst(namesOf(kind[0]).map(fieldSpan), MAX_NAMES)
      ],
      weight: kind.length,
      rank: severityRank(kind) + dangerWeight(kind[0])
    })),
    noun: 'change',
    share: 1 / 8
  }
}

function kindOf(change: Change): string {
  const { impact, downgrades } = change
  const danger = worstDanger(change)
  return JSON.stringify([addressPartsOf(change).key, namesOf(change), danger, impact, downgrades])
}

/** The names of the fields; the most important ones come first if the overview does not list all. */
function namesOf(change: Change): string[] {
  const first = leadingFields(change, MAX_NAMES).map(({ path }) => path)
  const others = fieldsOf(change).map(({ path }) => path)
  return [...new Set([...first, ...others])]
}
