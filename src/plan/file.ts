import { validatePlan } from '#validators'
import { exit, Failure } from '../model/failure.ts'
import type { Change, Plan } from '../model/plan.ts'
import { updatePath } from './body.ts'
import { digestOf } from './digest.ts'
import { parseStrictJson } from './strict-json.ts'

/** A larger file is no plan of ours: the plan of 10,000 changed WLANs takes some 15 MB. */
const MAX_BYTES = 64 * 1024 * 1024

/** No WLAN is deeper; JSON may be, and would end the stack of whoever walks it. */
const DEEPEST = 200

/** A plan as JSON text, with a line break at its end. Secrets in it write their reference. */
export function formatPlan(plan: Plan): string {
  return `${JSON.stringify(plan, null, 2)}\n`
}

/**
 * Reads a saved plan back. Throws a `Failure` (exit 3) if the text is not a whole, unchanged plan of
 * a version we know. `name` is the file's, for the message.
 */
export function parsePlan(text: string, name: string): Plan {
  const wrong = (problem: string, hint?: string) =>
    new Failure(exit.wrongInput, `${name}: ${problem}`, hint)
  if (text.length > MAX_BYTES) throw wrong('it is too large to be a saved plan')
  const value = parseStrictJson(text)
  if (value === undefined)
    throw wrong(
      'it is not JSON, or holds a key twice',
      'save a plan with `wlanctl plan --out FILE`'
    )
  if (isDeeper(value, DEEPEST)) throw wrong(`it is damaged: nested more than ${DEEPEST} deep`)
  const format = formatOf(value)
  if (format !== 'wlanctl-plan/1') {
    throw wrong(`expected the format "wlanctl-plan/1", found ${JSON.stringify(format ?? null)}`)
  }
  if (!validatePlan(value)) {
    const place = validatePlan.errors?.[0]?.instancePath || 'its top'
    throw wrong(`it is damaged at ${place}`, 'plan again')
  }
  const plan = value as Plan
  const intact = digestOf(plan.base_url, plan.changes) === plan.digest
  if (!intact || !plan.changes.every(goesWhereItSays)) {
    throw wrong('its digest does not match what it holds', 'it was damaged or edited: plan again')
  }
  return plan
}

/** The digest looks at the ids and not at the path, which is made of them. */
export function goesWhereItSays({ site, wlan, request }: Change): boolean {
  return request.path === updatePath(site, wlan)
}

/** True for JSON that is nested in more levels than these. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(member => isDeeper(member, levels - 1))
}

function formatOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
}
