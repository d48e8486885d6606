import { overviewOf } from '../overview/overview-of.ts'
import type { RenderOptions, Report } from '../report.ts'
import { overviewHtml } from './overview.ts'

/** A report as one HTML file. */
export function renderHtml(
  report: Report,
  options: Pick<RenderOptions, 'fleet' | 'source'>
): string {
  return overviewHtml(overviewOf(report, options), options.source)
}
