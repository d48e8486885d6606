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
import { endsLine, wavesLine } from './rollout.ts'

/** What became of a plan, as a comment: the sum, what is open, then a row for each kind of end. */
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
  const left = formatMissing(summary)
  const isFailed = left !== undefined || failedWave !== undefined
  const sign = isFailed ? '🔴' : resultSign(results)
  const said =
    results.length > 0
      ? `${commandTitle(command)}: ${formatResultCounts(results)}`
      : formatNothingToDo(plan, command)
  const rest = left === undefined ? '' : `; not planned: ${left}`
  const planned = digest === undefined ? '' : `, digest ${codeSpan(digest)}`
  const origin = `By ${codeSpan(tool)} on ${codeSpan(base_url)}${planned}.`
  const whole = 'All of it: `wlanctl show record.jsonl`, with the record that this run kept.'
  return [
    `${marker(command ?? 'apply', options.fleet)}\n`,
    paragraphs(
      `### ${sign} ${thousands(said + rest)}`,
      ...(failedWave === undefined ? [] : [alert('CAUTION', `Failed: ${codeSpan(failedWave)}`)]),
      ...openAlert(results, command),
      ...endsLine(plan, outcomes),
      `<sub>${origin}<br>${whole}</sub>`
    )
  ].join('')
}

/** What to do where not all went well. */
function openAlert(results: readonly Result[], command: OutcomesReport['command']): string[] {
  const again =
    command === 'revert'
      ? 'Revert again: that shows what is missing, and sends only that.'
      : 'Plan again: that shows what is missing, and apply sends only that.'
  const has = (...statuses: readonly string[]) =>
    results.some(({ outcome }) => statuses.includes(outcome.status))
  if (has('unknown', 'diverged', 'failed')) {
    return [alert('CAUTION', `Not all of it is done. ${again}`)]
  }
  if (!has('stale', 'skipped')) return []
  return [alert('WARNING', `Some of it was not tried. ${again}`)]
}

/** A page shows so many runs: the last ones. */
const RUNS = 10

/** The runs of a record, the last one first, each with what became of its changes. */
export function recordMarkdown(
  { runs }: RecordReport,
  options: RenderOptions,
  limit: number
): string {
  const shown = runs.slice(-RUNS).reverse()
  const earlier = runs.length - shown.length
  const rest =
    earlier === 0 ? '' : ` The ${plural(earlier, 'earlier run')} of it are not shown here.`
  const head = paragraphs(
    `### Record of ${thousands(plural(runs.length, 'run'))}`,
    `All of it: \`wlanctl show record.jsonl\`.${rest}`
  )
  const sections = shown.map((run, at) => section(run, (at + 1) / shown.length))
  return page(`${marker('record', options.fleet)}\n${head}`, sections, limit)
}

/** The runs share the page; one that needs less leaves the rest to the next. */
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
  const sum = results.length === 0 ? 'nothing was to be changed' : formatResultCounts(results)
  const when = `${codeSpan(started)} to ${ended === undefined ? 'an end nobody knows' : codeSpan(ended)}`
  const isOpen = ended === undefined || results.some(({ outcome }) => outcome.status === 'unknown')
  return paragraphs(
    `#### ${isOpen ? '🔴' : resultSign(results)} ${commandTitle(command)}: ${thousands(sum)}`,
    ended === undefined
      ? alert('CAUTION', 'The record ends before the run did: it was killed, or it goes on still.')
      : '',
    ...wavesLine(run.waves),
    `<sub>Run ${codeSpan(id)}, ${when}, by ${codeSpan(tool)} on ${codeSpan(baseUrl)}, digest ${codeSpan(digest)}</sub>`
  )
}
