import { isError } from '../../model/finding.ts'
import { thousands } from '../format-value.ts'
import { styleOf } from '../layout.ts'
import type { FindingsReport, RenderOptions, Report } from '../report.ts'
import { formatFindingsVerdict } from '../text/findings.ts'
import { findingsSection } from './findings.ts'
import { outcomesMarkdown, recordMarkdown } from './outcomes.ts'
import { marker, page, paragraphs } from './page.ts'
import { planMarkdown } from './plan.ts'

/**
 * The limit of a comment in bytes: GitHub accepts 65,536 characters; a workflow may add a link to its run.
 */
const COMMENT = 65_536 - 1536

/** The limit of a step summary in bytes: GitHub accepts 1 MiB; other steps may add to it. */
const SUMMARY = 1024 * 1024 - 64 * 1024

/** A report as a comment on GitHub or GitLab, within their limit; it counts what it omits. */
export function renderMarkdown(report: Report, options: RenderOptions): string {
  return within(COMMENT, report, options)
}

/** A report as a step summary, whose limit is higher. */
export function renderSummary(report: Report, options: RenderOptions): string {
  return within(SUMMARY, report, options)
}

function within(limit: number, report: Report, options: RenderOptions): string {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planMarkdown(report, options, limit)
    case 'outcomes':
      return outcomesMarkdown(report, options, limit)
    case 'findings':
      return findingsMarkdown(report, options, limit)
    case 'record':
      return recordMarkdown(report, options, limit)
  }
}

function findingsMarkdown(report: FindingsReport, options: RenderOptions, limit: number): string {
  const { findings } = report
  const isLive = (report.read ?? report.imported) !== undefined
  const head = paragraphs(
    `### ${signOf(report)} ${thousands(formatFindingsVerdict(report, styleOf({ ...options, colour: false })))}`,
    findings.length === 0 || isLive ? '' : 'Full report: run `wlanctl validate` in a checkout.'
  )
  const kind = isLive ? 'snapshot' : 'plan'
  return page(`${marker(kind, options.fleet)}\n${head}`, [findingsSection(findings, 1, '')], limit)
}

function signOf({ findings, declared, read, imported }: FindingsReport): string {
  if (findings.some(isError) || (declared ?? read ?? imported) === undefined) return '🔴'
  return findings.length === 0 ? '🟢' : '🟡'
}
