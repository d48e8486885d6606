import { isError } from '../../model/finding.ts'
import { type Outcome, tally } from '../../model/outcome.ts'
import type { Plan } from '../../model/plan.ts'
import type { RecordedRun } from '../../model/record.ts'
import { plural } from '../../model/text.ts'
import { formatTime } from '../../model/time.ts'
import { thousands } from '../format-value.ts'
import { styleOf } from '../layout.ts'
import type { ExecutedPlan, FindingsReport, OutcomesReport, PlanReport } from '../report.ts'
import { formatFindingsVerdict as findingsSentence } from '../text/findings.ts'
import { commandTitle, formatOutcomesVerdict, formatStatusCounts } from '../text/outcomes.ts'
import {
  formatMissing,
  INCOMPLETE_RECORD,
  partNote,
  formatPlanVerdict as planSentence,
  snapshotAge
} from '../verdict.ts'
import type { ReportVerdict, View } from './page-data.ts'

const style = styleOf({ colour: false, width: 80 })

const INCOMPLETE = 'WLANs that were not read or are blocked are not compared; see the findings.'
const PLAN_AGAIN = 'Run plan again: it shows the remaining changes, and apply sends only those.'

export function planVerdict(kind: PlanReport['kind'], plan: Plan): ReportVerdict {
  const text = thousands(planSentence(kind, plan, style))
  if (formatMissing(plan.summary) !== undefined) return { tone: 'bad', text, advice: INCOMPLETE }
  if (plan.findings.some(isError)) return { tone: 'bad', text }
  if (plan.changes.length === 0) return { tone: 'good', text }
  const isHarmful = plan.changes.some(({ impact, downgrades }) => impact ?? downgrades)
  return { tone: isHarmful ? 'warn' : 'note', text }
}

export function outcomesVerdict(report: OutcomesReport): ReportVerdict {
  const { outcomes, plan, failedWave } = report
  const text = thousands(formatOutcomesVerdict(report, style))
  if (failedWave !== undefined)
    return { text, tone: 'bad', advice: `Failed: ${failedWave}. ${PLAN_AGAIN}` }
  const rating = rate(outcomes)
  return formatMissing(plan.summary) === undefined
    ? { ...rating, text }
    : { ...rating, text, tone: 'bad' }
}

export function recordVerdict({ command, changes, ended }: RecordedRun): ReportVerdict {
  const outcomes = changes.map(({ outcome }) => outcome)
  const result = outcomes.length === 0 ? 'no changes' : formatStatusCounts(outcomes, style)
  const text = thousands(`${commandTitle(command)}: ${result}`)
  if (ended !== undefined) return { ...rate(outcomes), text }
  return { tone: 'bad', text, advice: `${INCOMPLETE_RECORD} ${PLAN_AGAIN}` }
}

function rate(outcomes: readonly Outcome[]): Pick<ReportVerdict, 'tone' | 'advice'> {
  const { unknown, diverged, failed, stale, skipped } = tally(outcomes)
  if (unknown + diverged + failed > 0) return { tone: 'bad', advice: PLAN_AGAIN }
  return stale + skipped > 0 ? { tone: 'warn', advice: PLAN_AGAIN } : { tone: 'good' }
}

export function findingsVerdict(report: FindingsReport): ReportVerdict {
  const text = thousands(findingsSentence(report, style))
  if (report.findings.some(isError)) return { tone: 'bad', text }
  return { tone: report.findings.length === 0 ? 'good' : 'warn', text }
}

export function planFacts(plan: ExecutedPlan): View['facts'] {
  const { base_url, created, tool, digest, since } = plan
  return present([
    ['Service', base_url],
    ['Created', formatTime(created)],
    ['Covers', partNote(plan)],
    ['Snapshot', snapshotAge(plan)],
    ['Compared with the plan of', since && formatTime(since.created)],
    ['First seen now', since && plural(since.new_fields, 'field')],
    ['Tool', tool],
    ['Digest', digest]
  ])
}

export function runFacts(run: RecordedRun): View['facts'] {
  const { id, baseUrl, started, ended, tool, digest } = run
  return [
    ['Service', baseUrl],
    ['Run', id],
    ['Started', formatTime(started)],
    ['Ended', ended === undefined ? 'unknown' : formatTime(ended)],
    ['Tool', tool],
    ['Digest', digest]
  ]
}

function present(facts: readonly (readonly [string, string | undefined])[]): View['facts'] {
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
}
