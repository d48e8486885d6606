import type { RenderOptions, Report } from '../report.ts'
import { findingsText } from './findings.ts'
import { outcomesText } from './outcomes.ts'
import { planText } from './plan.ts'
import { recordText } from './record.ts'

/** A report for people on a terminal. */
export function text(report: Report, manner: RenderOptions): string {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planText(report, manner)
    case 'outcomes':
      return outcomesText(report, manner)
    case 'findings':
      return findingsText(report, manner)
    case 'record':
      return recordText(report, manner)
  }
}
