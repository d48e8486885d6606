import { byCodeUnit } from '../model/collections.ts'
import type { Wave } from '../model/desired.ts'
import type { LiveWlan } from '../model/live.ts'
import type { Outcome } from '../model/outcome.ts'
import type {
  Change,
  PatchOperation,
  Plan,
  PlannedChange,
  SecretReferences
} from '../model/plan.ts'
import { topLevelField } from '../model/pointer.ts'
import { type Value, type ValueObject, valueAt } from '../model/value.ts'
import { agrees, type Comparison } from '../plan/agree.ts'
import { changeContent } from '../plan/digest.ts'
import { withUnknownSecrets } from '../plan/stored-secrets.ts'
import { fieldAt } from '../schema/field.ts'
import { fieldOutcome, outcome } from './outcome.ts'

/** The planned changes, split by a saved plan. */
export interface Approval {
  /** The changes to execute: each equals an approved one. */
  readonly approved: readonly PlannedChange[]
  /** The outcomes of all others, and of approved changes that are no longer planned. */
  readonly decided: readonly Outcome[]
}

/**
 * Compares the planned changes with a saved plan. The file approves and never instructs: it cannot execute a
 * change that the fleet and the live state do not require.
 *
 * | planned now | in the file               | result      |
 * |-------------|---------------------------|-------------|
 * | yes         | the same                  | executed    |
 * | yes         | a different change        | `stale`     |
 * | yes         | the same, in another wave | `stale`     |
 * | yes         | no                        | `skipped`   |
 * | no          | yes, and live has it      | `unchanged` |
 * | no          | yes                       | `skipped`   |
 *
 * `live` has the WLANs of approved changes that were read, by id in lower case.
 */
export function approve(
  plannedNow: readonly PlannedChange[],
  file: Plan,
  live: ReadonlyMap<string, LiveWlan>,
  rollout?: readonly Wave[]
): Approval {
  const [waves, approvedWaves] = [wavesOf(rollout), wavesOf(file.rollout)]
  const inFile = new Map(file.changes.map(change => [keyOf(change), change]))
  const open = new Map(file.not_compared.map(({ address, references }) => [address, references]))
  const compared = plannedNow.map(planned => {
    const { change } = planned
    const saved = inFile.get(keyOf(change))
    const isMoved = waves.get(change.site.name) !== approvedWaves.get((saved ?? change).site.name)
    const same = isSame(change, saved, open.get(change.address))
    return { planned, saved, same: same && !isMoved, isMoved: same && isMoved }
  })
  const keys = new Set(plannedNow.map(({ change }) => keyOf(change)))
  const gone = file.changes.filter(change => !keys.has(keyOf(change)))
  return {
    approved: compared.flatMap(({ planned, same }) => (same ? planned : [])),
    decided: [
      ...compared.flatMap(({ planned, saved, same, isMoved }) => {
        if (same) return []
        return isMoved
          ? outcome(planned.change, 'stale', { reason: MOVED })
          : refusal(planned, saved)
      }),
      ...gone.map(change => outcomeOfGone(change, live.get(change.wlan.id.toLowerCase())))
    ]
  }
}

/**
 * Compares the planned changes with several saved plans, such as those of pull requests that one push merged:
 * executes a change that any of them approves. A change that two of them share with different content equals
 * at most one of them.
 */
export function approveByAny(
  plannedNow: readonly PlannedChange[],
  files: readonly Plan[],
  live: ReadonlyMap<string, LiveWlan>,
  rollout?: readonly Wave[]
): Approval {
  const approvals = files.map(file => approve(plannedNow, file, live, rollout))
  const approved = new Set(approvals.flatMap(approval => approval.approved))
  const done = new Set([...approved].map(({ change }) => change.address))
  const decided = new Map<string, Outcome>()
  for (const outcome of approvals.flatMap(approval => approval.decided)) {
    const { address } = outcome
    const other = decided.get(address)
    if (done.has(address) || (other !== undefined && other.status !== 'skipped')) continue
    decided.set(address, outcome)
  }
  return {
    approved: plannedNow.filter(planned => approved.has(planned)),
    decided: [...decided.values()]
  }
}

const MOVED = 'its site is in another wave than the approved one: plan again'

/** The wave of each site by its name, with those before it: the order of the waves is approved too. */
function wavesOf(rollout: readonly Wave[] = []): ReadonlyMap<string, string> {
  const names = rollout.map(({ name }) => name ?? null)
  return new Map(
    rollout.flatMap(({ sites }, index) => {
      const path = JSON.stringify(names.slice(0, index + 1))
      return sites.map(site => [site, path] as const)
    })
  )
}

function keyOf({ site, wlan }: Change): string {
  return `${site.id}/${wlan.id}`.toLowerCase()
}

/**
 * True if the change is the approved one. A secret that the plan could not compare is approved by its
 * reference: it may differ now.
 */
function isSame(
  change: Change,
  saved: Change | undefined,
  open: SecretReferences | undefined
): boolean {
  if (saved !== undefined && changeContent(change) === changeContent(saved)) return true
  const references = saved?.references ?? (saved === undefined ? open : undefined)
  if (references === undefined) return false
  const patch = change.patch.filter(operation => !isApprovedSecret(operation, references))
  if (JSON.stringify(patch) !== JSON.stringify(saved?.patch ?? [])) return false
  const { body } = change.request
  const secretFields = new Set(Object.keys(references).map(topLevelField))
  const approvedBody = saved?.request.body ?? {}
  return Object.keys({ ...approvedBody, ...body }).every(
    name =>
      JSON.stringify(body[name]) === JSON.stringify(approvedBody[name]) ||
      (!Object.hasOwn(approvedBody, name) && secretFields.has(name))
  )
}

function isApprovedSecret(operation: PatchOperation, references: SecretReferences): boolean {
  const reference = Object.hasOwn(references, operation.path)
    ? references[operation.path]
    : undefined
  return (
    reference !== undefined &&
    'value' in operation &&
    JSON.stringify(operation.value) === JSON.stringify(reference)
  )
}

function refusal({ change, live }: PlannedChange, saved: Change | undefined): Outcome {
  if (saved === undefined) {
    return outcome(change, 'skipped', { reason: 'the approved plan does not have this change' })
  }
  const [now, approved] = [byPath(change), byPath(saved)]
  const differing = [...new Set([...now.keys(), ...approved.keys()])]
    .filter(path => JSON.stringify(now.get(path)) !== JSON.stringify(approved.get(path)))
    .sort(byCodeUnit)
  const before = valuesOf(saved, 'test')
  const wanted = valuesOf(change, 'add', 'replace')
  return outcome(change, 'stale', {
    reason: 'it is not the approved change: plan again',
    fields: differing.map(pointer => ({
      ...fieldOutcome(pointer, { found: live.record }),
      ...(before.has(pointer) ? { before: before.get(pointer) as Value } : {}),
      ...(wanted.has(pointer) ? { wanted: wanted.get(pointer) as Value } : {})
    }))
  })
}

function byPath({ patch }: Change): ReadonlyMap<string, readonly PatchOperation[]> {
  const operations = new Map<string, PatchOperation[]>()
  for (const operation of patch) {
    const others = operations.get(operation.path)
    if (others === undefined) operations.set(operation.path, [operation])
    else others.push(operation)
  }
  return operations
}

function valuesOf(
  { patch }: Change,
  ...kinds: readonly PatchOperation['op'][]
): Map<string, Value> {
  return new Map(
    patch.flatMap(operation =>
      kinds.includes(operation.op) && 'value' in operation
        ? [[operation.path, operation.value] as const]
        : []
    )
  )
}

function outcomeOfGone(change: Change, live: LiveWlan | undefined): Outcome {
  const isApplied = live !== undefined && hasApprovedValues(change, live.record)
  return isApplied
    ? outcome(change, 'unchanged')
    : outcome(change, 'skipped', { reason: 'the fleet no longer requires this change' })
}

/** A secret of the file is only a reference, so it cannot be compared with the live value. */
function hasApprovedValues(change: Change, record: ValueObject): boolean {
  const comparison: Comparison = { notCompared: [] }
  const agreeing = [...valuesOf(change, 'add', 'replace')].every(([pointer, value]) =>
    agrees(
      fieldAt(pointer),
      valueAt(record, pointer),
      withUnknownSecrets(value),
      pointer,
      comparison
    )
  )
  return agreeing && comparison.notCompared.length === 0
}
