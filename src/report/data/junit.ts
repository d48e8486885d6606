import { deferralReason } from '../../core/model/calendar.ts'
import { type Finding, isError, isPolicyRefusal } from '../../core/model/finding.ts'
import type { Outcome } from '../../core/model/outcome.ts'
import type { Change, Plan } from '../../core/model/plan.ts'
import { groupBy, sortBy } from '../../core/values/collections.ts'
import { formatLocation, listFirst, plural } from '../../core/values/text.ts'
import { escapeMarkup, escapeText } from '../escape.ts'
import { placeOfChange } from '../fields/field-changes.ts'
import { formatField } from '../fields/format-value.ts'
import { codeOf, isAboutSite, otherFindings } from '../group-findings.ts'
import { fieldLine, fieldRows } from '../overview/changes.ts'
import { foundText } from '../overview/outcomes.ts'
import { textOf } from '../render/document.ts'
import type { PlanReport, Report, TestCaseResult } from '../report.ts'
import { effectNotes, severityNouns } from '../wording/effects.ts'

/**
 * A report as JUnit XML: a suite for each site, a test case for each WLAN.
 *
 * | the WLAN or the site              | result                              |
 * |-----------------------------------|-------------------------------------|
 * | is as declared, was applied       | a passed case                       |
 * | differs, is blocked, not applied  | a failure                           |
 * | could not be read, is unknown     | an error; its WLANs are skipped     |
 * | has removed declarations          | skipped, in a case of its own       |
 */
export function renderJunit(report: Report): string {
  const cases = casesOf(report)
  const suites = groupBy(cases, ({ suite }) => suite)
  const sorted = sortBy(suites, ([name]) => name)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="wlanctl ${report.kind}" ${counts(cases)}>`,
    ...sorted.flatMap(([name, members]) => [
      `  <testsuite name="${escapeMarkup(name)}" ${counts(members)}>`,
      ...members.flatMap(shownCase),
      '  </testsuite>'
    ]),
    '</testsuites>\n'
  ].join('\n')
}

function shownCase({ suite, name, place, problem }: TestCase): string[] {
  const where =
    place === undefined ? '' : ` file="${escapeMarkup(place.file)}" line="${place.line}"`
  const head = `    <testcase classname="${escapeMarkup(suite)}" name="${escapeMarkup(name)}"${where} time="0"`
  if (problem === undefined) return [`${head}/>`]
  const { element, message, type, details = [] } = problem
  const kind = type === undefined ? '' : ` type="${escapeMarkup(type)}"`
  const open = `      <${element} message="${escapeMarkup(message)}"${kind}`
  const body =
    details.length === 0 ? `${open}/>` : `${open}>${capped(details).join('\n')}</${element}>`
  return [`${head}>`, body, '    </testcase>']
}

const MAX_LINES = 100

function capped(details: readonly string[]): string[] {
  const rest = details.length - MAX_LINES
  const lines = details.slice(0, MAX_LINES).map(xmlLine)
  return rest > 0 ? [...lines, `and ${plural(rest, 'more line')}`] : lines
}

function counts(cases: readonly TestCase[]): string {
  const of = (element: TestProblem['element']) =>
    cases.filter(({ problem }) => problem?.element === element).length
  return `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}" time="0"`
}

/** A line, which a CI runner does not execute as a command; escaped text has only characters that XML allows. */
function xmlLine(text: string): string {
  return escapeMarkup(escapeText(text))
}

interface TestProblem {
  readonly element: 'failure' | 'error' | 'skipped'
  /** One line; may contain untrusted text. */
  readonly message: string
  readonly type?: string
  /** Lines below the message. */
  readonly details?: readonly string[]
}

interface TestCase {
  /** Its suite: a site, or `fleet`. */
  readonly suite: string
  readonly name: string
  readonly place?: { readonly file: string; readonly line: number }
  readonly problem?: TestProblem
}

function casesOf(report: Report): readonly TestCase[] {
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
      if (report.tests !== undefined) return report.tests.map(testCase)
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
    const unread: TestProblem = { element: 'skipped', message: 'the site could not be read' }
    return status === 'unread' ? [{ ...caseOf(address), problem: unread }] : []
  })
  const removed = removedCases(plan.findings)
  const own = findingCases([...(plan.refusals ?? []), ...otherFindings(plan)])
  const cases = [...changed, ...others, ...removed, ...own]
  return sortBy(
    cases,
    ({ suite }) => suite,
    ({ name }) => name
  )
}

function changeCase(change: Change, { since, deferred = [] }: Plan): TestCase {
  const { address, impact, downgrades = [] } = change
  const fields = fieldRows([change], since !== undefined)
  const names = listFirst(
    fields.map(({ name }) => name),
    MAX_LINES
  )
  const verb = fields.length === 1 ? 'differs' : 'differ'
  const details = [
    ...(impact === undefined ? [] : [`impact of the fix: ${severityNouns[impact]}`]),
    ...effectNotes(change),
    ...deferred.flatMap(wait => (wait.address === address ? `waits: ${deferralReason(wait)}` : [])),
    ...(downgrades.length === 0 ? [] : [`less secure: ${downgrades.map(formatField).join(', ')}`]),
    ...fields.map(fieldLine)
  ]
  const message = `${plural(fields.length, 'field')} ${verb}: ${names}`
  const problem: TestProblem = { element: 'failure', type: 'drift', message, details }
  return { ...caseOf(address), place: placeOfChange(change), problem }
}

function outcomeCase(outcome: Outcome): TestCase {
  const { address, status, reason = '', fields } = outcome
  const message = reason === '' ? status : `${status}: ${reason}`
  const details = fields.map(field => textOf(foundText(field)))
  const end = { message, type: status, details } as const
  switch (status) {
    case 'applied':
    case 'unchanged':
      return caseOf(address)
    case 'skipped':
    case 'deferred':
      return { ...caseOf(address), problem: { element: 'skipped', message } }
    case 'unknown':
      return { ...caseOf(address), problem: { element: 'error', ...end } }
    case 'diverged':
    case 'stale':
    case 'failed':
    case 'reverted':
      return { ...caseOf(address), problem: { element: 'failure', ...end } }
  }
}

/**
 * A skipped test case for each WLAN or site with removed declarations, because they are no longer watched.
 */
function removedCases(findings: readonly Finding[]): TestCase[] {
  const removed = findings.filter(({ code }) => code === 'NO_LONGER_DECLARED')
  return [...groupBy(removed, ({ address = '' }) => address)].map(([address, found]) => {
    const [message = '', ...others] = found.map(each => each.message)
    const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more field')})`
    const { suite, name } = address.includes('/')
      ? caseOf(address)
      : { suite: address, name: 'site' }
    const details = others.length === 0 ? [] : [message, ...others]
    const problem: TestProblem = { element: 'skipped', message: message + more, details }
    return { suite, name: `${name} NO_LONGER_DECLARED`, problem }
  })
}

/** A failed test case for each error, and for each WLAN of a linter error; other warnings have none. */
function findingCases(findings: readonly Finding[]): TestCase[] {
  return findings
    .filter(isError)
    .flatMap(eachOfLinter)
    .map(found => {
      const { code, message, hint, place } = found
      const element = code === 'SITE_NOT_READ' ? 'error' : 'failure'
      const details = hint === undefined ? [] : [hint]
      const problem: TestProblem = { element, type: code, message, details }
      return { ...subjectOf(found), ...(place && { place }), problem }
    })
}

/** A test of the fleet, in the suite of its file; an invalid one is an error. */
function testCase({ name, place, findings }: TestCaseResult): TestCase {
  const [first] = findings
  const details = findings.flatMap(({ message, hint }) => [message, ...(hint ? [hint] : [])])
  const element = first?.code === 'TEST_FAILED' ? 'failure' : 'error'
  return {
    suite: place?.file ?? 'fleet',
    name,
    ...(place && { place }),
    ...(first && { problem: { element, type: first.code, message: first.message, details } })
  }
}

function eachOfLinter(found: Finding): Finding[] {
  const { addresses, ...common } = found
  if (found.code !== 'LINT' || addresses === undefined) return [found]
  return addresses.map(address => ({ ...common, address }))
}

/** The test case of a finding: the WLAN that it blocks, otherwise its code. */
function subjectOf(found: Finding): Pick<TestCase, 'suite' | 'name'> {
  const { code, address, place } = found
  if (address === undefined) {
    return { suite: 'fleet', name: place === undefined ? code : `${code} ${formatLocation(place)}` }
  }
  if (isAboutSite(found)) return { suite: address, name: codeOf(found) }
  const { suite, name } = caseOf(address)
  return { suite, name: isPolicyRefusal(found) ? `${name} ${codeOf(found)}` : name }
}

function caseOf(address: string): Pick<TestCase, 'suite' | 'name'> {
  const at = address.lastIndexOf('/')
  return { suite: address.slice(0, Math.max(at, 0)), name: address.slice(at + 1) }
}
