import { validatePlan } from '#forms'
import { exit, Failure } from '../model/failure.ts'
import { fileLimits } from '../model/file-limits.ts'
import type { Plan } from '../model/plan.ts'
import { digestOf } from './digest.ts'
import { rederived } from './rederive.ts'
import { parseSaved, type SavedForm } from './saved.ts'

/** A saved plan. */
export const planForm: SavedForm = {
  format: 'wlanctl-plan/1',
  validate: validatePlan,
  limit: fileLimits.plan,
  hint: 'save a plan with `wlanctl plan --out FILE`'
}

/** A plan as JSON text, with a line break at its end. Secrets in it write their reference. */
export function formatPlan(plan: Plan): string {
  return `${JSON.stringify(plan, null, 2)}\n`
}

/**
 * Reads a saved plan back. Throws a `Failure` (exit 3) if the text is not a whole, unchanged plan of
 * a version we know. `name` is the file's, for the message.
 */
export function parsePlan(text: string, name: string): Plan {
  return intactPlan(parseSaved(text, name, planForm).value, name)
}

/**
 * A value that has the form of a plan, as one; it must be as it was when it was saved. What it says of
 * itself is derived again.
 */
export function intactPlan(value: unknown, name: string): Plan {
  const plan = value as Plan
  if (digestOf(plan.base_url, plan.changes, plan) === plan.digest) return rederived(plan, name)
  throw new Failure(
    exit.wrongInput,
    `${name}: its digest does not match what it holds`,
    'it was damaged or edited, or another version made it: plan again'
  )
}
