import type { Section } from '../render/document.ts'
import type { PlanReport } from '../report.ts'

export function planSections(_report: PlanReport): Section[] {
  return []
}
