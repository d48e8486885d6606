import { jsonText } from './escape.ts'
import { overviewHtml } from './html/overview.ts'
import type { Overview } from './overview/overview.ts'
import { commentOf } from './render/comment.ts'
import type { RenderOptions } from './report.ts'
import { overviewText } from './text/text.ts'

/** The formats of a result by name: its overview for people, its data as JSON. */
export function overviewFormats<T>(
  overview: (
    result: T,
    isTerminal: boolean,
    options: Pick<RenderOptions, 'fleet' | 'verbose'>
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
      overviewHtml(overview(result, false, options), options)
  }
}
