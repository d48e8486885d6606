import type { Manner, Report } from './report.ts'
import { findingsText } from './text-findings.ts'
import { outcomesText } from './text-outcomes.ts'
import { planText } from './text-plan.ts'
import { recordText } from './text-record.ts'

/** A report for people on a terminal. */
export function text(report: Report, manner: Manner): string {
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
