import type { RecordedRun } from '../../model/record.ts'
import { plural } from '../../model/text.ts'
import { thousands } from '../format-value.ts'
import type { OutcomesReport, RecordReport, RenderOptions } from '../report.ts'
import { commandTitle, formatNothingToDo } from '../text/outcomes.ts'
import { formatMissing } from '../verdict.ts'
import { codeSpan } from './cells.ts'
import { findingsSection } from './findings.ts'
import { alert, marker, page, paragraphs, type Section } from './page.ts'
import {
  formatResultCounts,
  type Result,
  resultColumns,
  resultRows,
  resultSign
} from './results.ts'
import { waveOutcomesLine, wavesLine } from './rollout.ts'

/** The outcomes of a run as a comment: the verdict, what to do next, then a row for equal outcomes. */
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
      findingsSection(plan.findings, 1 / 4)
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
  const { base_url, tool, digest, summary } = plan
  const missing = formatMissing(summary)
  const isFailed = missing !== undefined || failedWave !== undefined
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
      `### ${sign} ${thousands(text + rest)}`,
      ...(failedWave === undefined ? [] : [alert('CAUTION', `Failed: ${codeSpan(failedWave)}`)]),
      ...nextStepAlert(results, command),
      ...waveOutcomesLine(plan, outcomes),
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
  if (!has('stale', 'skipped')) return []
  return [alert('WARNING', `Some changes were not attempted. ${again}`)]
}

/** The most runs on a page: the latest. */
const MAX_RUNS = 10

/** The runs of a record with their outcomes, the latest first. */
export function recordMarkdown(
  { runs }: RecordReport,
  options: RenderOptions,
  limit: number
): string {
  const shown = runs.slice(-MAX_RUNS).reverse()
  const earlier = runs.length - shown.length
  const rest = earlier === 0 ? '' : ` Omitted: ${plural(earlier, 'earlier run')}.`
  const head = paragraphs(
    `### Record of ${thousands(plural(runs.length, 'run'))}`,
    `Full report: \`wlanctl show record.jsonl\`.${rest}`
  )
  const sections = shown.map((run, at) => section(run, (at + 1) / shown.length))
  return page(`${marker('record', options.fleet)}\n${head}`, sections, limit)
}

/** The runs share the page; what one run does not need is left to the next. */
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
    ended === undefined
      ? alert('CAUTION', 'The record is incomplete: the run was killed or is still running.')
      : '',
    ...wavesLine(run.waves),
    `<sub>Run ${codeSpan(id)}, ${when}, by ${codeSpan(tool)} on ${codeSpan(baseUrl)}, digest ${codeSpan(digest)}</sub>`
  )
}
