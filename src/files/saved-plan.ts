import { validatePlan } from '#forms'
import { updatePath } from '../core/diff/body.ts'
import { wrongInput } from '../core/model/failure.ts'
import {
  type Change,
  changeKey,
  type PatchOperation,
  type Plan,
  type PlanSummary
} from '../core/model/plan.ts'
import { fileLimits } from '../core/model/saved-file-limits.ts'
import { withDigests } from '../core/plan/digest.ts'
import { fieldAt } from '../core/schema/field.ts'
import { groupBy } from '../core/values/collections.ts'
import { type Pointer, topLevelField } from '../core/values/pointer.ts'
import { truncate } from '../core/values/text.ts'
import { sameId } from '../core/values/uuid.ts'
import { isSameJson, type Value, type ValueObject, valueAt } from '../core/values/value.ts'
import { digestMismatch, parseSaved, type SavedForm } from './saved-file.ts'

export const planForm: SavedForm = {
  format: 'wlanctl-plan/1',
  validate: validatePlan,
  limit: fileLimits.plan,
  hint: 'save a plan with `wlanctl plan --out FILE`'
}

/** A plan as JSON text with a final line break. Secrets are written as their reference. */
export function formatPlan(plan: Plan): string {
  return `${JSON.stringify(plan, null, 2)}\n`
}

/** Throws a `Failure` (exit 3) unless it is a complete, unmodified plan of a known version. */
export function parsePlan(text: string, name: string): Plan {
  return intactPlan(parseSaved(text, name, planForm).value, name)
}

/** Checks a value that conforms to the schema of a plan: its digests, counts and parts must match. */
export function intactPlan(value: unknown, name: string): Plan {
  const plan = value as Plan
  const { digest, sites } = withDigests(plan)
  if (digest !== plan.digest || JSON.stringify(sites) !== JSON.stringify(plan.sites)) {
    throw digestMismatch(
      name,
      'the file was damaged or edited, or another version made it: plan again'
    )
  }
  checkParts(plan, name)
  checkCounts(plan, name)
  return plan
}

function checkParts({ sites, changes, rollout }: Plan, name: string): void {
  const addresses = new Set<string>()
  const read = new Map(
    sites.filter(({ unread }) => unread === undefined).map(({ name: of, id }) => [of, id])
  )
  const wlans = new Set<string>()
  const places = rollout?.flatMap(({ sites }) => sites)
  const waves = places && groupBy(places, name => name)
  for (const change of changes) {
    const { address, site } = change
    const key = changeKey(change)
    const problem =
      addresses.has(address) || wlans.has(key)
        ? 'has two changes'
        : waves && waves.get(site.name)?.length !== 1
          ? 'is in no wave of its rollout, or in several'
          : sameId(read.get(site.name) ?? '', site.id)
            ? changeProblem(change)
            : 'is at no site that the plan lists as read'
    if (problem !== undefined) {
      throw wrongInput(
        `${name}: ${truncate(address, 200)} ${problem}`,
        'the file was damaged or edited: plan again'
      )
    }
    addresses.add(address)
    wlans.add(key)
  }
}

function checkCounts({ summary, sites, changes, unmanaged }: Plan, name: string): void {
  const missing = sites.flatMap(({ unread }) => unread ?? [])
  const known = changes.length + summary.unchanged + summary.blocked
  const counted: Partial<PlanSummary> = {
    sites: sites.length,
    sites_failed: missing.length,
    wlans: missing.reduce((sum, wlans) => sum + wlans, known),
    changed: changes.length,
    unmanaged: unmanaged.length
  }
  const counts = Object.keys(counted) as (keyof typeof counted)[]
  const wrong = counts.find(count => summary[count] !== counted[count])
  if (wrong === undefined) return
  throw wrongInput(
    `${name}: expected ${counted[wrong]} as \`summary.${wrong}\`, got ${summary[wrong]}`,
    'the file was damaged or edited: plan again'
  )
}

/** The contradiction in a change, as a predicate; undefined if there is none. */
export function changeProblem(change: Change): string | undefined {
  const { address, site, wlan, patch, request } = change
  const named = address.startsWith(`${site.name}/`) && address.length > site.name.length + 1
  if (!named) return `is not an address of the site ${truncate(site.name, 200)}`
  if (request.path !== updatePath(site, wlan)) return 'has a request for another WLAN'
  const fields = new Set(patch.map(({ path }) => topLevelField(path)))
  const { body } = request
  const sent = Object.keys(body)
  const fits = sent.length === fields.size && sent.every(field => fields.has(field))
  const isSent = (operation: PatchOperation) =>
    (operation.op !== 'add' && operation.op !== 'replace') ||
    isSameJson(sentAt(body, operation.path), operation.value)
  const readOnly = patch.find(({ path }) => fieldAt(path).readOnly)
  if (readOnly !== undefined) return `changes ${readOnly.path}, which is read-only`
  return fits && patch.every(isSent)
    ? undefined
    : 'has a request that does not match its operations'
}

function sentAt(body: ValueObject, at: Pointer): Value | undefined {
  const sent = valueAt(body, at)
  return sent === undefined && fieldAt(at).nullRemoves ? null : sent
}
