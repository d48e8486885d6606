import type { Outcome, Status } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import { formatField, shortenIds } from '../format-value.ts'
import { groupFindings } from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import type { OutcomesReport, RecordReport, RenderOptions } from '../report.ts'
import { maskIds } from '../text/findings.ts'
import { formatOutcomesVerdict, outcomesText } from '../text/outcomes.ts'
import { recordText } from '../text/record.ts'
import {
  type Annotation,
  type AnnotationLevel,
  annotationLines,
  annotationLocationOf,
  findingAnnotations,
  findingsGroup,
  group,
  listNames
} from './annotations.ts'

/** What somebody has to look at; what is not here went as it should. */
const loudness: Readonly<Partial<Record<Status, AnnotationLevel>>> = {
  unknown: 'error',
  diverged: 'error',
  failed: 'error',
  stale: 'warning',
  skipped: 'warning'
}

/** What became of a plan, in the log of a step: all of it in a fold, what went wrong at its lines. */
export function outcomesGithub(report: OutcomesReport, options: RenderOptions): string {
  const { plan, outcomes, failedWave } = report
  const text = outcomes.length === 0 ? '' : outcomesText(report, options)
  return [
    group(`Outcomes (${outcomes.length})`, text),
    findingsGroup(plan.findings, options),
    annotationLines([
      ...(failedWave === undefined ? [] : [failure(failedWave)]),
      ...outcomeAnnotations(outcomes, plan.changes, options),
      ...findingAnnotations(plan.findings)
    ]),
    `${formatOutcomesVerdict(report, styleOf(options))}\n`
  ].join('')
}

function failure(failedWave: string): Annotation {
  return { level: 'error', title: 'Rollout', lines: [shortenIds(failedWave)] }
}

/** The runs of a record, each in a fold, and what is open in them. */
export function recordGithub({ runs }: RecordReport, options: RenderOptions): string {
  const changes = runs.flatMap(run => run.changes)
  const outcomes = changes.map(({ outcome }) => outcome)
  const planned = changes.map(({ change }) => change)
  return [
    ...runs.map(run =>
      group(`Run ${run.id}: ${run.command}`, recordText({ kind: 'record', runs: [run] }, options))
    ),
    annotationLines(outcomeAnnotations(outcomes, planned, options)),
    `Record of ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}\n`
  ].join('')
}

function outcomeAnnotations(
  outcomes: readonly Outcome[],
  changes: readonly Change[],
  options: RenderOptions
): Annotation[] {
  const origins = new Map(changes.map(({ address, origin }) => [address, origin]))
  const said = outcomes.filter(outcome => levelOf(outcome) !== undefined)
  return groupFindings(said, sameness).map(group => {
    const [outcome] = group
    const { status, reason, fields, sideEffects } = outcome
    const origin = origins.get(outcome.address)
    const moved = fields.map(({ pointer }) => formatField(pointer)).join(', ')
    const beside = sideEffects.map(formatField).join(', ')
    const why = reason && (group.length === 1 ? shortenIds : maskIds)(reason)
    const addresses = [...new Set(group.map(({ address }) => address))]
    return {
      level: levelOf(outcome) ?? 'warning',
      title: `${listNames(addresses, 'WLAN')}: ${status}`,
      lines: [
        ...(why === undefined ? [] : [why]),
        ...(moved === '' ? [] : [`not as declared: ${moved}`]),
        ...(beside === '' ? [] : [`also moved: ${beside}`])
      ],
      ...(origin === undefined ? {} : { spot: annotationLocationOf(origin, options.fleet) })
    }
  })
}

/** An update that moved more than it should is to be looked at, too. */
function levelOf({ status, sideEffects }: Outcome): AnnotationLevel | undefined {
  return loudness[status] ?? (sideEffects.length > 0 ? 'warning' : undefined)
}

function sameness({ status, reason = '', fields, sideEffects }: Outcome): string {
  const pointers = fields.map(({ pointer }) => pointer)
  return JSON.stringify([status, maskIds(reason), pointers, sideEffects])
}
