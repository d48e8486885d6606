import { plural } from '../../core/values/text.ts'
import { escapeLines } from '../escape.ts'
import { joinBlocks } from '../layout.ts'
import type { Overview } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import { Terminal } from '../render/terminal.ts'
import { type Format, formatByKind, type RenderOptions } from '../report.ts'
import { findingsText } from './findings.ts'
import { outcomesText } from './outcomes.ts'
import { footLines, planText, stateSections, verdictLines } from './plan.ts'

const unescaped = formatByKind({
  plan: planText,
  outcomes: outcomesText,
  findings: findingsText,
  record: (report, options) => overviewText(overviewOf(report, options), options)
})

/** A report as text for a terminal or a log. */
export const renderText: Format = (report, options) => escapeLines(unescaped(report, options))

/** The sections of an overview, and at the end what it means, and the verdict. */
export function overviewText(overview: Overview, options: RenderOptions): string {
  const terminal = new Terminal(options)
  const hidden = overview.sections.filter(({ isDetail }) => isDetail && !options.verbose)
  const shown = overview.sections.filter(section => !hidden.includes(section))
  const notes = hidden.map(({ title, count = 0 }) =>
    terminal.style.faint(`${title}: ${plural(count, 'rule')} not listed: \`--verbose\` lists them`)
  )
  // A terminal is read from its end: the latest run comes last.
  const others = shown.filter(({ leads }) => !leads)
  const sections = [
    ...shown.filter(({ leads }) => leads),
    ...(isLatestFirst(overview) ? others.toReversed() : others)
  ].map(section => terminal.section(section))
  const { verbose = false } = options
  const changes =
    overview.kind === 'diff'
      ? stateSections('diff', { ...overview, sites: [] }, terminal, { verbose })
      : []
  return joinBlocks([
    ...changes,
    ...sections,
    [...notes, ...footLines(overview, terminal), ...verdictLines(overview, terminal)]
  ])
}

function isLatestFirst({ kind }: Overview): boolean {
  return kind === 'record' || kind === 'history'
}
