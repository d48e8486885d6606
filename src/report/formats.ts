import { github } from './github/github.ts'
import { renderHtml } from './html/html.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { markdown, summary } from './markdown/markdown.ts'
import type { FormatName } from './names.ts'
import { prometheus } from './prometheus.ts'
import type { RenderOptions, Report } from './report.ts'
import { text } from './text/text.ts'

/** A format: pure data to text, with a line break at the end. */
export type Format = (report: Report, manner: RenderOptions) => string

/** The formats by name. A new one is a file in this room, a name in `names.ts` and a line here. */
export const formats = {
  text,
  json,
  markdown,
  summary,
  html: renderHtml,
  github,
  prometheus,
  junit
} as const satisfies Record<FormatName, Format>
