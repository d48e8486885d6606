import { renderCodeQuality, renderSarif } from './code-scanning.ts'
import { findingsGithub } from './github/annotations.ts'
import { outcomesGithub, planGithub, recordGithub } from './github/log.ts'
import { renderHtml } from './html/html.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { findingsMarkdown } from './markdown/findings.ts'
import { outcomesMarkdown, recordMarkdown } from './markdown/outcomes.ts'
import { COMMENT_BYTES, SUMMARY_BYTES } from './markdown/page.ts'
import { planMarkdown } from './markdown/plan.ts'
import { renderPrometheus } from './prometheus.ts'
import type { FormatName, RenderOptions, Report } from './report.ts'
import { renderText } from './text/text.ts'

/** A pure function from a report to text that ends with a line break. */
export type Format = (report: Report, options: RenderOptions) => string

/** The formats by name. A new format needs a file in this folder, a name in `report.ts` and a line here. */
export const formats = {
  text: renderText,
  json: renderJson,
  markdown: renderMarkdown,
  summary: renderSummary,
  html: renderHtml,
  github: renderGithub,
  prometheus: renderPrometheus,
  junit: renderJunit,
  sarif: renderSarif,
  codequality: renderCodeQuality
} as const satisfies Record<FormatName, Format>

/** A report as a comment on GitHub or GitLab, within their limit; it counts the omitted rows. */
export function renderMarkdown(report: Report, options: RenderOptions): string {
  return within(COMMENT_BYTES, report, options)
}

/** A report as a step summary, which has a higher limit. */
export function renderSummary(report: Report, options: RenderOptions): string {
  return within(SUMMARY_BYTES, report, options)
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

/**
 * A report for the log of a step on GitHub: the text in folds, annotations at the lines of the files, and the
 * verdict at the end. Untrusted text never begins a line or a command.
 */
export function renderGithub(report: Report, options: RenderOptions): string {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planGithub(report, options)
    case 'outcomes':
      return outcomesGithub(report, options)
    case 'findings':
      return findingsGithub(report, options)
    case 'record':
      return recordGithub(report, options)
  }
}
