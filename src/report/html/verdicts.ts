import { isError } from '../../model/finding.ts'
import { type Outcome, tally } from '../../model/outcome.ts'
import type { Plan } from '../../model/plan.ts'
import type { RecordedRun } from '../../model/record.ts'
import { plural } from '../../model/text.ts'
import { shownTime, snapshotAge } from '../age.ts'
import { partNote } from '../part.ts'
import type { CarriedOut, FindingsReport, OutcomesReport, PlanReport } from '../report.ts'
import { styleOf } from '../style.ts'
import { verdict as findingsSentence } from '../text/findings.ts'
import { counts, nameOf, sum } from '../text/outcomes.ts'
import { leftOut, verdict as planSentence } from '../text/verdict.ts'
import { thousands } from '../words.ts'
import type { ReportVerdict, View } from './data.ts'

const style = styleOf({ colour: false, width: 80 })

export function planVerdict(kind: PlanReport['kind'], plan: Plan): ReportVerdict {
  const text = thousands(planSentence(kind, plan, style))
  if (leftOut(plan.summary) !== undefined) return { tone: 'bad', text, advice: INCOMPLETE }
  if (plan.findings.some(isError)) return { tone: 'bad', text }
  if (plan.changes.length === 0) return { tone: 'good', text }
  const isHarm = plan.changes.some(({ impact, downgrades }) => impact ?? downgrades)
  return { tone: isHarm ? 'warn' : 'note', text }
}

const INCOMPLETE = 'Nothing is known of what was not read or is blocked; the findings say why.'

export function outcomesVerdict(report: OutcomesReport): ReportVerdict {
  const { outcomes, plan, failedWave } = report
  const text = thousands(sum(report, style))
  const end = endOf(outcomes)
  if (failedWave !== undefined)
    return { text, tone: 'bad', advice: `Failed: ${failedWave}. ${AGAIN}` }
  return leftOut(plan.summary) === undefined ? { ...end, text } : { ...end, text, tone: 'bad' }
}

function endOf(outcomes: readonly Outcome[]): Pick<ReportVerdict, 'tone' | 'advice'> {
  const { unknown, diverged, failed, stale, skipped } = tally(outcomes)
  if (unknown + diverged + failed > 0) return { tone: 'bad', advice: AGAIN }
  return stale + skipped > 0 ? { tone: 'warn', advice: AGAIN } : { tone: 'good' }
}

const AGAIN = 'Plan again: that shows what is missing, and apply sends only that.'

export function recordVerdict({ command, changes, ended }: RecordedRun): ReportVerdict {
  const outcomes = changes.map(({ outcome }) => outcome)
  const told = outcomes.length === 0 ? 'nothing was to be changed' : counts(outcomes, style)
  const text = thousands(`${nameOf(command)}: ${told}`)
  if (ended !== undefined) return { ...endOf(outcomes), text }
  return { tone: 'bad', text, advice: `${KILLED} ${AGAIN}` }
}

const KILLED = 'The record ends before the run did: it was killed, or it goes on still.'

export function findingsVerdict(report: FindingsReport): ReportVerdict {
  const text = thousands(findingsSentence(report, style))
  if (report.findings.some(isError)) return { tone: 'bad', text }
  return { tone: report.findings.length === 0 ? 'good' : 'warn', text }
}

export function planFacts(plan: CarriedOut): View['facts'] {
  const age = snapshotAge(plan)
  const part = partNote(plan)
  const { since } = plan
  return [
    ['Service', plan.base_url],
    ['Made', shownTime(plan.created)],
    ...(part === undefined ? [] : ([['Covers', part]] as const)),
    ...(age === undefined ? [] : ([['On a snapshot', age]] as const)),
    ...(since === undefined
      ? []
      : ([
          ['Held against', shownTime(since.created)],
          ['First seen now', plural(since.new_fields, 'field')]
        ] as const)),
    ['By', plan.tool],
    ...(plan.digest === undefined ? [] : ([['Digest', plan.digest]] as const))
  ]
}

export function runFacts(run: RecordedRun): View['facts'] {
  const { id, baseUrl, started, ended, tool, digest } = run
  return [
    ['Service', baseUrl],
    ['Run', id],
    ['Began', shownTime(started)],
    ['Ended', ended === undefined ? 'nobody knows' : shownTime(ended)],
    ['By', tool],
    ['Digest', digest]
  ]
}
