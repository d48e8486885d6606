import { type ExitCode, exit, worst } from '../model/failure.ts'
import { type Finding, type FindingCode, isError } from '../model/finding.ts'
import { isSuccess, type Outcome } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import { isPolicyRefusal } from '../model/refusals.ts'

/** The codes of drift outside of the declared fields. */
const driftCodes: ReadonlySet<FindingCode> = new Set(['UNDECLARED_CHANGED', 'UNMANAGED_OPEN'])

/** The codes of what `revert` leaves as it is, and of what `drift` could not read. */
const incompleteCodes: ReadonlySet<FindingCode> = new Set([
  'SECRET_NOT_RESTORED',
  'NOT_RESTORED',
  'ORG_NOT_READ'
])

function isIncomplete({ code, level }: Finding): boolean {
  return incompleteCodes.has(code) && level !== 'info'
}

/** The exit code of a plan; `changes` and `refused` are those of a plan with changes and with refusals. */
export function planExit(
  plan: Pick<Plan, 'summary' | 'findings'>,
  changes: ExitCode,
  secretFindings: readonly Finding[] = [],
  refused: ExitCode = exit.refused
): ExitCode {
  const { changed, blocked, sites_failed } = plan.summary
  return worst(
    exit.done,
    changed > 0 || plan.findings.some(({ code }) => driftCodes.has(code)) ? changes : exit.done,
    blocked > 0 || sites_failed > 0 ? exit.incomplete : exit.done,
    plan.findings.some(isIncomplete) ? exit.incomplete : exit.done,
    [...plan.findings, ...secretFindings].some(isPolicyRefusal) ? refused : exit.done
  )
}

/** The exit code of a drift report. It sends nothing: what `apply` would refuse is a difference like any other. */
export function driftExit(
  plan: Pick<Plan, 'summary' | 'findings'>,
  secretFindings: readonly Finding[] = []
): ExitCode {
  return planExit(plan, exit.changes, secretFindings, exit.changes)
}

/**
 * The exit code of `plan`: that of `apply` if `apply` would refuse the plan. With
 * `--detailed-exitcode` also if a protected WLAN is left out, and 2 for changes.
 */
export function plannedExit(
  plan: Pick<Plan, 'summary' | 'findings' | 'refusals'>,
  isDetailed: boolean,
  secretFindings: readonly Finding[] = []
): ExitCode {
  const { refusals = [] } = plan
  const isIncomplete = isDetailed && refusals.some(({ code }) => code === 'PROTECTED')
  return worst(
    planExit(plan, isDetailed ? exit.changes : exit.done, secretFindings),
    isIncomplete ? exit.incomplete : exit.done,
    refusals.some(isError) ? exit.refused : exit.done
  )
}

interface ExecutedPlan {
  readonly plan: Pick<Plan, 'summary' | 'findings'>
  readonly outcomes: readonly Outcome[]
  readonly failedWave?: string | undefined
}

export function outcomesExit({ plan, outcomes, failedWave }: ExecutedPlan): ExitCode {
  const succeeded = failedWave === undefined && outcomes.every(isSuccess)
  return worst(planExit(plan, exit.done), succeeded ? exit.done : exit.incomplete)
}
