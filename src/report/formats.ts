import { reportData } from './data/json.ts'
import { renderGithub } from './github/log.ts'
import { overviewOf } from './overview/overview-of.ts'
import { overviewFormats } from './overview-formats.ts'
import type { Format, FormatName, Report } from './report.ts'

/** The formats by name. A new format needs a file in `data/`, a name in `report.ts` and a line here. */
export const formats = {
  ...overviewFormats(
    (report: Report, isTerminal, options) => overviewOf(report, options, isTerminal),
    reportData
  ),
  github: renderGithub
} as const satisfies Record<FormatName, Format>
