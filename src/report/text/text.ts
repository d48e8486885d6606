import { escapeLines } from '../escape.ts'
import { joinBlocks } from '../layout.ts'
import type { Overview } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import type { RenderOptions, Report } from '../report.ts'
import { partsOf } from './parts.ts'

export function renderText(report: Report, options: RenderOptions): string {
  return overviewText(overviewOf(report, options, true), options)
}

/** The sections of an overview, its findings, and at the end what it means, and the verdict. */
export function overviewText(overview: Overview, options: RenderOptions): string {
  const { kind, isRun } = overview
  const { sections, outcomes, findings, refusals, foot, verdict } = partsOf(
    overview,
    options,
    options.verbose ?? false
  )
  const end = [...foot, ...verdict]
  const blocks =
    kind === 'findings'
      ? sections.length === 0
        ? [[...findings, ...end]]
        : [findings, ...sections, end]
      : // The findings of a run were shown with its plan.
        [...sections, outcomes, isRun ? [] : findings, ...refusals, end]
  return escapeLines(joinBlocks(blocks))
}
