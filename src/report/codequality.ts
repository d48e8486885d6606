import { escapeJson } from './escape.ts'
import { type IssueLevel, issuesOf } from './issues.ts'
import type { RenderOptions, Report } from './report.ts'

/** The severities of GitLab: info, minor, major, critical, blocker. */
const severities: Readonly<Record<IssueLevel, string>> = {
  error: 'critical',
  warning: 'minor',
  info: 'info'
}

/**
 * A report for GitLab's widget of merge requests (docs.gitlab.com, "Code Quality", section "Code Quality
 * report format"). The format requires a file: an issue without one is at the directory of the fleet.
 */
export function renderCodeQuality(report: Report, options: RenderOptions): string {
  const issues = issuesOf(report).map(({ rule, level, message, location, ...issue }) => ({
    description: message,
    check_name: rule,
    fingerprint: issue.fingerprint,
    severity: severities[level],
    location: {
      path: location?.file ?? options.fleet ?? '.',
      lines: { begin: location?.line ?? 1 }
    }
  }))
  return `${escapeJson(JSON.stringify(issues, null, 2))}\n`
}
