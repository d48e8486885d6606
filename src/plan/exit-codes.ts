import { type ExitCode, exit, worst } from '../model/failure.ts'
import { type Finding, isError, isPolicyRefusal } from '../model/finding.ts'
import { isSuccess, type Outcome } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'

/** The exit code of a plan; `changes` is the exit code of a plan with changes. */
export function planExit(
  plan: Pick<Plan, 'summary' | 'findings'>,
  changes: ExitCode,
  secretFindings: readonly Finding[] = []
): ExitCode {
  const { changed, blocked, sites_failed } = plan.summary
  return worst(
    exit.done,
    changed > 0 || plan.findings.some(({ code }) => code === 'UNWATCHED_CHANGED')
      ? changes
      : exit.done,
    blocked > 0 || sites_failed > 0 ? exit.incomplete : exit.done,
    plan.findings.some(({ code }) => code === 'SECRET_NOT_RESTORED') ? exit.incomplete : exit.done,
    [...plan.findings, ...secretFindings].some(isPolicyRefusal) ? exit.refused : exit.done
  )
}

/**
 * The exit code of `plan --detailed-exitcode`: if `apply` would refuse the plan, the exit code of `apply`.
 */
export function detailedExit(
  plan: Pick<Plan, 'summary' | 'findings' | 'refusals'>,
  secretFindings: readonly Finding[] = []
): ExitCode {
  const isRefused = plan.refusals?.some(isError) ?? false
  return worst(planExit(plan, exit.changes, secretFindings), isRefused ? exit.refused : exit.done)
}

/** A plan with the outcomes of its changes. */
interface ExecutedPlan {
  readonly plan: Pick<Plan, 'summary' | 'findings'>
  readonly outcomes: readonly Outcome[]
  readonly failedWave?: string | undefined
}

/** The exit code for the outcomes of a plan. */
export function outcomesExit({ plan, outcomes, failedWave }: ExecutedPlan): ExitCode {
  const succeeded = failedWave === undefined && outcomes.every(isSuccess)
  return worst(planExit(plan, exit.done), succeeded ? exit.done : exit.incomplete)
}
