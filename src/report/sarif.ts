import { compact } from '../model/collections.ts'
import type { RuleExplanation } from '../model/explanation.ts'
import { plural } from '../model/text.ts'
import { escapeJson } from './escape.ts'
import { type IssueLevel, type IssueLocation, issuesOf, type ReportedIssue } from './issues.ts'
import type { RenderOptions, Report } from './report.ts'

/** GitHub refuses a run with more results ("SARIF support for code scanning", section "Limits"). */
const MAX_RESULTS = 25_000

/** Explains a rule by its id; undefined for the code of a finding. */
export type ExplainRule = (id: string) => RuleExplanation | undefined

/**
 * A report for code scanning, in the Static Analysis Results Interchange Format (SARIF 2.1.0, OASIS). An
 * issue at a line of a file is a result; any other one is a notification of the run, since code scanning
 * refuses a result without a location.
 */
export function renderSarif(
  report: Report,
  _: RenderOptions,
  explainRule: ExplainRule = () => undefined
): string {
  const issues = issuesOf(report)
  const ids = [...new Set(issues.map(({ rule }) => rule))].sort()
  const located = issues.filter(isLocated)
  const others = issues.filter(issue => !isLocated(issue))
  const results = located.slice(0, MAX_RESULTS)
  const notifications = [...others.map(notification), ...omitted(located.length - MAX_RESULTS)]
  const run = {
    tool: {
      driver: {
        name: 'wlanctl',
        ...versionOf(report),
        rules: ids.map(id => descriptor(id, explainRule(id)))
      }
    },
    invocations: [
      {
        executionSuccessful: !others.some(({ level }) => level === 'error'),
        toolExecutionNotifications: notifications
      }
    ],
    results: results.map(issue => result(issue, ids.indexOf(issue.rule))),
    columnKind: 'utf16CodeUnits'
  }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [run]
  }
  return `${escapeJson(JSON.stringify(log, null, 2))}\n`
}

type LocatedIssue = ReportedIssue & { readonly location: IssueLocation }

function isLocated(issue: ReportedIssue): issue is LocatedIssue {
  return issue.location !== undefined
}

/** A report without a plan does not name the version. */
function versionOf(report: Report): { readonly version?: string } {
  if (report.kind === 'findings' || report.kind === 'record') return {}
  const version = /^wlanctl\/(.+)$/.exec(report.plan.tool)?.[1]
  return compact({ version })
}

const levels: Readonly<Record<IssueLevel, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'note'
}

function descriptor(id: string, rule: RuleExplanation | undefined): unknown {
  if (rule === undefined) {
    const words = id.toLowerCase().replaceAll('_', ' ')
    const help = `Findings of wlanctl with the code ${id}; its reference explains each code.`
    return {
      id,
      shortDescription: { text: words.replace(/^[a-z]/, first => first.toUpperCase()) },
      fullDescription: { text: help },
      help: { text: help }
    }
  }
  const { title, why, condition, advice, source, falseAlarms, severity } = rule
  const facts: readonly (readonly [string, string])[] = [
    ['Condition', condition],
    ['Advice', advice],
    ['Source', source],
    ['False alarms', falseAlarms]
  ]
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    defaultConfiguration: { level: levels[severity] },
    help: {
      text: facts.map(([name, text]) => `${name}: ${text}`).join('\n'),
      markdown: facts.map(([name, text]) => `**${name}:** ${text}`).join('\n\n')
    }
  }
}

function result(issue: LocatedIssue, ruleIndex: number): unknown {
  const { rule, level, message, location, fingerprint } = issue
  const { file, line, column } = location
  return {
    ruleId: rule,
    ruleIndex,
    level: levels[level],
    message: { text: plainMessage(message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: line, ...compact({ startColumn: column }) }
        }
      }
    ],
    partialFingerprints: { 'wlanctlIssue/v1': fingerprint }
  }
}

function notification({ rule, level, message }: ReportedIssue): unknown {
  return {
    descriptor: { id: rule },
    level: levels[level],
    message: { text: plainMessage(message) }
  }
}

function omitted(count: number): unknown[] {
  if (count <= 0) return []
  const text = `${plural(count, 'more result')}; code scanning accepts ${MAX_RESULTS}`
  return [{ level: 'warning', message: { text } }]
}

/** Text from outside makes no link: viewers render `[text](target)` in a message (SARIF, section 3.11.6). */
function plainMessage(text: string): string {
  return text.replaceAll('](', '] (')
}

/** A path as a reference (RFC 3986), whatever characters the names of its files have. */
function uriOf(file: string): string {
  return file
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
}
