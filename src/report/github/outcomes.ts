import type { Outcome, Status } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import { groupFindings } from '../group-findings.ts'
import type { OutcomesReport, RecordReport, RenderOptions } from '../report.ts'
import { shownField, withShortIds } from '../shown.ts'
import { styleOf } from '../style.ts'
import { withoutIds } from '../text/findings.ts'
import { outcomesText, sum } from '../text/outcomes.ts'
import { recordText } from '../text/record.ts'
import { type Annotation, group, type Level } from './command.ts'
import { findingAnnotations, findingsGroup } from './findings.ts'
import { annotationLines } from './limit.ts'
import { annotationLocationOf, named } from './location.ts'

/** What somebody has to look at; what is not here went as it should. */
const loudness: Readonly<Partial<Record<Status, Level>>> = {
  unknown: 'error',
  diverged: 'error',
  failed: 'error',
  stale: 'warning',
  skipped: 'warning'
}

/** What became of a plan, in the log of a step: all of it in a fold, what went wrong at its lines. */
export function outcomesGithub(report: OutcomesReport, manner: RenderOptions): string {
  const { plan, outcomes, failedWave } = report
  const text = outcomes.length === 0 ? '' : outcomesText(report, manner)
  return [
    group(`Outcomes (${outcomes.length})`, text),
    findingsGroup(plan.findings, manner),
    annotationLines([
      ...(failedWave === undefined ? [] : [failure(failedWave)]),
      ...outcomeAnnotations(outcomes, plan.changes, manner),
      ...findingAnnotations(plan.findings)
    ]),
    `${sum(report, styleOf(manner))}\n`
  ].join('')
}

function failure(failedWave: string): Annotation {
  return { level: 'error', title: 'Rollout', lines: [withShortIds(failedWave)] }
}

/** The runs of a record, each in a fold, and what is open in them. */
export function recordGithub({ runs }: RecordReport, manner: RenderOptions): string {
  const changes = runs.flatMap(run => run.changes)
  const outcomes = changes.map(({ outcome }) => outcome)
  const planned = changes.map(({ change }) => change)
  return [
    ...runs.map(run =>
      group(`Run ${run.id}: ${run.command}`, recordText({ kind: 'record', runs: [run] }, manner))
    ),
    annotationLines(outcomeAnnotations(outcomes, planned, manner)),
    `Record of ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}\n`
  ].join('')
}

function outcomeAnnotations(
  outcomes: readonly Outcome[],
  changes: readonly Change[],
  manner: RenderOptions
): Annotation[] {
  const origins = new Map(changes.map(({ address, origin }) => [address, origin]))
  const said = outcomes.filter(outcome => levelOf(outcome) !== undefined)
  return groupFindings(said, sameness).map(group => {
    const [outcome] = group
    const { status, reason, fields, sideEffects } = outcome
    const origin = origins.get(outcome.address)
    const moved = fields.map(({ pointer }) => shownField(pointer)).join(', ')
    const beside = sideEffects.map(shownField).join(', ')
    const why = reason && (group.length === 1 ? withShortIds : withoutIds)(reason)
    const addresses = [...new Set(group.map(({ address }) => address))]
    return {
      level: levelOf(outcome) ?? 'warning',
      title: `${named(addresses, 'WLAN')}: ${status}`,
      lines: [
        ...(why === undefined ? [] : [why]),
        ...(moved === '' ? [] : [`not as declared: ${moved}`]),
        ...(beside === '' ? [] : [`also moved: ${beside}`])
      ],
      ...(origin === undefined ? {} : { spot: annotationLocationOf(origin, manner.fleet) })
    }
  })
}

/** An update that moved more than it should is to be looked at, too. */
function levelOf({ status, sideEffects }: Outcome): Level | undefined {
  return loudness[status] ?? (sideEffects.length > 0 ? 'warning' : undefined)
}

function sameness({ status, reason = '', fields, sideEffects }: Outcome): string {
  const pointers = fields.map(({ pointer }) => pointer)
  return JSON.stringify([status, withoutIds(reason), pointers, sideEffects])
}
