import { type FieldOutcome, type Outcome, type Status, tally } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import type { Pointer } from '../../model/pointer.ts'
import { fieldStates } from '../field-changes.ts'
import { few, shortenIds } from '../format-value.ts'
import {
  addressPartsOf,
  changeKey,
  type GroupedFindings,
  groupFindings,
  splitAddress
} from '../group-findings.ts'
import { maskIds } from '../text/findings.ts'
import { codeSpan, fieldSpan, siteCell, wlanCell } from './cells.ts'
import { fieldsCell } from './fields.ts'
import type { TableRow } from './page.ts'

/** What became of a change, with what is known of the change itself. */
export interface Result {
  readonly outcome: Outcome
  readonly change?: Change
  /** Secrets that nobody can bring back. */
  readonly lostSecrets?: readonly Pointer[]
}

export const resultColumns = ['Outcome', 'Site', 'WLAN', 'What'] as const

/** Worst first: what is open, what went wrong, what was left, what went well. */
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

/** A row for each result, those that say the same together; the worst first. */
export function resultRows(results: readonly Result[]): TableRow[] {
  const groups = groupFindings(results, sameness)
  return groups
    .sort((a, b) => rankOf(a) - rankOf(b) || b.length - a.length)
    .map(group => ({ cells: cellsOf(group), weight: group.length, rank: rankOf(group) }))
}

/** How many there are of each status, worst first, e.g. `1 failed, 4 applied`. */
export function formatResultCounts(results: readonly Result[]): string {
  const counts = tally(results.map(({ outcome }) => outcome))
  return order
    .filter(status => counts[status] > 0)
    .map(status => `${counts[status]} ${status}`)
    .join(', ')
}

/** The sign of the worst there is: open or wrong, left, or fine. */
export function resultSign(results: readonly Result[]): string {
  const counts = tally(results.map(({ outcome }) => outcome))
  if (counts.unknown + counts.diverged + counts.failed > 0) return '🔴'
  return counts.stale + counts.skipped > 0 ? '🟡' : '🟢'
}

function rankOf([{ outcome }]: GroupedFindings<Result>): number {
  return order.indexOf(outcome.status)
}

function sameness({ outcome, change, lostSecrets }: Result): string {
  const { address: _, wave: __, reason, ...said } = outcome
  const { key } = placeOf({ outcome, ...(change && { change }) })
  const matter = change === undefined ? '' : changeKey(change)
  return JSON.stringify([key, said, reason && maskIds(reason), matter, lostSecrets])
}

function placeOf({ outcome, change }: Result) {
  return change === undefined ? splitAddress(outcome.address) : addressPartsOf(change)
}

function cellsOf(group: GroupedFindings<Result>): string[] {
  const [{ outcome, lostSecrets = [] }, ...others] = group
  const place = placeOf(group[0])
  const [change, ...equal] = group.flatMap(result => result.change ?? [])
  return [
    badges[outcome.status],
    siteCell([place, ...others.map(placeOf)]),
    wlanCell(place),
    [
      ...reasonOf(group),
      ...outcome.fields.map(fieldLine),
      ...note('also moved', outcome.sideEffects),
      ...note('not verifiable', outcome.notVerifiable),
      ...note('not restored', outcome.notRestored ?? []),
      ...note('cannot be reverted', lostSecrets),
      ...(change === undefined
        ? []
        : [fieldsCell([change, ...equal], { open: false, aged: false })])
    ].join('<br>')
  ]
}

/** Why; the ids in it are left out where it goes for several. */
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
  return pointers.length === 0 ? [] : [`${title}: ${few(pointers.map(fieldSpan), 20)}`]
}
