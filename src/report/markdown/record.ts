import type { RecordedRun } from '../../model/record.ts'
import { plural } from '../../model/text.ts'
import type { RecordReport, RenderOptions } from '../report.ts'
import { nameOf } from '../text/outcomes.ts'
import { thousands } from '../words.ts'
import { alert, paragraphs } from './alert.ts'
import { code } from './code.ts'
import { marker } from './marker.ts'
import { page, type Section } from './page.ts'
import { type Result, resultColumns, resultRows, signOf, sumOf } from './results.ts'
import { wavesLine } from './rollout.ts'

/** A page shows so many runs: the last ones. */
const RUNS = 10

/** The runs of a record, the last one first, each with what became of its changes. */
export function recordMarkdown(
  { runs }: RecordReport,
  manner: RenderOptions,
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
  return page(`${marker('record', manner.fleet)}\n${head}`, sections, limit)
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
  const sum = results.length === 0 ? 'nothing was to be changed' : sumOf(results)
  const when = `${code(started)} to ${ended === undefined ? 'an end nobody knows' : code(ended)}`
  const isOpen = ended === undefined || results.some(({ outcome }) => outcome.status === 'unknown')
  return paragraphs(
    `#### ${isOpen ? '🔴' : signOf(results)} ${nameOf(command)}: ${thousands(sum)}`,
    ended === undefined
      ? alert('CAUTION', 'The record ends before the run did: it was killed, or it goes on still.')
      : '',
    ...wavesLine(run.waves),
    `<sub>Run ${code(id)}, ${when}, by ${code(tool)} on ${code(baseUrl)}, digest ${code(digest)}</sub>`
  )
}
