import { type FieldOutcome, type Outcome, type Status, tally } from '../../core/model/outcome.ts'
import type { Change } from '../../core/model/plan.ts'
import type { RecordedRun } from '../../core/model/record.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { fieldStates } from '../field-changes.ts'
import { maskIds, shortenIds, thousands } from '../format-value.ts'
import {
  addressPartsOf,
  changeKey,
  type GroupedFindings,
  groupFindings,
  splitAddress
} from '../group-findings.ts'
import { listedFindings } from '../lint-findings.ts'
import type { OutcomesReport, RecordReport, RenderOptions } from '../report.ts'
import { commandTitle, formatNothingToDo, worstFirst } from '../text/outcomes.ts'
import {
  clientsNote,
  formatMissing,
  formatNotRestored,
  formatUnplanned,
  INCOMPLETE_RECORD,
  UNCONFIRMED
} from '../verdict.ts'
import { codeSpan, fieldSpan, fieldsCell, siteCell, wlanCell } from './cells.ts'
import { findingsSection } from './findings.ts'
import { alert, marker, page, paragraphs, type Section, type TableRow } from './page.ts'
import { waveOutcomesLine, wavesLine } from './plan.ts'

/** The outcomes of a run as a comment: the verdict, the next step, then a row for equal outcomes. */
export function outcomesMarkdown(
  report: OutcomesReport,
  options: RenderOptions,
  limit: number
): string {
  const { plan, outcomes } = report
  const changes = new Map(plan.changes.map(change => [change.address, change]))
  const results = outcomes.map((outcome): Result => {
    const change = changes.get(outcome.address)
    return { outcome, ...(change && { change }) }
  })
  return page(
    headOf(report, results, options),
    [
      {
        lead: results.length === 0 ? '' : '#### Outcomes',
        columns: resultColumns,
        rows: resultRows(results),
        noun: 'outcome',
        share: 1
      },
      findingsSection(listedFindings(plan.findings, report), 1 / 4, undefined, options.source)
    ],
    limit
  )
}

function headOf(
  report: OutcomesReport,
  results: readonly Result[],
  options: RenderOptions
): string {
  const { command, plan, outcomes, failedWave } = report
  const { base_url, tool, digest } = plan
  const missing = formatUnplanned(plan)
  const notRestored = formatNotRestored(plan)
  const worst = notRestored === undefined ? '' : `Incomplete: ${notRestored}. `
  const isFailed = formatMissing(plan) !== undefined || failedWave !== undefined
  const sign = isFailed ? '🔴' : resultSign(results)
  const text =
    results.length > 0
      ? `${commandTitle(command)}: ${formatResultCounts(results)}`
      : formatNothingToDo(plan, command)
  const rest = missing === undefined ? '' : `; not planned: ${missing}`
  const planned = digest === undefined ? '' : `, digest ${codeSpan(digest)}`
  const origin = `By ${codeSpan(tool)} on ${codeSpan(base_url)}${planned}.`
  const fullReport = 'Full report: `wlanctl show record.jsonl`, with the record of this run.'
  return [
    `${marker(command ?? 'apply', options.fleet)}\n`,
    paragraphs(
      `### ${sign} ${thousands(worst + text + rest)}`,
      ...(failedWave === undefined ? [] : [alert('CAUTION', `Failed: ${codeSpan(failedWave)}`)]),
      ...nextStepAlert(results, command),
      ...waveOutcomesLine(plan, outcomes),
      ...[clientsNote(report) ?? []].flat(),
      `<sub>${origin}<br>${fullReport}</sub>`
    )
  ].join('')
}

/** The next step after a run in which not all changes were applied. */
function nextStepAlert(results: readonly Result[], command: OutcomesReport['command']): string[] {
  const again =
    command === 'revert'
      ? 'Revert again: it sends only the changes that are missing.'
      : 'Plan again to see the changes that are missing; apply sends only those.'
  const has = (...statuses: readonly string[]) =>
    results.some(({ outcome }) => statuses.includes(outcome.status))
  if (has('unknown', 'diverged', 'failed')) {
    return [alert('CAUTION', `Some changes are not applied. ${again}`)]
  }
  if (has('reverted')) return [alert('WARNING', `Some changes were put back. ${again}`)]
  if (!has('stale', 'skipped')) return has('deferred') ? [alert('NOTE', DEFERRED)] : []
  return [alert('WARNING', `Some changes were not attempted. ${again}`)]
}

const DEFERRED =
  'Some changes wait for their window: the first apply within it sends them. The table shows when it opens.'

/** The maximum number of runs on a page, the latest ones. */
const MAX_RUNS = 10

/** The runs of a record with their outcomes; the latest run comes first. */
export function recordMarkdown(
  { runs }: RecordReport,
  options: RenderOptions,
  limit: number
): string {
  const shown = runs.slice(-MAX_RUNS).reverse()
  const earlier = runs.length - shown.length
  const rest = earlier === 0 ? '' : ` Omitted: ${plural(earlier, 'earlier run')}.`
  const head = paragraphs(
    `### ${runs.length > 1 ? totalOf(runs) : `Record of ${plural(runs.length, 'run')}`}`,
    `Full report: \`wlanctl show record.jsonl\`.${rest}`
  )
  const sections = shown.map((run, at) => section(run, (at + 1) / shown.length))
  return page(`${marker('record', options.fleet)}\n${head}`, sections, limit)
}

function totalOf(runs: readonly RecordedRun[]): string {
  const results = runs.flatMap(({ changes }) => changes.map(({ outcome }) => ({ outcome })))
  const sign = runs.some(({ ended }) => ended === undefined) ? '🔴' : resultSign(results)
  const counts = results.length === 0 ? 'no changes' : thousands(formatResultCounts(results))
  return `${sign} ${plural(runs.length, 'run')}: ${counts}`
}

/** The runs share the page; space that a run does not need is left to the next one. */
function section(run: RecordedRun, share: number): Section {
  const results = run.changes.map(
    ({ change, outcome, lostSecrets }): Result => ({ change, outcome, lostSecrets })
  )
  return {
    lead: leadOf(run, results).trimEnd(),
    columns: resultColumns,
    rows: resultRows(results),
    noun: 'outcome',
    share
  }
}

function leadOf(run: RecordedRun, results: readonly Result[]): string {
  const { id, command, tool, baseUrl, started, ended, digest } = run
  const sum = results.length === 0 ? 'nothing to change' : formatResultCounts(results)
  const when = `${codeSpan(started)} to ${ended === undefined ? 'an unknown time' : codeSpan(ended)}`
  const isOpen = ended === undefined || results.some(({ outcome }) => outcome.status === 'unknown')
  return paragraphs(
    `#### ${isOpen ? '🔴' : resultSign(results)} ${commandTitle(command)}: ${thousands(sum)}`,
    ended === undefined ? alert('CAUTION', INCOMPLETE_RECORD) : '',
    ...wavesLine(run.waves),
    run.confirmation !== undefined && run.confirmation.ended === undefined
      ? alert('CAUTION', `The changes are ${UNCONFIRMED}.`)
      : '',
    `<sub>Run ${codeSpan(id)}, ${when}, by ${codeSpan(tool)} on ${codeSpan(baseUrl)}, digest ${codeSpan(digest)}</sub>`
  )
}

/** An outcome with its change, if that is known. */
export interface Result {
  readonly outcome: Outcome
  readonly change?: Change
  /** Secrets that a revert cannot restore. */
  readonly lostSecrets?: readonly Pointer[]
}

export const resultColumns = ['Outcome', 'Site', 'WLAN', 'Details'] as const

const badges: Readonly<Record<Status, string>> = {
  unknown: '🔴&nbsp;unknown',
  diverged: '🔴&nbsp;diverged',
  failed: '🔴&nbsp;failed',
  stale: '🟡&nbsp;stale',
  reverted: '🟡&nbsp;reverted',
  skipped: '🟡&nbsp;skipped',
  deferred: '🕒&nbsp;deferred',
  applied: '🟢&nbsp;applied',
  unchanged: '🟢&nbsp;unchanged'
}

/** A row for each group of equal results, sorted by severity. */
export function resultRows(results: readonly Result[]): TableRow[] {
  const groups = groupFindings(results, resultKey)
  return groups
    .sort((a, b) => statusRank(a) - statusRank(b) || b.length - a.length)
    .map(group => ({ cells: cellsOf(group), weight: group.length, rank: statusRank(group) }))
}

/** The number of results by status, worst first: `1 failed, 4 applied`. */
export function formatResultCounts(results: readonly Result[]): string {
  const counts = tally(results.map(({ outcome }) => outcome))
  return worstFirst
    .filter(status => counts[status] > 0)
    .map(status => `${counts[status]} ${status}`)
    .join(', ')
}

/** The symbol of the worst status. */
export function resultSign(results: readonly Result[]): string {
  const counts = tally(results.map(({ outcome }) => outcome))
  if (counts.unknown + counts.diverged + counts.failed > 0) return '🔴'
  return counts.stale + counts.skipped + counts.reverted > 0 ? '🟡' : '🟢'
}

function statusRank([{ outcome }]: GroupedFindings<Result>): number {
  return worstFirst.indexOf(outcome.status)
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

/** The reason, without site ids if several results share it. */
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
