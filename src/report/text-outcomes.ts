import { count } from '../model/identity.ts'
import { type FieldOutcome, type Outcome, type Status, statuses, tally } from '../model/outcome.ts'
import { escapeText } from './escape.ts'
import type { Manner, OutcomesReport } from './report.ts'
import { shown, shownField } from './shown.ts'
import { type Style, styleOf } from './style.ts'

/** What became of each change, one line each, and the sum. */
export function outcomesText({ plan, outcomes }: OutcomesReport, manner: Manner): string {
  const style = styleOf(manner)
  const width = Math.max(0, ...outcomes.map(({ address }) => escapeText(address).length))
  const lines = outcomes.map(outcome => outcomeText(outcome, width, style))
  return [...lines, ...(lines.length === 0 ? [] : ['']), sum(plan.summary, outcomes, style)]
    .map(line => `${line}\n`)
    .join('')
}

function outcomeText(outcome: Outcome, width: number, style: Style): string {
  const { address, status, fields, reason, sideEffects, notVerifiable } = outcome
  const head = `${mark(status, style)(status.padEnd(9))}  ${escapeText(address).padEnd(width)}`
  return [
    `${head}  ${reason === undefined ? '' : escapeText(reason)}`.trimEnd(),
    ...fields.map(field => `             ${fieldText(field)}`),
    ...note('also moved', sideEffects, style),
    ...note('not verifiable', notVerifiable, style)
  ].join('\n')
}

function fieldText({ pointer, before, wanted, found }: FieldOutcome): string {
  const values = [
    ['before', before],
    ['wanted', wanted],
    ['found', found]
  ] as const
  const shownValues = values.map(
    ([name, value]) => `${name} ${value === undefined ? '(unset)' : shown(value)}`
  )
  return `${shownField(pointer)}: ${shownValues.join(', ')}`
}

function note(title: string, pointers: readonly string[], style: Style): string[] {
  if (pointers.length === 0) return []
  return [style.warn(`             ${title}: ${pointers.map(shownField).join(', ')}`)]
}

function sum(
  summary: OutcomesReport['plan']['summary'],
  outcomes: readonly Outcome[],
  style: Style
): string {
  const { unchanged, blocked, sites_failed } = summary
  const counts = tally(outcomes)
  const parts = statuses.filter(status => counts[status] > 0).map(s => `${counts[s]} ${s}`)
  const left = [
    ...(blocked > 0 ? [`${count(blocked, 'WLAN')} blocked`] : []),
    ...(sites_failed > 0 ? [`${count(sites_failed, 'site')} not read`] : [])
  ]
  const rest = left.length === 0 ? '' : style.warn(`; not planned: ${left.join(', ')}`)
  if (parts.length === 0) return `Nothing to change: ${count(unchanged, 'WLAN')} as declared${rest}`
  return `${style.strong(`Apply: ${parts.join(', ')}`)}${rest}`
}

function mark(status: Status, style: Style): (text: string) => string {
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
