import { formatByKind } from '../report.ts'
import { findingsText } from './findings.ts'
import { outcomesText } from './outcomes.ts'
import { planText } from './plan.ts'
import { recordText } from './record.ts'

/** A report as text for a terminal or a log. */
export const renderText = formatByKind({
  plan: planText,
  outcomes: outcomesText,
  findings: findingsText,
  record: recordText
})
