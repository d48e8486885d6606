import { byCodeUnit } from '../model/collections.ts'
import { type Finding, isError, isPolicyRefusal } from '../model/finding.ts'
import type { FieldOutcome, Outcome } from '../model/outcome.ts'
import type { Change, PatchOperation, Plan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { exchangeLine, fieldsOf, isSecretField, secretText } from './field-changes.ts'
import { fieldStatesLine } from './outcome-field.ts'
import type { PlanReport, Report } from './report.ts'
import { shownField } from './shown.ts'
import { shownPlace } from './text/findings.ts'

/** How a test case ended other than well. */
export interface Problem {
  readonly element: 'failure' | 'error' | 'skipped'
  /** One line, text from outside in it. */
  readonly message: string
  readonly type?: string
  /** More lines. */
  readonly details?: readonly string[]
}

/** Something that may be as it should, or not. */
export interface TestCase {
  /** Its suite: a site, or what else it is about. */
  readonly suite: string
  readonly name: string
  readonly place?: { readonly file: string; readonly line: number }
  readonly problem?: Problem
}

/** What a report has to tell, as tests. */
export function casesOf(report: Report): readonly TestCase[] {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planCases(report)
    case 'outcomes':
      return [...report.outcomes.map(outcomeCase), ...findingCases(report.plan.findings)]
    case 'record':
      return report.runs.flatMap(({ changes }) =>
        changes.map(({ outcome }) => outcomeCase(outcome))
      )
    case 'findings':
      return [
        ...(report.findings.some(isError) ? [] : [{ suite: 'fleet', name: 'files' }]),
        ...findingCases(report.findings)
      ]
  }
}

function planCases({ plan, verdicts = [] }: PlanReport): TestCase[] {
  const changed = plan.changes.map(change => changeCase(change, plan))
  const others = verdicts.flatMap(({ address, status }) => {
    if (status === 'unchanged') return [caseOf(address)]
    const unread: Problem = { element: 'skipped', message: 'the site could not be read' }
    return status === 'unread' ? [{ ...caseOf(address), problem: unread }] : []
  })
  const cases = [...changed, ...others, ...findingCases(plan.findings)]
  return cases.sort((a, b) => byCodeUnit(a.suite, b.suite) || byCodeUnit(a.name, b.name))
}

function changeCase(change: Change, { since }: Plan): TestCase {
  const { address, origin, owner, impact, downgrades = [] } = change
  const fields = fieldsOf(change)
  const names = fields.map(({ path }) => shownField(path)).join(', ')
  const verb = fields.length === 1 ? 'differs' : 'differ'
  const details = [
    ...(owner === undefined ? [] : [`owner: ${owner}`]),
    ...(impact === undefined ? [] : [`to mend it: ${impact}`]),
    ...(downgrades.length === 0 ? [] : [`less safe: ${downgrades.map(shownField).join(', ')}`]),
    ...fields.map(field => `${shownField(field.path)}: ${valuesOf(change, field)}`),
    ...(since === undefined ? [] : fields.map(field => sinceOf(change, field)))
  ]
  const message = `${plural(fields.length, 'field')} ${verb}: ${names}`
  const problem: Problem = { element: 'failure', type: 'drift', message, details }
  return { ...caseOf(address), place: origin, problem }
}

function valuesOf(change: Change, field: PatchOperation): string {
  if (isSecretField(field)) return secretText(field).what
  return exchangeLine(change, field, 200)
}

function sinceOf({ first_seen = {} }: Change, { path }: PatchOperation): string {
  const time = first_seen[path]
  return `${shownField(path)} differs ${time === undefined ? 'as of this run' : `since ${time}`}`
}

function outcomeCase(outcome: Outcome): TestCase {
  const { address, status, reason = '', fields } = outcome
  const message = reason === '' ? status : `${status}: ${reason}`
  const details = fields.map(fieldLine)
  const end = { message, type: status, details } as const
  switch (status) {
    case 'applied':
    case 'unchanged':
      return caseOf(address)
    case 'skipped':
      return { ...caseOf(address), problem: { element: 'skipped', message } }
    case 'unknown':
      return { ...caseOf(address), problem: { element: 'error', ...end } }
    case 'diverged':
    case 'stale':
    case 'failed':
      return { ...caseOf(address), problem: { element: 'failure', ...end } }
  }
}

function fieldLine(field: FieldOutcome): string {
  return `${shownField(field.pointer)}: ${fieldStatesLine(field)}`
}

/** Warnings are no tests that fail. */
function findingCases(findings: readonly Finding[]): TestCase[] {
  return findings.filter(isError).map(found => {
    const { code, message, hint, place, owner } = found
    const element = code === 'SITE_NOT_READ' ? 'error' : 'failure'
    const details = [
      ...(owner === undefined ? [] : [`owner: ${owner}`]),
      ...(hint === undefined ? [] : [hint])
    ]
    const problem: Problem = { element, type: code, message, details }
    return { ...subjectOf(found), ...(place && { place }), problem }
  })
}

/** A WLAN that is blocked is a case; what else is wrong is named after what it is. */
function subjectOf(found: Finding): Pick<TestCase, 'suite' | 'name'> {
  const { code, address, place } = found
  if (address === undefined) {
    return { suite: 'fleet', name: place === undefined ? code : `${code} ${shownPlace(place)}` }
  }
  if (code === 'SITE_NOT_READ' || code === 'UNMANAGED') return { suite: address, name: code }
  const { suite, name } = caseOf(address)
  return { suite, name: isPolicyRefusal(found) ? `${name} ${code}` : name }
}

function caseOf(address: string): Pick<TestCase, 'suite' | 'name'> {
  const at = address.lastIndexOf('/')
  return { suite: address.slice(0, Math.max(at, 0)), name: address.slice(at + 1) }
}
