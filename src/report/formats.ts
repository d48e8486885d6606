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
import { type Format, type FormatName, formatByKind } from './report.ts'
import { renderText } from './text/text.ts'

/** A report as a comment on GitHub or GitLab, within their limit; it counts the omitted rows. */
export const renderMarkdown = markdownWithin(COMMENT_BYTES)

/** A report as a step summary, which has a higher limit. */
export const renderSummary = markdownWithin(SUMMARY_BYTES)

function markdownWithin(bytes: number): Format {
  return formatByKind({
    plan: (report, options) => planMarkdown(report, options, bytes),
    outcomes: (report, options) => outcomesMarkdown(report, options, bytes),
    findings: (report, options) => findingsMarkdown(report, options, bytes),
    record: (report, options) => recordMarkdown(report, options, bytes)
  })
}

/**
 * A report for the log of a step on GitHub: the text in folds, annotations at the lines of the files, and the
 * verdict at the end. Untrusted text never begins a line or a command.
 */
export const renderGithub = formatByKind({
  plan: planGithub,
  outcomes: outcomesGithub,
  findings: findingsGithub,
  record: recordGithub
})

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
