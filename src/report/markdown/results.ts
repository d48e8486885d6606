import { type FieldOutcome, type Outcome, type Status, tally } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import type { Pointer } from '../../model/pointer.ts'
import { listFirst } from '../../model/text.ts'
import { fieldStates } from '../field-changes.ts'
import { maskIds, shortenIds } from '../format-value.ts'
import {
  addressPartsOf,
  changeKey,
  type GroupedFindings,
  groupFindings,
  splitAddress
} from '../group-findings.ts'
import { codeSpan, fieldSpan, siteCell, wlanCell } from './cells.ts'
import { fieldsCell } from './fields.ts'
import type { TableRow } from './page.ts'

/** An outcome with its change, if that is known. */
export interface Result {
  readonly outcome: Outcome
  readonly change?: Change
  /** Secrets that a revert cannot restore. */
  readonly lostSecrets?: readonly Pointer[]
}

export const resultColumns = ['Outcome', 'Site', 'WLAN', 'Details'] as const

/** Worst first: unknown, failed, not attempted, applied. */
const order: readonly Status[] = [
  'unknown',
  'diverged',
  'failed',
  'stale',
  'skipped',
  'applied',
  'unchanged'
]

const badges: Readonly<Record<Status, string>> = {
  unknown: '🔴&nbsp;unknown',
  diverged: '🔴&nbsp;diverged',
  failed: '🔴&nbsp;failed',
  stale: '🟡&nbsp;stale',
  skipped: '🟡&nbsp;skipped',
  applied: '🟢&nbsp;applied',
  unchanged: '🟢&nbsp;unchanged'
}

/** A row for each group of equal results, the worst first. */
export function resultRows(results: readonly Result[]): TableRow[] {
  const groups = groupFindings(results, resultKey)
  return groups
    .sort((a, b) => statusRank(a) - statusRank(b) || b.length - a.length)
    .map(group => ({ cells: cellsOf(group), weight: group.length, rank: statusRank(group) }))
}

/** The number of results by status, worst first: `1 failed, 4 applied`. */
export function formatResultCounts(results: readonly Result[]): string {
  const counts = tally(results.map(({ outcome }) => outcome))
  return order
    .filter(status => counts[status] > 0)
    .map(status => `${counts[status]} ${status}`)
    .join(', ')
}

/** The sign of the worst status. */
export function resultSign(results: readonly Result[]): string {
  const counts = tally(results.map(({ outcome }) => outcome))
  if (counts.unknown + counts.diverged + counts.failed > 0) return '🔴'
  return counts.stale + counts.skipped > 0 ? '🟡' : '🟢'
}

function statusRank([{ outcome }]: GroupedFindings<Result>): number {
  return order.indexOf(outcome.status)
}

function resultKey({ outcome, change, lostSecrets }: Result): string {
  const { address: _, wave: __, reason, ...rest } = outcome
  const { key } = locationOf({ outcome, ...(change && { change }) })
  const changed = change === undefined ? '' : changeKey(change)
  return JSON.stringify([key, rest, reason && maskIds(reason), changed, lostSecrets])
}

function locationOf({ outcome, change }: Result) {
  return change === undefined ? splitAddress(outcome.address) : addressPartsOf(change)
}

function cellsOf(group: GroupedFindings<Result>): string[] {
  const [{ outcome, lostSecrets = [] }, ...others] = group
  const place = locationOf(group[0])
  const [change, ...equal] = group.flatMap(result => result.change ?? [])
  return [
    badges[outcome.status],
    siteCell([place, ...others.map(locationOf)]),
    wlanCell(place),
    [
      ...reasonOf(group),
      ...outcome.fields.map(fieldLine),
      ...note('also changed', outcome.sideEffects),
      ...note('not verifiable', outcome.notVerifiable),
      ...note('not restored', outcome.notRestored ?? []),
      ...note('cannot be reverted', lostSecrets),
      ...(change === undefined
        ? []
        : [fieldsCell([change, ...equal], { open: false, dated: false })])
    ].join('<br>')
  ]
}

/** The reason, without the ids of sites if it is that of several. */
function reasonOf([{ outcome }, ...others]: GroupedFindings<Result>): string[] {
  if (outcome.reason === undefined) return []
  return [codeSpan((others.length === 0 ? shortenIds : maskIds)(outcome.reason))]
}

function fieldLine(field: FieldOutcome): string {
  const values = fieldStates(field).map(
    ({ name, text, unset }) => `${name} ${unset ? text : codeSpan(text)}`
  )
  return `${fieldSpan(field.pointer)}: ${values.join(', ')}`
}

function note(title: string, pointers: readonly Pointer[]): string[] {
  return pointers.length === 0 ? [] : [`${title}: ${listFirst(pointers.map(fieldSpan), 20)}`]
}
