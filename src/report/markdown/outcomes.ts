import type { OutcomesReport, RenderOptions } from '../report.ts'
import { nameOf, nothingDone } from '../text/outcomes.ts'
import { leftOut } from '../text/verdict.ts'
import { thousands } from '../words.ts'
import { alert, paragraphs } from './alert.ts'
import { code } from './code.ts'
import { findingsSection } from './findings.ts'
import { marker } from './marker.ts'
import { page } from './page.ts'
import { type Result, resultColumns, resultRows, signOf, sumOf } from './results.ts'
import { endsLine } from './rollout.ts'

/** What became of a plan, as a comment: the sum, what is open, then a row for each kind of end. */
export function outcomesMarkdown(
  report: OutcomesReport,
  manner: RenderOptions,
  limit: number
): string {
  const { plan, outcomes } = report
  const changes = new Map(plan.changes.map(change => [change.address, change]))
  const results = outcomes.map((outcome): Result => {
    const change = changes.get(outcome.address)
    return { outcome, ...(change && { change }) }
  })
  return page(
    headOf(report, results, manner),
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

function headOf(report: OutcomesReport, results: readonly Result[], manner: RenderOptions): string {
  const { command, plan, outcomes, failedWave } = report
  const { base_url, tool, digest, summary } = plan
  const left = leftOut(summary)
  const isFailed = left !== undefined || failedWave !== undefined
  const sign = isFailed ? '🔴' : signOf(results)
  const said =
    results.length > 0 ? `${nameOf(command)}: ${sumOf(results)}` : nothingDone(plan, command)
  const rest = left === undefined ? '' : `; not planned: ${left}`
  const planned = digest === undefined ? '' : `, digest ${code(digest)}`
  const origin = `By ${code(tool)} on ${code(base_url)}${planned}.`
  const whole = 'All of it: `wlanctl show record.jsonl`, with the record that this run kept.'
  return [
    `${marker(command ?? 'apply', manner.fleet)}\n`,
    paragraphs(
      `### ${sign} ${thousands(said + rest)}`,
      ...(failedWave === undefined ? [] : [alert('CAUTION', `Failed: ${code(failedWave)}`)]),
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
