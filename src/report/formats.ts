import { renderGithub } from './github/github.ts'
import { renderHtml } from './html/html.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown, renderSummary } from './markdown/markdown.ts'
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
  junit: renderJunit
} as const satisfies Record<FormatName, Format>
