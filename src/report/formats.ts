import { reportData } from './data/json.ts'
import { jsonText } from './escape.ts'
import { overviewLog } from './github/log.ts'
import { overviewHtml } from './html/overview.ts'
import type { Overview } from './overview/overview.ts'
import { overviewOf } from './overview/overview-of.ts'
import { commentOf } from './render/comment.ts'
import type { Format, FormatName, RenderOptions, Report } from './report.ts'
import { overviewText } from './text/text.ts'

/** The formats of a result by name: its overview for people, its data as JSON. */
export function overviewFormats<T>(
  overview: (
    result: T,
    isTerminal: boolean,
    options: Pick<RenderOptions, 'fleet' | 'rerun' | 'verbose'>
  ) => Overview,
  data: (result: T) => unknown
) {
  return {
    text: (result: T, options: RenderOptions) =>
      overviewText(overview(result, true, options), options),
    json: (result: T) => jsonText(data(result)),
    markdown: (result: T, options: RenderOptions) =>
      commentOf(overview(result, false, options), options),
    html: (result: T, options: Partial<RenderOptions>) =>
      overviewHtml(overview(result, false, options), options),
    github: (result: T, options: RenderOptions) =>
      overviewLog(overview(result, false, options), options)
  }
}

/** The formats by name. A new format needs a file in `data/`, a name in `report.ts` and a line here. */
export const formats = overviewFormats(
  (report: Report, isTerminal, options) => overviewOf(report, options, isTerminal),
  reportData
) satisfies Record<FormatName, Format>
