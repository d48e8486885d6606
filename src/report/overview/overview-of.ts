import type { PlanReport, RenderOptions } from '../report.ts'
import type { Overview } from './overview.ts'
import { planOverview } from './plan.ts'

/** The facts of a result that every format sets. */
export function overviewOf(report: PlanReport, options: Pick<RenderOptions, 'fleet'>): Overview {
  return planOverview(report, options)
}
