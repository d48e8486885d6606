import type { Plan } from '../../core/model/plan.ts'
import { escapeInside, escapeText } from '../escape.ts'
import type { Style } from '../layout.ts'
import { PERIODS, periodGroups } from '../periods.ts'
import type { RenderOptions } from '../report.ts'
import { changesText } from './changes.ts'
import { findingBlocks } from './findings.ts'

/** The periods as text, with the changes and findings of each; empty if there are none. */
export function periodsText(
  plan: Pick<Plan, 'periods'>,
  options: RenderOptions,
  style: Style
): string {
  const { periods = [] } = plan
  if (periods.length === 0) return ''
  const blocks = periodGroups(plan).map(({ when, where, event, without, changes }) => {
    const head = `  ${style.strong(escapeText(when))}  ${escapeInside(event)}`
    if (changes === undefined) return `${head}\n  ${escapeText(where)}  ${without}`
    return `${head}\n${changesText(changes, options, style, { withImpact: true })}`
  })
  const findings = periods.flatMap(period => period.findings ?? [])
  return [style.strong(PERIODS), ...blocks, ...findingBlocks(findings, options, style)].join('\n')
}
