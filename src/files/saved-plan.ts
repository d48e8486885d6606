import { validatePlan } from '#forms'
import { updatePath } from '../core/diff/body.ts'
import { plausibleStates } from '../core/diff/secret-states.ts'
import { wrongInput } from '../core/model/failure.ts'
import { fileLimits } from '../core/model/file-limits.ts'
import { type Finding, type FindingCode, finding, isError } from '../core/model/finding.ts'
import {
  type Change,
  changeKey,
  type PatchOperation,
  type Plan,
  type PlanSummary,
  patchedPointers,
  type Unwatched
} from '../core/model/plan.ts'
import { withDigests } from '../core/plan/digest.ts'
import { effectsOf, withEffects } from '../core/plan/effects/effects.ts'
import { shownEffects } from '../core/plan/effects/escalation.ts'
import { recordFrom } from '../core/plan/effects/transition.ts'
import { savedRefusals } from '../core/plan/guards.ts'
import { fieldAt } from '../core/schema/field.ts'
import { compact, groupBy, sortBy } from '../core/values/collections.ts'
import { type Pointer, topLevelField } from '../core/values/pointer.ts'
import { truncate } from '../core/values/text.ts'
import { parseTime } from '../core/values/time.ts'
import { sameId } from '../core/values/uuid.ts'
import { isSameJson, type Value, type ValueObject, valueAt } from '../core/values/value.ts'
import { withUnknownSecrets } from './redacted-secrets.ts'
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

/**
 * Parses a saved plan. Throws a `Failure` (exit 3) if the text is not a complete, unmodified plan of a known
 * version. `name` is the name of the file, for messages.
 */
export function parsePlan(text: string, name: string): Plan {
  return intactPlan(parseSaved(text, name, planForm).value, name)
}

/** Checks a value that conforms to the schema of a plan: its digest must match. Recomputes labels and counts. */
export function intactPlan(value: unknown, name: string): Plan {
  const plan = value as Plan
  const { digest, sites } = withDigests(plan)
  if (digest === plan.digest && JSON.stringify(sites) === JSON.stringify(plan.sites))
    return recomputePlan(plan, name)
  throw digestMismatch(
    name,
    'the file was damaged or edited, or another version made it: plan again'
  )
}

/** The codes of findings that block a WLAN. */
const blockingCodes: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'WLAN_NOT_FOUND',
  'WLAN_AMBIGUOUS',
  'WLAN_CLAIMED_TWICE',
  'WLAN_INHERITED',
  'SECRET_HIDDEN',
  'SECRET_LOST',
  'SECRET_MASKED',
  'SECRET_MISSING',
  'NUMBER_NOT_KEPT',
  'CHANGED_SINCE'
])

/**
 * Recomputes the labels and counts of a saved plan from its operations, so that no report depends on the
 * claims of an edited file.
 *
 * | part of the plan                  | source                                                         |
 * |-----------------------------------|----------------------------------------------------------------|
 * | impact, downgrades, their findings, dangers, elements | computed from the operations                |
 * | states of secrets                 | the file, as far as operations and `not_compared` allow        |
 * | changed, unmanaged, blocked, failed | counted                                                      |
 * | WLANs and sites                   | at least the count                                             |
 * | refusals                          | downgrades and those of the policy: computed from the operations and the findings |
 * | request, address, waves           | checked against the operations, the ids and the sites          |
 * | unchanged, names, places, other findings and refusals | the file                           |
 *
 * A difference from the file is a finding. Throws a `Failure` (exit 3) if parts contradict each other.
 */
function recomputePlan(plan: Plan, name: string): Plan {
  checkParts(plan, name)
  const changes = plan.changes.map(change => withComputedEffects(change, plan))
  const findings = [...findingsFrom(plan, changes), ...unreadWithoutReason(plan)]
  const sorted = sortBy(changes, ({ address }) => address)
  const refusals = savedRefusals({ ...plan, changes: sorted, findings }, plan.refusals ?? [])
  const unwatched = knownUnwatched(plan)
  // Members keep their order in the file.
  const computed = compact({
    ...plan,
    summary: summaryOf(plan),
    changes,
    unwatched: unwatched.length === 0 ? undefined : unwatched,
    findings,
    refusals: refusals.length === 0 ? undefined : refusals
  }) as Plan
  const wrong = claims.flatMap(([part, claimIn]) =>
    JSON.stringify(claimIn(plan)) === JSON.stringify(claimIn(computed)) ? [] : part
  )
  return {
    ...computed,
    changes: sorted,
    findings: [...findings, ...(wrong.length === 0 ? [] : [finding('PLAN_CLAIMS', {}, wrong)])]
  }
}

/** What a file claims of itself, with the names of the parts for the message. */
const claims: readonly (readonly [part: string, claimIn: (plan: Plan) => unknown])[] = [
  ['impact, downgrades or dangers', ({ changes }) => changes.map(labels)],
  [
    'states of secrets',
    ({ changes }) => changes.map(({ secrets }) => secrets && Object.entries(secrets))
  ],
  ['findings', ({ findings }) => findings.map(essentials)],
  ['refusals', ({ refusals = [] }) => refusals.map(essentials)],
  ['counts', ({ summary }) => summary],
  ['unwatched fields', ({ unwatched = [] }) => unwatched]
]

function labels(change: Change): unknown {
  const { downgrades, dangers } = change
  return [shownEffects(change), downgrades, dangers]
}

function essentials({ level, code, message, address }: Finding): unknown {
  return [level, code, message, address]
}

function knownUnwatched({ unwatched = [] }: Plan): Unwatched[] {
  const known = unwatched.map(({ address, pointers, not_default, not_adoptable }) => {
    const fields = [...new Set(pointers)].filter(pointer => fieldAt(pointer).known)
    const moved = fields.filter(pointer => not_default?.includes(pointer))
    const stuck = moved.filter(pointer => not_adoptable?.includes(pointer))
    return {
      address,
      pointers: fields,
      ...(moved.length > 0 && { not_default: moved }),
      ...(stuck.length > 0 && { not_adoptable: stuck })
    }
  })
  const byAddress = new Map(known.map(each => [each.address, each]))
  return sortBy(byAddress.values(), ({ address }) => address).filter(
    ({ pointers }) => pointers.length > 0
  )
}

/** Recomputes the effects of a change from its operations; the digest covers the context that they depend on. */
export function withComputedEffects(
  change: Change,
  { command }: Pick<Plan, 'command'> = {}
): Change {
  const patch = change.patch.map(withSecretValues)
  const { causes, modified, context } = change
  const secrets = plausibleStates(change)
  const isDrift = command === 'drift'
  const paths = new Set(patchedPointers(patch))
  const exposes = (change.exposes ?? []).filter(path => paths.has(path))
  const effects = effectsOf(patch, recordFrom(patch, context), secrets, { isDrift, exposes })
  return compact({
    ...withEffects(change, effects),
    context,
    secrets,
    causes:
      causes && Object.fromEntries(Object.entries(causes).filter(([path]) => paths.has(path))),
    modified: parseTime(modified ?? '') === undefined ? undefined : modified
  })
}

function withSecretValues(operation: PatchOperation): PatchOperation {
  return 'value' in operation
    ? { ...operation, value: withUnknownSecrets(operation.value) }
    : operation
}

/** A downgrade that the policy allows has no finding, so none is added. */
function findingsFrom({ findings }: Plan, changes: readonly Change[]): Finding[] {
  const downgradesByAddress = new Map(
    changes.map(({ address, downgrades }) => [address, downgrades])
  )
  return findings.flatMap(found => {
    if (found.code !== 'DOWNGRADE') return found
    const downgrades = downgradesByAddress.get(found.address ?? '')
    return downgrades === undefined ? [] : { ...found, ...finding('DOWNGRADE', {}, downgrades) }
  })
}

function unreadWithoutReason({ sites, findings }: Plan): Finding[] {
  const explained = new Set(
    findings.flatMap(({ code, address }) => (code === 'SITE_NOT_READ' ? (address ?? []) : []))
  )
  return sites
    .filter(({ name, unread }) => unread !== undefined && !explained.has(name))
    .map(({ name }) =>
      finding('SITE_NOT_READ', { address: name }, 'the plan does not give the reason')
    )
}

function summaryOf({ summary, sites, changes, unmanaged, findings }: Plan): PlanSummary {
  const changed = changes.length
  const blockedByFinding = findings.filter(
    found => isError(found) && blockingCodes.has(found.code)
  ).length
  const blocked = Math.max(summary.blocked, blockedByFinding)
  const missing = sites.flatMap(({ unread }) => unread ?? [])
  return {
    ...summary,
    sites: sites.length,
    sites_failed: missing.length,
    wlans: missing.reduce((sum, wlans) => sum + wlans, changed + summary.unchanged + blocked),
    changed,
    blocked,
    unmanaged: unmanaged.length
  }
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

/** The value at a pointer into a body; null for a member that an update removes. */
function sentAt(body: ValueObject, at: Pointer): Value | undefined {
  const sent = valueAt(body, at)
  return sent === undefined && fieldAt(at).nullRemoves ? null : sent
}
