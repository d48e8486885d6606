import type { FieldOutcome, Outcome, Status } from '../../model/outcome.ts'
import type { Change } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { fieldStatesLine } from '../field-changes.ts'
import { formatField, maskIds, shortenIds } from '../format-value.ts'
import { type GroupedFindings, groupFindings } from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import type { OutcomesReport, RecordReport, RenderOptions } from '../report.ts'
import { formatOutcomesVerdict, outcomesText } from '../text/outcomes.ts'
import { recordText } from '../text/record.ts'
import {
  type Annotation,
  type AnnotationLevel,
  annotationLines,
  annotationLocationOf,
  fieldName,
  findingAnnotations,
  findingsGroup,
  group,
  listNames,
  MAX_FIELDS
} from './annotations.ts'

/** The annotation level of a status; none for a success. */
const levels: Readonly<Partial<Record<Status, AnnotationLevel>>> = {
  unknown: 'error',
  diverged: 'error',
  failed: 'error',
  stale: 'warning',
  skipped: 'warning'
}

/** The outcomes of a run: all in a fold, those that need attention as annotations. */
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

/** The runs of a record, each in a fold, and annotations of the outcomes that need attention. */
export function recordGithub({ runs }: RecordReport, options: RenderOptions): string {
  const changes = runs.flatMap(run => run.changes)
  const outcomes = changes.map(({ outcome }) => outcome)
  const planned = changes.map(({ change }) => change)
  return [
    ...runs.map(run =>
      group(`Run ${run.id}: ${run.command}`, recordText({ kind: 'record', runs: [run] }, options))
    ),
    annotationLines(outcomeAnnotations(outcomes, planned, options)),
    `Record of ${plural(runs.length, 'run')}\n`
  ].join('')
}

function outcomeAnnotations(
  outcomes: readonly Outcome[],
  changes: readonly Change[],
  options: RenderOptions
): Annotation[] {
  const origins = new Map(changes.map(({ address, origin }) => [address, origin]))
  const annotated = outcomes.filter(outcome => levelOf(outcome) !== undefined)
  return groupFindings(annotated, outcomeKey).map(group => {
    const [outcome] = group
    const { status, reason, sideEffects } = outcome
    const origin = origins.get(outcome.address)
    const others = sideEffects.map(formatField).join(', ')
    const why = reason && (group.length === 1 ? shortenIds : maskIds)(reason)
    const addresses = [...new Set(group.map(({ address }) => address))]
    return {
      level: levelOf(outcome) ?? 'warning',
      title: `${listNames(addresses, 'WLAN')}: ${status}`,
      lines: [
        ...(why === undefined ? [] : [why]),
        ...fieldLines(group),
        ...(others === '' ? [] : [`also changed: ${others}`])
      ],
      ...(origin === undefined ? {} : { location: annotationLocationOf(origin, options.fleet) })
    }
  })
}

/** An update that changed other fields needs attention, too. */
function levelOf({ status, sideEffects }: Outcome): AnnotationLevel | undefined {
  return levels[status] ?? (sideEffects.length > 0 ? 'warning' : undefined)
}

/** The first fields with their values before, wanted and found; without values if these differ. */
function fieldLines(group: GroupedFindings<Outcome>): string[] {
  const [{ fields }] = group
  const rest = fields.length - MAX_FIELDS
  const isEqual = new Set(group.map(outcome => JSON.stringify(outcome.fields))).size === 1
  const line = (field: FieldOutcome) => {
    const name = fieldName(field.pointer)
    return isEqual ? `${name}: ${fieldStatesLine(field, 35)}` : `${name}: not as declared`
  }
  return [
    ...fields.slice(0, MAX_FIELDS).map(line),
    ...(rest > 0 ? [`and ${plural(rest, 'more field')}`] : [])
  ]
}

/** Equal for outcomes that differ only in the WLAN and in values. */
function outcomeKey({ status, reason = '', fields, sideEffects }: Outcome): string {
  const pointers = fields.map(({ pointer }) => pointer)
  return JSON.stringify([status, maskIds(reason), pointers, sideEffects])
}
