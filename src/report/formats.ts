import { renderCodeQuality, renderSarif } from './code-scanning.ts'
import { renderGithub } from './github/log.ts'
import { renderHtml } from './html/html.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { overviewOf } from './overview/overview-of.ts'
import { renderPrometheus } from './prometheus.ts'
import { commentOf } from './render/comment.ts'
import { COMMENT_BYTES, SUMMARY_BYTES } from './render/page.ts'
import type { Format, FormatName, Report } from './report.ts'
import { renderText } from './text/text.ts'

/** A report as a comment on GitHub or GitLab, within their limit; it counts the omitted rows. */
export const renderMarkdown = markdownWithin(COMMENT_BYTES)

/** A report as a step summary, which has a higher limit. */
export const renderSummary = markdownWithin(SUMMARY_BYTES)

function markdownWithin(bytes: number): Format {
  return (report, options) => {
    return commentOf(overviewOf(report, options), options, bytes, ownComment(report))
  }
}

/** The name of the comment of a result that is not about a plan. */
function ownComment(report: Report): 'snapshot' | 'tests' | undefined {
  if (report.kind !== 'findings') return undefined
  if (report.tests !== undefined) return 'tests'
  return (report.read ?? report.imported) === undefined ? undefined : 'snapshot'
}

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
