import { github } from './github/github.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { markdown, summary } from './markdown/markdown.ts'
import { prometheus } from './prometheus.ts'
import type { Manner, Report } from './report.ts'
import { findingsText } from './text-findings.ts'
import { outcomesText } from './text-outcomes.ts'
import { planText } from './text-plan.ts'
import { recordText } from './text-record.ts'

/** A format: pure data to text, with a line break at the end. */
export type Format = (report: Report, manner: Manner) => string

/** The formats by name. A new one is a file in this room and a line here. */
export const formats = {
  text,
  json,
  markdown,
  summary,
  github,
  prometheus,
  junit
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof formats

export const formatNames = Object.keys(formats) as FormatName[]

function text(report: Report, manner: Manner): string {
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
