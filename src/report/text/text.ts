import { escapeLines } from '../escape.ts'
import { joinBlocks } from '../layout.ts'
import type { Overview } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import type { RenderOptions, Report } from '../report.ts'
import { importedLines } from './findings.ts'
import { partsOf } from './parts.ts'

/** A report as text for a terminal or a log. */
export function renderText(report: Report, options: RenderOptions): string {
  const imported = report.kind === 'findings' ? report.imported : undefined
  const files = imported === undefined ? [] : importedLines(imported, options)
  return escapeLines(overviewText(overviewOf(report, options, true), options, files))
}

/** The sections of an overview, its findings, and at the end what it means, and the verdict. */
export function overviewText(
  overview: Overview,
  options: RenderOptions,
  files: readonly string[] = []
): string {
  const { kind, isRun } = overview
  const { sections, outcomes, findings, refusals, foot, verdict } = partsOf(
    overview,
    options,
    options.verbose ?? false
  )
  if (kind === 'findings') {
    return joinBlocks([[...findings, ...sections.flat(), ...foot, ...files, ...verdict]])
  }
  // The findings of a run were shown with its plan.
  return joinBlocks([
    ...sections,
    outcomes,
    isRun ? [] : findings,
    ...refusals,
    [...foot, ...verdict]
  ])
}
