import { isError } from '../../model/finding.ts'
import type { FindingsReport, RenderOptions, Report } from '../report.ts'
import { styleOf } from '../style.ts'
import { verdict } from '../text/findings.ts'
import { thousands } from '../words.ts'
import { paragraphs } from './alert.ts'
import { findingsSection } from './findings.ts'
import { marker } from './marker.ts'
import { outcomesMarkdown } from './outcomes.ts'
import { page } from './page.ts'
import { planMarkdown } from './plan.ts'
import { recordMarkdown } from './record.ts'

/**
 * What GitHub takes of a comment, 65,536 characters, less what a workflow may want to add to it: where
 * it ran, say. The same in bytes holds whatever counts as a character.
 */
const COMMENT = 65_536 - 1536

/** What GitHub takes of the summary of a step, 1 MiB, with room for other summaries in it. */
const SUMMARY = 1024 * 1024 - 64 * 1024

/** A report as a comment on GitHub or GitLab; it is always short enough, and says what it left out. */
export function markdown(report: Report, manner: RenderOptions): string {
  return within(COMMENT, report, manner)
}

/** The same as the summary of a step, which may be longer. */
export function summary(report: Report, manner: RenderOptions): string {
  return within(SUMMARY, report, manner)
}

function within(limit: number, report: Report, manner: RenderOptions): string {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planMarkdown(report, manner, limit)
    case 'outcomes':
      return outcomesMarkdown(report, manner, limit)
    case 'findings':
      return findingsMarkdown(report, manner, limit)
    case 'record':
      return recordMarkdown(report, manner, limit)
  }
}

function findingsMarkdown(report: FindingsReport, manner: RenderOptions, limit: number): string {
  const { findings } = report
  const isLive = (report.read ?? report.imported) !== undefined
  const head = paragraphs(
    `### ${signOf(report)} ${thousands(verdict(report, styleOf({ ...manner, colour: false })))}`,
    findings.length === 0 || isLive ? '' : 'All of it: `wlanctl validate`, in a checkout.'
  )
  const kind = isLive ? 'snapshot' : 'plan'
  return page(`${marker(kind, manner.fleet)}\n${head}`, [findingsSection(findings, 1, '')], limit)
}

function signOf({ findings, declared, read, imported }: FindingsReport): string {
  if (findings.some(isError) || (declared ?? read ?? imported) === undefined) return '🔴'
  return findings.length === 0 ? '🟢' : '🟡'
}
