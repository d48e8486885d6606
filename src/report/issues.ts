import { createHash } from 'node:crypto'
import { compact } from '../model/collections.ts'
import type { Finding } from '../model/finding.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Change } from '../model/plan.ts'
import { listFirst, plural } from '../model/text.ts'
import { escapeInside } from './escape.ts'
import { fieldsOf, placeOfChange } from './field-changes.ts'
import { formatField } from './format-value.ts'
import { otherFindings } from './refusals.ts'
import type { Report } from './report.ts'

/** A problem in a report, for the tools that show problems at lines of files. */
export interface ReportedIssue {
  /** The id of a lint rule or the code of a finding; `DRIFT` and `OUTCOME` for a WLAN. */
  readonly rule: string
  readonly level: IssueLevel
  /** One line, escaped: the message, the WLAN or site, and the fix. */
  readonly message: string
  /** Relative to the working directory; absent where no line of a file is the cause. */
  readonly location?: IssueLocation
  /** Equal in each run that reports the issue, whatever its values; no two of a report are equal. */
  readonly fingerprint: string
}

export type IssueLevel = 'error' | 'warning' | 'info'

export interface IssueLocation {
  readonly file: string
  readonly line: number
  readonly column?: number
}

type Unidentified = Omit<ReportedIssue, 'fingerprint'> & { readonly subject: string }

/** The levels from the worst on. */
const levels: readonly IssueLevel[] = ['error', 'warning', 'info']

/**
 * The findings of a report, the drifted WLANs of `drift`, and the changes of a run that did not succeed.
 * The worst come first; issues of a level keep the order of the report.
 */
export function issuesOf(report: Report): ReportedIssue[] {
  const found = unidentified(report)
  return identify(levels.flatMap(level => found.filter(issue => issue.level === level)))
}

function unidentified(report: Report): Unidentified[] {
  switch (report.kind) {
    case 'findings':
      return report.findings.map(findingIssue)
    case 'plan':
      return [...(report.plan.refusals ?? []), ...otherFindings(report.plan)].map(findingIssue)
    case 'drift':
      return [
        ...report.plan.findings.map(findingIssue),
        ...report.plan.changes.map(change => driftIssue(change))
      ]
    case 'outcomes': {
      const changes = new Map(report.plan.changes.map(change => [change.address, change]))
      return [
        ...report.plan.findings.map(findingIssue),
        ...report.outcomes.flatMap(each => outcomeIssue(each, changes.get(each.address)))
      ]
    }
    case 'record':
      return report.runs.flatMap(run =>
        run.changes.flatMap(({ outcome, change }) => outcomeIssue(outcome, change))
      )
  }
}

function findingIssue(found: Finding): Unidentified {
  const { code, level, message, hint, place, path, address, addresses = [], owner } = found
  // The names of the policy's own rules are no ids that a tool could explain.
  const rule = code === 'RULE_BROKEN' ? code : (found.rule ?? code)
  const about = address ?? listFirst(addresses, MAX_NAMES)
  // A place of another revision is no line of the checked out files.
  const location = place?.revision === undefined ? place : undefined
  return {
    rule,
    level,
    message: oneLine([
      about === '' ? '' : `${about}: `,
      message,
      hint && ` (${hint})`,
      ownerText(owner)
    ]),
    ...(location && {
      location: { file: location.file, line: location.line, column: location.column }
    }),
    subject: JSON.stringify([rule, place?.file, address ?? addresses, path])
  }
}

/** The most names of fields or WLANs in a message. */
const MAX_NAMES = 6

/** The values are in the report of the run: a line of YAML has none of them. */
function driftIssue(change: Change): Unidentified {
  const { address, owner, downgrades = [] } = change
  const names = fieldsOf(change).map(({ path }) => formatField(path))
  const weaker = downgrades.length === 0 ? '' : `; less secure: ${downgrades.map(formatField)}`
  const differ = names.length === 1 ? 'differs' : 'differ'
  const fields = `${plural(names.length, 'field')} ${differ}: ${listFirst(names, MAX_NAMES)}`
  return {
    rule: 'DRIFT',
    level: 'warning',
    message: oneLine([
      `${address}: the live WLAN is not as declared; `,
      fields,
      weaker,
      ownerText(owner)
    ]),
    location: placeOfChange(change),
    subject: JSON.stringify(['DRIFT', address])
  }
}

function outcomeIssue(
  { address, status, reason }: Outcome,
  change: Change | undefined
): Unidentified[] {
  if (status === 'applied' || status === 'unchanged') return []
  const isCalm = status === 'skipped' || status === 'deferred'
  const level = isCalm ? 'warning' : 'error'
  const location = change && placeOfChange(change)
  return [
    {
      rule: 'OUTCOME',
      level,
      message: oneLine([`${address} is ${status}`, reason && `: ${reason}`]),
      ...compact({ location }),
      subject: JSON.stringify(['OUTCOME', address, status])
    }
  ]
}

function ownerText(owner: string | undefined): string {
  return owner === undefined ? '' : `; owner ${owner}`
}

function oneLine(parts: readonly (string | undefined)[]): string {
  return escapeInside(parts.map(part => part ?? '').join(''))
}

/** Issues with the same subject are numbered. */
function identify(issues: readonly Unidentified[]): ReportedIssue[] {
  const counts = new Map<string, number>()
  return issues.map(({ subject, ...issue }) => {
    const nth = counts.get(subject) ?? 0
    counts.set(subject, nth + 1)
    const fingerprint = createHash('sha256').update(`${subject}${nth}`).digest('hex')
    return { ...issue, fingerprint }
  })
}
