import type { RenderOptions, Report } from '../report.ts'
import { findingsGithub } from './annotations.ts'
import { outcomesGithub, recordGithub } from './outcomes.ts'
import { planGithub } from './plan.ts'

/**
 * A report for the log of a step on GitHub: the text in folds, annotations at the lines of the files, and
 * the verdict last. Text from outside never begins a line or a command.
 */
export function renderGithub(report: Report, options: RenderOptions): string {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return planGithub(report, options)
    case 'outcomes':
      return outcomesGithub(report, options)
    case 'findings':
      return findingsGithub(report, options)
    case 'record':
      return recordGithub(report, options)
  }
}
