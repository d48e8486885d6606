import { escapeLines } from '../escape.ts'
import { type Format, formatByKind } from '../report.ts'
import { findingsText } from './findings.ts'
import { outcomesText } from './outcomes.ts'
import { planText } from './plan.ts'
import { recordText } from './record.ts'

const unescaped = formatByKind({
  plan: planText,
  outcomes: outcomesText,
  findings: findingsText,
  record: recordText
})

/** A report as text for a terminal or a log. */
export const renderText: Format = (report, options) => escapeLines(unescaped(report, options))
