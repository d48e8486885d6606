import {
  type FieldOutcome,
  type Outcome,
  type Status,
  statuses,
  tally
} from '../../model/outcome.ts'
import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { escapeText } from '../escape.ts'
import { columnWidth, wrap } from '../layout.ts'
import { fieldStates, fieldStatesLine } from '../outcome-field.ts'
import type { OutcomesReport, RenderOptions } from '../report.ts'
import { shownField, shownMessage, withShortIds } from '../shown.ts'
import { type Style, styleOf } from '../style.ts'
import { rolloutNotes } from './rollout.ts'
import { leftOut } from './verdict.ts'

/** Where what is said of an outcome begins: under the address. */
const INDENT = 11

/** A note names so many fields. */
const NAMED = 100

/**
 * What became of each change, and the sum.
 *
 *     applied    hq/corp
 *     diverged   hq/guest  accepted, but reading it back shows otherwise
 *                  vlan_id: before 20, wanted 40, found 20
 *
 *     Apply: 1 applied, 1 diverged
 */
export function outcomesText(report: OutcomesReport, manner: RenderOptions): string {
  const { outcomes } = report
  const style = styleOf(manner)
  const width = columnWidth(outcomes.map(({ address }) => escapeText(address)))
  const lines = outcomes.map(outcome => outcomeText(outcome, width, manner, style))
  return [
    ...lines,
    ...(lines.length === 0 ? [] : ['']),
    ...rolloutNotes(report, manner, style),
    sum(report, style)
  ]
    .map(line => `${line}\n`)
    .join('')
}

function outcomeText(outcome: Outcome, width: number, manner: RenderOptions, style: Style): string {
  const { address, status, reason } = outcome
  const head = `${mark(status, style)(status.padEnd(INDENT - 2))}  ${escapeText(address).padEnd(width)}`
  const said = reason === undefined ? '' : shownMessage(withShortIds(reason))
  const onOneLine = INDENT + width + 2 + said.length <= manner.width
  const room = manner.width - INDENT - 2
  return [
    onOneLine ? `${head}  ${said}`.trimEnd() : head.trimEnd(),
    ...indented(onOneLine ? [] : wrap(said.split(' '), ' ', room).map(escapeText)),
    ...indented(outcomeDetails(outcome, room, style))
  ].join('\n')
}

function indented(lines: readonly string[]): string[] {
  return lines.map(line => `${' '.repeat(INDENT + 2)}${line}`)
}

/** The fields of an outcome, each with its values, and what else is to be said of it, in so many columns. */
export function outcomeDetails(outcome: Outcome, width: number, style: Style): string[] {
  const { fields, sideEffects, notVerifiable, notRestored = [] } = outcome
  const names = columnWidth(fields.map(({ pointer }) => shownField(pointer)))
  return [
    ...fields.flatMap(field => fieldLines(field, names, width)).map(escapeText),
    ...note('also moved', sideEffects, width, style),
    ...note('not verifiable', notVerifiable, width, style),
    ...note('not restored', notRestored, width, style)
  ]
}

/** A field's values on one line, or on one each where that is too narrow. */
function fieldLines(field: FieldOutcome, names: number, width: number): string[] {
  const name = shownField(field.pointer)
  const line = `${`${name}:`.padEnd(names + 1)} ${fieldStatesLine(field)}`
  if (line.length <= width) return [line]
  return [`${name}:`, ...fieldStates(field).map(state => `  ${state.name.padEnd(6)} ${state.text}`)]
}

function note(title: string, pointers: readonly string[], width: number, style: Style): string[] {
  if (pointers.length === 0) return []
  const rest = pointers.length - NAMED
  const [first = '', ...others] = pointers.slice(0, NAMED).map(shownField)
  const more = rest > 0 ? [`and ${plural(rest, 'more field')}`] : []
  return wrap([`${title}: ${first}`, ...others, ...more], ', ', width)
    .map(escapeText)
    .map(style.warn)
}

/** How many of each there are, and what was not planned. */
export function sum({ command, plan, outcomes }: OutcomesReport, style: Style): string {
  const left = leftOut(plan.summary)
  const rest = left === undefined ? '' : style.warn(`; not planned: ${left}`)
  if (outcomes.length === 0) return `${nothingDone(plan, command)}${rest}`
  return `${style.strong(`${nameOf(command)}:`)} ${counts(outcomes, style)}${rest}`
}

/** What was done, as a heading. */
export function nameOf(command: OutcomesReport['command'] = 'apply'): string {
  return command === 'apply' ? 'Apply' : 'Revert'
}

/** What is said where there was nothing to do. */
export function nothingDone(
  { summary }: Pick<Plan, 'summary'>,
  command: OutcomesReport['command']
): string {
  const wlans = plural(summary.unchanged, 'WLAN')
  return command === 'revert'
    ? `Nothing to undo: ${wlans} as before`
    : `Nothing to change: ${wlans} as declared`
}

/** How many outcomes there are of each kind, e.g. `1 applied, 1 diverged`. */
export function counts(outcomes: readonly Outcome[], style: Style): string {
  const tallied = tally(outcomes)
  return statuses
    .filter(status => tallied[status] > 0)
    .map(status => mark(status, style)(`${tallied[status]} ${status}`))
    .join(', ')
}

/** The colour of a status. */
export function mark(status: Status, style: Style): (text: string) => string {
  switch (status) {
    case 'applied':
    case 'unchanged':
      return style.good
    case 'stale':
    case 'skipped':
      return style.warn
    case 'diverged':
    case 'failed':
    case 'unknown':
      return style.bad
  }
}
