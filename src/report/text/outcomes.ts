import {
  type FieldOutcome,
  type Outcome,
  type Status,
  statuses,
  tally
} from '../../core/model/outcome.ts'
import type { Plan } from '../../core/model/plan.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { fieldStates, fieldStatesLine } from '../field-changes.ts'
import { formatField, formatMessage, maskIds, shortenIds } from '../format-value.ts'
import {
  type AddressParts,
  addressPartsOf,
  type GroupedFindings,
  groupMany,
  splitAddress
} from '../group-findings.ts'
import { columnWidth, type Style, styleOf, wrap } from '../layout.ts'
import type { OutcomesReport, RenderOptions } from '../report.ts'
import { rolloutNotes } from '../rollout.ts'
import {
  clientsNote,
  formatNotRestored,
  formatUnplanned,
  nothingToRevert,
  unchangedText
} from '../verdict.ts'

/** In order of severity. */
export const worstFirst: readonly Status[] = [
  'unknown',
  'diverged',
  'failed',
  'stale',
  'reverted',
  'skipped',
  'deferred',
  'applied',
  'unchanged'
]

/** The column of the address. */
const INDENT = 11

/** A note lists at most this many fields. */
const MAX_NAMES = 100

/** Longer lists of sites are truncated; lists of successful changes are shorter. */
const MAX_SITES = 100
const MAX_APPLIED = 3

/**
 * The outcomes, the worst first and equal ones of a WLAN key as one, and the verdict. `verbose` lists each change
 * on its own.
 *
 *     diverged   hq/guest  accepted, but reading it back shows other values
 *                  vlan_id: before 20, wanted 40, found 20
 *     applied    corp on 37 sites: store-001, store-002, store-003 and 34 more
 *
 *     Apply: 37 applied, 1 diverged
 */
export function outcomesText(report: OutcomesReport, options: RenderOptions): string {
  const style = styleOf(options)
  const results = addressedOutcomes(report)
  const groups = options.verbose
    ? results.map((result): GroupedFindings<AddressedOutcome> => [result])
    : groupMany(results, equalOutcomeKey)
  groups.sort(([a], [b]) => worstFirst.indexOf(a.status) - worstFirst.indexOf(b.status))
  const single = groups.filter(({ length }) => length === 1)
  const width = columnWidth(single.map(([{ address }]) => escapeText(address)))
  const lines = groups.map(group =>
    group.length === 1
      ? outcomeText(group[0], width, options, style)
      : equalOutcomesText(group, options, style)
  )
  return [
    ...lines,
    ...(lines.length === 0 ? [] : ['']),
    ...rolloutNotes(report, options, style),
    ...[clientsNote(report) ?? []].flat(),
    formatOutcomesVerdict(report, style)
  ]
    .map(line => `${line}\n`)
    .join('')
}

/** An outcome with the parts of its address. */
interface AddressedOutcome extends Outcome {
  readonly parts: AddressParts
}

function addressedOutcomes({ plan, outcomes }: OutcomesReport): AddressedOutcome[] {
  const changes = new Map(plan.changes.map(change => [change.address, change]))
  return outcomes.map(outcome => {
    const change = changes.get(outcome.address)
    return { ...outcome, parts: change ? addressPartsOf(change) : splitAddress(outcome.address) }
  })
}

/** A key that is equal for outcomes which a text merges. */
function equalOutcomeKey({
  parts,
  address: _,
  wave: __,
  reason,
  ...rest
}: AddressedOutcome): string {
  return JSON.stringify([parts.key, rest, reason && maskIds(reason)])
}

/** Equal outcomes of WLANs with the same key: their sites, then their common details. */
function equalOutcomesText(
  group: GroupedFindings<AddressedOutcome>,
  options: RenderOptions,
  style: Style
): string {
  const [outcome] = group
  const { status, reason, parts } = outcome
  const columns = options.width - INDENT - 2
  const sites = group.map(each => escapeInside(each.parts.site))
  const key = escapeText(parts.key)
  const isDone = status === 'applied' || status === 'unchanged'
  const rest = sites.length - (isDone ? MAX_APPLIED : MAX_SITES)
  const shown = sites.slice(0, rest > 0 ? -rest : undefined)
  const names = rest > 0 ? shown.with(-1, `${shown.at(-1)} and ${formatNumber(rest)} more`) : shown
  const head = `${statusColour(status, style)(status.padEnd(INDENT - 2))}  ${key} on ${plural(group.length, 'site')}`
  const message = reason === undefined ? [] : formatMessage(maskIds(reason)).split(' ')
  const isShort = isDone || head.length + names.join(', ').length + 2 <= options.width
  return [
    isShort ? `${head}: ${names.join(', ')}` : head,
    ...indented(isShort ? [] : wrap(names, ', ', columns)),
    ...indented(wrap(message, ' ', columns).map(escapeText)),
    ...indented(outcomeDetails(outcome, columns, style))
  ].join('\n')
}

function outcomeText(
  outcome: Outcome,
  width: number,
  options: RenderOptions,
  style: Style
): string {
  const { address, status, reason } = outcome
  const head = `${statusColour(status, style)(status.padEnd(INDENT - 2))}  ${escapeText(address).padEnd(width)}`
  const message = reason === undefined ? '' : formatMessage(shortenIds(reason))
  const onOneLine = INDENT + width + 2 + message.length <= options.width
  const columns = options.width - INDENT - 2
  return [
    onOneLine ? `${head}  ${message}`.trimEnd() : head.trimEnd(),
    ...indented(onOneLine ? [] : wrap(message.split(' '), ' ', columns).map(escapeText)),
    ...indented(outcomeDetails(outcome, columns, style))
  ].join('\n')
}

function indented(lines: readonly string[]): string[] {
  return lines.map(line => `${' '.repeat(INDENT + 2)}${line}`)
}

/** The fields of an outcome with their values, and notes on other fields, in lines of `width` columns. */
export function outcomeDetails(outcome: Outcome, width: number, style: Style): string[] {
  const { fields, sideEffects, notVerifiable, notRestored = [] } = outcome
  const names = columnWidth(fields.map(({ pointer }) => formatField(pointer)))
  return [
    ...fields.flatMap(field => fieldLines(field, names, width)).map(escapeText),
    ...note('also changed', sideEffects, width, style),
    ...note('not verifiable', notVerifiable, width, style),
    ...note('not restored', notRestored, width, style)
  ]
}

/** The values of a field on one line, or each on its own line if that is too long. */
function fieldLines(field: FieldOutcome, names: number, width: number): string[] {
  const name = formatField(field.pointer)
  const line = `${`${name}:`.padEnd(names + 1)} ${fieldStatesLine(field)}`
  if (line.length <= width) return [line]
  return [`${name}:`, ...fieldStates(field).map(state => `  ${state.name.padEnd(6)} ${state.text}`)]
}

function note(title: string, pointers: readonly string[], width: number, style: Style): string[] {
  if (pointers.length === 0) return []
  const rest = pointers.length - MAX_NAMES
  const [first = '', ...others] = pointers.slice(0, MAX_NAMES).map(formatField)
  const more = rest > 0 ? [`and ${plural(rest, 'more field')}`] : []
  return wrap([`${title}: ${first}`, ...others, ...more], ', ', width)
    .map(escapeText)
    .map(style.warn)
}

/** The result of a run in one line: the number of outcomes by status, and the WLANs that were not planned. */
export function formatOutcomesVerdict(
  { command, plan, outcomes }: OutcomesReport,
  style: Style
): string {
  const notRestored = formatNotRestored(plan)
  const worst = notRestored === undefined ? '' : style.warn(`Incomplete: ${notRestored}. `)
  const left = formatUnplanned(plan)
  const rest = left === undefined ? '' : style.warn(`; not planned: ${left}`)
  if (outcomes.length === 0) return `${worst}${formatNothingToDo(plan, command)}${rest}`
  const counts = formatStatusCounts(outcomes, style)
  return `${worst}${style.strong(`${commandTitle(command)}:`)} ${counts}${rest}`
}

/** The command of a run as the title of its verdict. */
export function commandTitle(command: OutcomesReport['command'] = 'apply'): string {
  return command === 'apply' ? 'Apply' : 'Revert'
}

/** The verdict of a run without changes. */
export function formatNothingToDo(
  plan: Pick<Plan, 'summary' | 'findings' | 'not_compared'>,
  command: OutcomesReport['command']
): string {
  return command === 'revert' ? nothingToRevert(plan) : unchangedText('plan', plan)
}

/** The number of outcomes by status: `1 applied, 1 diverged`. */
export function formatStatusCounts(outcomes: readonly Outcome[], style: Style): string {
  const tallied = tally(outcomes)
  return statuses
    .filter(status => tallied[status] > 0)
    .map(status => statusColour(status, style)(`${formatNumber(tallied[status])} ${status}`))
    .join(', ')
}

/** The colour of a status. */
export function statusColour(status: Status, style: Style): (text: string) => string {
  switch (status) {
    case 'applied':
    case 'unchanged':
      return style.good
    case 'stale':
    case 'skipped':
    case 'reverted':
    case 'deferred':
      return style.warn
    case 'diverged':
    case 'failed':
    case 'unknown':
      return style.bad
  }
}
