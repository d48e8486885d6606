import { type ExitCode, exit, worst } from '../model/failure.ts'
import { isPolicyRefusal } from '../model/finding.ts'
import { isSuccess } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import type { OutcomesReport } from '../report/report.ts'

/** The exit code that a plan stands for; `changes` is what it means that there are any. */
export function planExit(plan: Pick<Plan, 'summary' | 'findings'>, changes: ExitCode): ExitCode {
  const { changed, blocked, sites_failed } = plan.summary
  return worst(
    exit.done,
    changed > 0 ? changes : exit.done,
    blocked > 0 || sites_failed > 0 ? exit.incomplete : exit.done,
    plan.findings.some(isPolicyRefusal) ? exit.refused : exit.done
  )
}

/** The exit code that the outcomes of a plan stand for, and a wave that was not good. */
export function outcomesExit({ plan, outcomes, failedWave }: OutcomesReport): ExitCode {
  const fine = failedWave === undefined && outcomes.every(isSuccess)
  return worst(planExit(plan, exit.done), fine ? exit.done : exit.incomplete)
}
