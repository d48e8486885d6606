import type { Audit } from '../../core/model/audit.ts'
import { overviewOf } from '../overview/overview-of.ts'
import type { RenderOptions, Report } from '../report.ts'
import { overviewHtml } from './overview.ts'

/** A report, or an audit, as one HTML file. */
export function renderHtml(
  report: Report | { readonly kind: 'audit'; readonly audit: Audit },
  options: Pick<RenderOptions, 'fleet' | 'source'>
): string {
  return overviewHtml(overviewOf(report, options), options.source)
}
