import type { RenderOptions, Report } from '../report.ts'
import { findingsText } from './findings.ts'
import { outcomesText } from './outcomes.ts'
import { planText } from './plan.ts'
import { recordText } from './record.ts'

/** A report as text for a terminal or a log. */
export function renderText(report: Report, options: RenderOptions): string {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planText(report, options)
    case 'outcomes':
      return outcomesText(report, options)
    case 'findings':
      return findingsText(report, options)
    case 'record':
      return recordText(report, options)
  }
}
