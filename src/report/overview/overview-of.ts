import type { RenderOptions, Report } from '../report.ts'
import { findingsOverview } from './files.ts'
import { outcomesOverview } from './outcomes.ts'
import type { Overview } from './overview.ts'
import { planOverview } from './plan.ts'
import { recordOverview } from './record.ts'

/** The facts of a result that every format sets. Only those for a terminal have findings about the values of secrets. */
export function overviewOf(
  report: Report,
  options: Pick<RenderOptions, 'fleet' | 'rerun' | 'verbose'>,
  isTerminal = false
): Overview {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planOverview(report, options, isTerminal)
    case 'outcomes':
      return outcomesOverview(report, options)
    case 'record':
      return recordOverview(report, options)
    case 'findings':
      return findingsOverview(report, options, isTerminal)
  }
}
