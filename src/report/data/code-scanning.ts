import { createHash } from 'node:crypto'
import type { RuleExplanation } from '../../core/model/explanation.ts'
import {
  type Finding,
  type FindingLevel,
  findingLevels,
  type Location
} from '../../core/model/finding.ts'
import { type Outcome, outcomeClause } from '../../core/model/outcome.ts'
import type { Change } from '../../core/model/plan.ts'
import { compact } from '../../core/values/collections.ts'
import { capitalised, listFirst, plural } from '../../core/values/text.ts'
import { escapeInside, jsonText } from '../escape.ts'
import { fieldsOf, placeOfChange } from '../fields/field-changes.ts'
import { formatField } from '../fields/format-value.ts'
import { otherFindings } from '../group-findings.ts'
import type { RenderOptions, Report } from '../report.ts'

/** A problem in a report, for tools that show problems at lines of files. */
interface ReportedIssue {
  /** The id of a lint rule or the code of a finding; `DRIFT` and `OUTCOME` for a WLAN. */
  readonly rule: string
  readonly level: FindingLevel
  /** One line, escaped: the message, the WLAN or site, and the fix. */
  readonly message: string
  /** Relative to the working directory; absent if no line of a file is the cause. */
  readonly location?: Location
  /** Other lines that the issue concerns. */
  readonly related?: readonly Location[]
  /** The reason and the last day of the waiver that suppresses the issue. */
  readonly waived?: string
  /** Equal in each run that reports the issue, regardless of values; unique in a report. */
  readonly fingerprint: string
  /** The finding that it shows; absent for another problem. */
  readonly finding?: Finding
}

type Unidentified = Omit<ReportedIssue, 'fingerprint'> & { readonly subject: string }

/**
 * The findings of a report, the drifted WLANs of `drift`, and the changes of a run that did not succeed,
 * sorted by level; issues of the same level keep the order of the report.
 */
function issuesOf(report: Report): ReportedIssue[] {
  const found = unidentified(report)
  return identify(findingLevels.flatMap(level => found.filter(issue => issue.level === level)))
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
  const { code, level, message, hint, path, address, addresses = [] } = found
  // The names of the policy's own rules are no ids that a tool could explain.
  const rule = code === 'RULE' ? code : (found.rule ?? code)
  const about = address ?? listFirst(addresses, MAX_NAMES)
  // A place in another revision is not a line of the checked out files.
  const [location, ...related] = [found.place, ...(found.related ?? [])].flatMap(place =>
    place === undefined || place.revision !== undefined ? [] : place
  )
  return {
    rule,
    level,
    message: oneLine([about === '' ? '' : `${about}: `, message, hint && ` (${hint})`]),
    ...(location && { location }),
    ...(related.length > 0 && { related }),
    ...(found.waived && { waived: escapeInside(hint ?? found.waived.reason) }),
    subject: JSON.stringify([rule, found.place?.file, address ?? addresses, path]),
    finding: found
  }
}

const MAX_NAMES = 6

/** Names fields without values; the values are in the report of the run. */
function driftIssue(change: Change): Unidentified {
  const { address, downgrades = [] } = change
  const names = fieldsOf(change).map(({ path }) => formatField(path))
  const weaker = downgrades.length === 0 ? '' : `; less secure: ${downgrades.map(formatField)}`
  const differ = names.length === 1 ? 'differs' : 'differ'
  const fields = `${plural(names.length, 'field')} ${differ}: ${listFirst(names, MAX_NAMES)}`
  return {
    rule: 'DRIFT',
    level: 'warning',
    message: oneLine([`${address}: the live WLAN is not as declared; `, fields, weaker]),
    location: placeOfChange(change),
    subject: JSON.stringify(['DRIFT', address])
  }
}

function outcomeIssue(
  { address, status, reason }: Outcome,
  change: Change | undefined
): Unidentified[] {
  if (status === 'applied' || status === 'unchanged') return []
  const level = status === 'skipped' || status === 'deferred' ? 'warning' : 'error'
  const location = change && placeOfChange(change)
  return [
    {
      rule: 'OUTCOME',
      level,
      message: oneLine([outcomeClause({ address, status }), reason && `: ${reason}`]),
      ...compact({ location }),
      subject: JSON.stringify(['OUTCOME', address, status])
    }
  ]
}

function oneLine(parts: readonly (string | undefined)[]): string {
  return escapeInside(parts.map(part => part ?? '').join(''))
}

/** Adds fingerprints; issues with the same subject are numbered. */
function identify(issues: readonly Unidentified[]): ReportedIssue[] {
  const counts = new Map<string, number>()
  return issues.map(({ subject, ...issue }) => {
    const nth = counts.get(subject) ?? 0
    counts.set(subject, nth + 1)
    const fingerprint = createHash('sha256').update(`${subject}${nth}`).digest('hex')
    return { ...issue, fingerprint }
  })
}

/** GitHub rejects a run with more results ("SARIF support for code scanning", section "Limits"). */
const MAX_RESULTS = 25_000

/** Explains a rule by its id; undefined if the code belongs to a finding. */
export type ExplainRule = (id: string) => RuleExplanation | undefined

/** An edit of a file; `end` is exclusive. */
interface FileEdit {
  readonly start: Location
  readonly end: Location
  readonly text: string
}

/** The edits that resolve findings. */
export type FixesByFinding = ReadonlyMap<Finding, readonly FileEdit[]>

/**
 * A report for code scanning in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS). An issue
 * at a line of a file becomes a result; any other one becomes a notification of the run, because code
 * scanning rejects a result without a location.
 */
export function renderSarif(
  report: Report,
  _: RenderOptions,
  explainRule: ExplainRule = () => undefined,
  fixes: FixesByFinding = new Map()
): string {
  const issues = issuesOf(report)
  const ids = [...new Set(issues.map(({ rule }) => rule))].sort()
  const results = issues.flatMap(issue => {
    const { rule, location, finding } = issue
    const edits = finding && fixes.get(finding)
    return location === undefined
      ? []
      : [{ ruleId: rule, ruleIndex: ids.indexOf(rule), ...result(issue, location, edits) }]
  })
  const others = issues.filter(({ location }) => location === undefined)
  const version = 'plan' in report ? /^wlanctl\/(.+)$/.exec(report.plan.tool)?.[1] : undefined
  const run = {
    tool: {
      driver: {
        name: 'wlanctl',
        ...compact({ version }),
        rules: ids.map(id => descriptor(id, explainRule(id)))
      }
    },
    invocations: [
      {
        executionSuccessful: !others.some(({ level }) => level === 'error'),
        toolExecutionNotifications: [
          ...others.map(({ rule, ...issue }) => ({ descriptor: { id: rule }, ...levelled(issue) })),
          ...omitted(results.length - MAX_RESULTS)
        ]
      }
    ],
    results: results.slice(0, MAX_RESULTS),
    columnKind: 'utf16CodeUnits'
  }
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  return jsonText({ $schema, version: '2.1.0', runs: [run] })
}

const sarifLevels: Readonly<Record<FindingLevel, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'note'
}

function descriptor(id: string, rule: RuleExplanation | undefined): unknown {
  if (rule === undefined) {
    const words = capitalised(id.toLowerCase().replaceAll('_', ' '))
    const help = {
      text: `Findings of wlanctl with the code ${id}; its reference explains each code.`
    }
    return { id, shortDescription: { text: words }, fullDescription: help, help }
  }
  const { title, why, condition, advice, falseAlarms, severity } = rule
  const facts = Object.entries({
    Condition: condition,
    Advice: advice,
    'Known false positives': falseAlarms
  })
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    defaultConfiguration: { level: sarifLevels[severity] },
    help: {
      text: facts.map(([name, text]) => `${name}: ${text}`).join('\n'),
      markdown: facts.map(([name, text]) => `**${name}:** ${text}`).join('\n\n')
    }
  }
}

function levelled({ level, message }: Pick<ReportedIssue, 'level' | 'message'>) {
  return { level: sarifLevels[level], message: { text: plainMessage(message) } }
}

function result(issue: ReportedIssue, location: Location, edits: readonly FileEdit[] | undefined) {
  const { rule, related = [], fingerprint, waived } = issue
  return {
    ...levelled(issue),
    locations: [sarifLocation(location)],
    ...(related.length > 0 && { relatedLocations: related.map(sarifLocation) }),
    ...(waived !== undefined && {
      suppressions: [{ kind: 'external', justification: plainMessage(waived) }]
    }),
    partialFingerprints: { 'wlanctlIssue/v1': fingerprint },
    ...(edits && {
      fixes: [
        {
          description: { text: `wlanctl fix --rule ${rule}` },
          artifactChanges: edits.map(artifactChange)
        }
      ]
    })
  }
}

function artifactChange({ start, end, text }: FileEdit) {
  const deletedRegion = {
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: end.column
  }
  return {
    artifactLocation: { uri: uriOf(start.file) },
    replacements: [{ deletedRegion, insertedContent: { text } }]
  }
}

function sarifLocation({ file, line, column }: Location): unknown {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: line, startColumn: column }
    }
  }
}

function omitted(count: number): unknown[] {
  if (count <= 0) return []
  const text = `${plural(count, 'more result')}; code scanning accepts ${MAX_RESULTS}`
  return [{ level: 'warning', message: { text } }]
}

/** Prevents links in untrusted text: viewers render `[text](target)` in a message (SARIF, section 3.11.6). */
function plainMessage(text: string): string {
  return text.replaceAll('](', '] (')
}

/** A path as a URI reference (RFC 3986); file names may contain any characters. */
function uriOf(file: string): string {
  return file
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
}

/** The severities of GitLab: info, minor, major, critical, blocker. */
const severities: Readonly<Record<FindingLevel, string>> = {
  error: 'critical',
  warning: 'minor',
  info: 'info'
}

/**
 * A report for GitLab's merge request widget (docs.gitlab.com, "Code Quality", section "Code Quality report
 * format"). Omits waived issues, because the format cannot express them. The format requires a file: an issue
 * without one is at the directory of the fleet.
 */
export function renderCodeQuality(report: Report, options: RenderOptions): string {
  const open = issuesOf(report).filter(({ waived }) => waived === undefined)
  const issues = open.map(({ rule, level, message, location, ...issue }) => ({
    description: message,
    check_name: rule,
    fingerprint: issue.fingerprint,
    severity: severities[level],
    location: {
      path: location?.file ?? options.fleet ?? '.',
      lines: { begin: location?.line ?? 1 }
    }
  }))
  return jsonText(issues)
}
