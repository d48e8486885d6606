import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import type { FieldOutcome, Outcome, Status } from '../../core/model/outcome.ts'
import type { Change, Plan } from '../../core/model/plan.ts'
import { formatNumber, listFirst, plural } from '../../core/values/text.ts'
import {
  deferredNote,
  deferredText,
  deferredTitle,
  plannedForNote,
  UPCOMING,
  upcomingText
} from '../calendar.ts'
import { dangerTexts, leadingFields, worstDanger } from '../danger.ts'
import { effectNotes, fieldCauses, severityNouns } from '../effects.ts'
import { escapeInside } from '../escape.ts'
import {
  beforeAfterLine,
  commonPlace,
  fieldStatesLine,
  fieldsOf,
  isSecretField,
  lineText,
  placeOfChange,
  type Severity,
  secretText,
  severities,
  severityOf
} from '../field-changes.ts'
import { formatField, maskIds, shortenIds } from '../format-value.ts'
import {
  addressPartsOf,
  type GroupedFindings,
  groupEqualChanges,
  groupFindings
} from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import { groupChanges, severityRank } from '../markdown/changes.ts'
import { PERIODS } from '../periods.ts'
import type { OutcomesReport, PlanReport, RecordReport, RenderOptions } from '../report.ts'
import { rolloutLines, rolloutTitle, wavesWithChanges } from '../rollout.ts'
import { changesText } from '../text/changes.ts'
import { findingBlocks } from '../text/findings.ts'
import { formatOutcomesVerdict, outcomesText } from '../text/outcomes.ts'
import { periodsText } from '../text/periods.ts'
import { formatNotCompared, formatUnmanaged } from '../text/plan.ts'
import { recordText } from '../text/record.ts'
import { unwatchedNote, unwatchedText } from '../unwatched.ts'
import {
  ageNotes,
  clientsNote,
  formatPlanVerdict,
  formatTotals,
  ignoredNote,
  refusalGroups,
  splitFindings,
  WEAKENED
} from '../verdict.ts'
import {
  type Annotation,
  type AnnotationLevel,
  annotationLines,
  type Commands,
  fieldName,
  findingAnnotations,
  findingsGroup,
  group,
  listNames,
  logOf,
  MAX_FIELDS
} from './annotations.ts'

const severityLevels: Readonly<Record<Severity, AnnotationLevel>> = {
  downgrade: 'warning',
  outage: 'warning',
  reconnect: 'notice',
  some: 'notice',
  'guest-login': 'notice',
  'radio-reset': 'notice',
  none: 'notice'
}

/**
 * A plan in the log of a step: a fold for each change on many sites, by severity, and one for the other
 * changes of each site; annotations at the lines that declare the changes; the verdict at the end.
 */
export function planGithub(report: PlanReport, options: RenderOptions): string {
  const { kind, plan, command } = report
  const { weakened, dangers, others } = splitFindings(plan, command)
  const listed = { ...report, findings: [...dangers, ...others] }
  const style = styleOf(options)
  const { refusals = [] } = plan
  return logOf([
    group(
      `${WEAKENED} (${formatNumber(weakened.length)})`,
      findingBlocks(weakened, options, style).join('\n')
    ),
    ...changeGroups(kind, plan, options),
    kind === 'plan' ? rolloutGroup(plan, options) : '',
    group(PERIODS, periodsText(plan, options, style)),
    group(deferredTitle(plan), deferredText(plan, style)),
    group(UPCOMING, upcomingText(plan, style)),
    group('Not compared', formatNotCompared(plan, style)),
    group(unmanagedTitle(plan), formatUnmanaged(plan, style)),
    group('Not watched', unwatchedText(plan, style)),
    findingsGroup(listed, options),
    ...refusalGroups(plan, command).map(({ title, findings }) =>
      group(
        `${title} (${formatNumber(findings.length)})`,
        findingBlocks(findings, options, style).join('\n')
      )
    ),
    annotationLines([
      ...changeAnnotations(kind, plan),
      ...findingAnnotations({
        ...listed,
        findings: [
          ...refusals.filter(({ code }) => code !== 'SECRETS_MISSING'),
          ...weakened,
          ...listed.findings
        ]
      })
    ]),
    ...ageNotes(plan, style).map(note => `${note}\n`),
    ...[plannedForNote(plan) ?? [], deferredNote(plan) ?? []].flat().map(note => `${note}\n`),
    ...[unwatchedNote(plan) ?? [], ignoredNote(plan) ?? []].flat().map(note => `${note}\n`),
    `${formatTotals(plan.summary)}\n`,
    ...[clientsNote(plan) ?? []].flat().map(note => `${note}\n`),
    plan.changes.length === 0 ? '' : `digest ${escapeInside(plan.digest)}\n`,
    `${formatPlanVerdict(kind, plan, style, command)}\n`
  ])
}

function unmanagedTitle({ unmanaged, inherited }: Plan): string {
  const title = `Unmanaged (${formatNumber(unmanaged.length)})`
  return inherited === undefined ? title : `${title}, inherited (${formatNumber(inherited.length)})`
}

/** The waves, if there are several. */
function rolloutGroup(plan: Plan, options: RenderOptions): Commands {
  const waves = wavesWithChanges(plan)
  const lines = waves.length < 2 ? [] : rolloutLines(waves, options)
  return group(rolloutTitle(waves), lines.join('\n'))
}

function changeGroups(
  kind: PlanReport['kind'],
  { changes, since, created }: Plan,
  options: RenderOptions
): Commands[] {
  const details = { dated: since !== undefined, ...(kind === 'drift' && { asOf: created }) }
  const text = (equal: GroupedFindings<Change>) =>
    changesText(equal, options, styleOf(options), details)
  const groups = groupEqualChanges(changes)
  const many = groups
    .filter(({ length }) => length > 1)
    .sort((a, b) => severityRank(a) - severityRank(b))
  const single = groups.filter(({ length }) => length === 1)
  return [
    ...many.map(equal => group(manyTitle(equal), text(equal))),
    ...groupFindings(single, ([{ site }]) => site.name).map(ofSite =>
      group(siteTitle(ofSite.flat()), ofSite.map(text).join('\n'))
    )
  ]
}

function manyTitle(equal: GroupedFindings<Change>): string {
  return `${addressPartsOf(equal[0]).key} on ${plural(equal.length, 'site')}${impactText(equal)}`
}

function siteTitle(changes: readonly Change[]): string {
  return `${changes[0]?.site.name}: ${plural(changes.length, 'change')}${impactText(changes)}`
}

/** The worst severity of some changes. */
function impactText(changes: readonly Change[]): string {
  const worst = severities.find(severity => changes.some(change => severityOf(change) === severity))
  return worst === undefined || worst === 'none' ? '' : `, ${severityNouns[worst]}`
}

/** An annotation for each group of equal changes, at the place of the first value; sorted by severity. */
function changeAnnotations(kind: PlanReport['kind'], plan: Plan): Annotation[] {
  const groups = groupChanges(plan.changes).map(({ changes }) => changes)
  const bySeverity = severities.flatMap(severity =>
    groups.filter(([change]) => severityOf(change) === severity)
  )
  const worstFirst = bySeverity.sort(
    ([a], [b]) => dangerRank(worstDanger(a)) - dangerRank(worstDanger(b))
  )
  return worstFirst.map(([change, ...others]) => {
    const severity = severityOf(change)
    const sites = [change, ...others].map(({ site }) => site.name)
    const subject =
      others.length === 0
        ? change.address
        : `${addressPartsOf(change).key} on ${listNames(sites, 'site')}`
    return {
      level: kind === 'drift' ? 'warning' : severityLevels[severity],
      title: `${subject}: ${dangerText(worstDanger(change))}${severity === 'none' ? 'no interruption' : severityNouns[severity]}`,
      lines: [
        ...effectNotes(change),
        ...changedFieldLines([change, ...others]),
        ...fieldCauses(change).map(causeLine),
        ...ownerLines([change, ...others])
      ],
      location: placeOfChange(change)
    }
  })
}

function dangerText(danger: DangerKind | undefined): string {
  return danger === undefined ? '' : `${dangerTexts[danger]}; `
}

function causeLine({ text, pointers }: ReturnType<typeof fieldCauses>[number]): string {
  return `${text}: ${listFirst(pointers.map(fieldName), MAX_FIELDS)}`
}

/** The owner of the changes, if all have the same one. */
function ownerLines(changes: readonly Change[]): string[] {
  const owners = new Set(changes.map(({ owner }) => owner))
  const [owner] = owners
  return owners.size > 1 || owner === undefined ? [] : [`owner ${owner}`]
}

function changedFieldLines(changes: GroupedFindings<Change>): string[] {
  const [change] = changes
  const fields = leadingFields(change, MAX_FIELDS)
  const rest = fieldsOf(change).length - fields.length
  return [
    ...fields.map(field => {
      const place = commonPlace(changes, field)
      const values = isSecretField(field)
        ? secretText(field).text
        : beforeAfterLine(change, field, 60)
      return `${fieldName(field.path)}: ${values}${place === undefined ? '' : ` (${lineText(place)})`}`
    }),
    ...(rest > 0 ? [`and ${plural(rest, 'more field')}`] : [])
  ]
}

/** The annotation level of a status; none for a success. */
const statusLevels: Readonly<Partial<Record<Status, AnnotationLevel>>> = {
  unknown: 'error',
  diverged: 'error',
  failed: 'error',
  stale: 'warning',
  reverted: 'warning',
  skipped: 'warning',
  deferred: 'notice'
}

/** The outcomes of a run: all in a fold, those that need attention as annotations. */
export function outcomesGithub(report: OutcomesReport, options: RenderOptions): string {
  const { plan, outcomes, failedWave } = report
  const text = outcomes.length === 0 ? '' : outcomesText(report, options)
  const listed = { kind: report.kind, findings: plan.findings }
  return logOf([
    group(`Outcomes (${formatNumber(outcomes.length)})`, text),
    findingsGroup(listed, options),
    annotationLines([
      ...(failedWave === undefined ? [] : [failure(failedWave)]),
      ...outcomeAnnotations(outcomes, plan.changes),
      ...findingAnnotations(listed)
    ]),
    `${formatOutcomesVerdict(report, styleOf(options))}\n`
  ])
}

function failure(failedWave: string): Annotation {
  return { level: 'error', title: 'Rollout', lines: [shortenIds(failedWave)] }
}

/** The runs of a record, each in a fold, and annotations of the outcomes that need attention. */
export function recordGithub({ runs }: RecordReport, options: RenderOptions): string {
  const changes = runs.flatMap(run => run.changes)
  const outcomes = changes.map(({ outcome }) => outcome)
  const planned = changes.map(({ change }) => change)
  return logOf([
    ...runs.map(run =>
      group(`Run ${run.id}: ${run.command}`, recordText({ kind: 'record', runs: [run] }, options))
    ),
    annotationLines(outcomeAnnotations(outcomes, planned)),
    `Record of ${plural(runs.length, 'run')}\n`
  ])
}

function outcomeAnnotations(
  outcomes: readonly Outcome[],
  changes: readonly Change[]
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
        ...outcomeFieldLines(group),
        ...(others === '' ? [] : [`also changed: ${others}`])
      ],
      ...(origin === undefined ? {} : { location: origin })
    }
  })
}

/** The annotation level of an outcome; side effects need attention, too. */
function levelOf({ status, sideEffects }: Outcome): AnnotationLevel | undefined {
  return statusLevels[status] ?? (sideEffects.length > 0 ? 'warning' : undefined)
}

/**
 * The first fields with their former, desired and found values; without values if the outcomes differ in
 * them.
 */
function outcomeFieldLines(group: GroupedFindings<Outcome>): string[] {
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

/** A key that is equal for outcomes which differ only in the WLAN and in values. */
function outcomeKey({ status, reason = '', fields, sideEffects }: Outcome): string {
  const pointers = fields.map(({ pointer }) => pointer)
  return JSON.stringify([status, maskIds(reason), pointers, sideEffects])
}
