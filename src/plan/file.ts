import { validatePlan } from '#forms'
import { exit, Failure } from '../model/failure.ts'
import type { Change, Plan } from '../model/plan.ts'
import { updatePath } from './body.ts'
import { digestOf } from './digest.ts'
import { parseSaved, type SavedForm } from './saved.ts'

/** A saved plan; that of 10,000 changed WLANs takes some 15 MB. */
export const planForm: SavedForm = {
  format: 'wlanctl-plan/1',
  validate: validatePlan,
  name: 'a saved plan',
  hint: 'save a plan with `wlanctl plan --out FILE`',
  maxLength: 64 * 1024 * 1024
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

/** A value that has the form of a plan, as one; it must be as it was when it was saved. */
export function intactPlan(value: unknown, name: string): Plan {
  const plan = value as Plan
  const intact = digestOf(plan.base_url, plan.changes) === plan.digest
  if (intact && plan.changes.every(goesWhereItSays)) return plan
  throw new Failure(
    exit.wrongInput,
    `${name}: its digest does not match what it holds`,
    'it was damaged or edited: plan again'
  )
}

/** The digest looks at the ids and not at the path, which is made of them. */
export function goesWhereItSays({ site, wlan, request }: Change): boolean {
  return request.path === updatePath(site, wlan)
}
