import { renderCodeQuality, renderSarif } from './code-scanning.ts'
import { renderGithub } from './github/log.ts'
import { reportData } from './json.ts'
import { renderJunit } from './junit.ts'
import { overviewOf } from './overview/overview-of.ts'
import { overviewFormats } from './overview-formats.ts'
import { renderPrometheus } from './prometheus.ts'
import type { Format, FormatName, Report } from './report.ts'
import { renderText } from './text/text.ts'

/** The formats by name. A new format needs a file in this folder, a name in `report.ts` and a line here. */
export const formats = {
  ...overviewFormats((report: Report, _, options) => overviewOf(report, options), reportData),
  text: renderText,
  github: renderGithub,
  prometheus: renderPrometheus,
  junit: renderJunit,
  sarif: renderSarif,
  codequality: renderCodeQuality
} as const satisfies Record<FormatName, Format>
