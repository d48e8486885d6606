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
import { isAtOrBelow, type Pointer, topLevelField } from '../model/pointer.ts'
import { isSameButSecrets, type Value, valueAt } from '../model/value.ts'
import { agrees, type Comparison } from '../plan/agree.ts'
import { changeContent } from '../plan/digest.ts'
import { rotatingIn } from '../plan/rotation.ts'
import { shownState } from '../plan/secret-states.ts'
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

/** Returns true if the secret that an approved change sends at this pointer is live. */
export type HasSecret = (change: Change, pointer: Pointer, live: LiveWlan) => boolean

/**
 * Compares the planned changes with a saved plan. The file only approves: it cannot execute a change that the
 * fleet and the live state do not require.
 *
 * | planned now | in the file               | result      |
 * |-------------|---------------------------|-------------|
 * | yes         | the same                  | executed    |
 * | yes         | a different change        | `stale`     |
 * | yes         | the same, in another wave | `stale`     |
 * | yes         | no                        | `skipped`   |
 * | no          | yes, and it is live       | `unchanged` |
 * | no          | yes                       | `skipped`   |
 *
 * `live` contains the WLANs of approved changes that were read, by id in lower case. The file contains secrets only
 * as references, so `hasSecret` decides whether a secret is live; by default none is.
 */
export function approve(
  plannedNow: readonly PlannedChange[],
  file: Plan,
  live: ReadonlyMap<string, LiveWlan>,
  rollout?: readonly Wave[],
  hasSecret?: HasSecret
): Approval {
  const [waves, approvedWaves] = [wavesOf(rollout), wavesOf(file.rollout)]
  const inFile = new Map(file.changes.map(change => [keyOf(change), change]))
  const notCompared = new Map(
    file.not_compared.map(({ address, references }) => [address, references])
  )
  const compared = plannedNow.map(planned => {
    const { change } = planned
    const saved = inFile.get(keyOf(change))
    const isMoved = waves.get(change.site.name) !== approvedWaves.get((saved ?? change).site.name)
    const same = isSame(change, saved, notCompared.get(change.address))
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
      ...gone.map(change =>
        outcomeOfGone(change, live.get(change.wlan.id.toLowerCase()), hasSecret)
      )
    ]
  }
}

/**
 * Compares the planned changes with several saved plans, such as those of pull requests that one push merged.
 * Executes a change if any of the plans approves it. If two plans contain the same change with different
 * content, at most one of them matches.
 */
export function approveByAny(
  plannedNow: readonly PlannedChange[],
  files: readonly Plan[],
  live: ReadonlyMap<string, LiveWlan>,
  rollout?: readonly Wave[],
  hasSecret?: HasSecret
): Approval {
  const approvals = files.map(file => approve(plannedNow, file, live, rollout, hasSecret))
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

/**
 * The path of each site in the rollout: the name of its wave and of all waves before it. Approval covers the
 * order of the waves.
 */
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
 * True if the change equals the approved one, including the states of its secrets. A secret that the plan
 * could not compare is approved by its reference, so it may differ now. The rotation of a secret must be in
 * the file, too.
 */
function isSame(
  change: Change,
  saved: Change | undefined,
  notCompared: SecretReferences | undefined
): boolean {
  const rotating = rotatingIn(saved ?? {})
  if (rotatingIn(change).some(pointer => !rotating.includes(pointer))) return false
  const references = saved?.references ?? (saved === undefined ? notCompared : undefined) ?? {}
  if (saved !== undefined && otherStates(change, saved, references).length > 0) return false
  if (saved !== undefined && changeContent(change) === changeContent(saved)) return true
  if (Object.keys(references).length === 0) return false
  const patch = change.patch.filter(({ path }) => !changesOnlyApproved(change, path, references))
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

/**
 * The secrets whose state differs from the approved state. A secret that was approved as unknown may have any
 * state, with the same reference.
 */
function otherStates(change: Change, saved: Change, references: SecretReferences): Pointer[] {
  const pointers = new Set(Object.keys({ ...change.secrets, ...saved.secrets }))
  return [...pointers].filter(pointer => {
    const then = shownState(saved, pointer)
    if (then === shownState(change, pointer)) return false
    if (then !== 'unknown' && then !== 'rotates') return true
    const approved = referenceAt(references, pointer) ?? valueAt(saved.request.body, pointer)
    const sent = valueAt(change.request.body, pointer)
    return sent !== undefined && JSON.stringify(sent) !== JSON.stringify(approved)
  })
}

/**
 * True if the operations of a path change only approved secrets: each has the approved reference, and the
 * rest of the value is live already.
 */
function changesOnlyApproved(
  { patch, secrets = {}, request }: Change,
  path: Pointer,
  references: SecretReferences
): boolean {
  const sent = Object.entries(secrets).filter(
    ([at, state]) => state !== 'same' && state !== 'unknown' && isAtOrBelow(at, path)
  )
  const areApproved = sent.every(([at]) => {
    const value = valueAt(request.body, at)
    const reference = referenceAt(references, at)
    return reference !== undefined && JSON.stringify(value) === JSON.stringify(reference)
  })
  const [before, after] = ['test', 'set'].map(kind =>
    patch.find(({ op, path: at }) => at === path && (op === 'test') === (kind === 'test'))
  )
  if (after === undefined || !('value' in after)) return false
  const old = before && 'value' in before ? before.value : undefined
  return (
    sent.length > 0 && areApproved && (sent[0]?.[0] === path || isSameButSecrets(old, after.value))
  )
}

function referenceAt(references: SecretReferences, pointer: Pointer) {
  return Object.hasOwn(references, pointer) ? references[pointer] : undefined
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

function outcomeOfGone(
  change: Change,
  live: LiveWlan | undefined,
  hasSecret: HasSecret | undefined
): Outcome {
  const isApplied = live !== undefined && hasApprovedValues(change, live, hasSecret)
  return isApplied
    ? outcome(change, 'unchanged')
    : outcome(change, 'skipped', { reason: 'the fleet no longer requires this change' })
}

function hasApprovedValues(change: Change, live: LiveWlan, hasSecret?: HasSecret): boolean {
  const comparison: Comparison = { notCompared: [] }
  const agreeing = [...valuesOf(change, 'add', 'replace')].every(([pointer, value]) =>
    agrees(
      fieldAt(pointer),
      valueAt(live.record, pointer),
      withUnknownSecrets(value),
      pointer,
      comparison
    )
  )
  return agreeing && comparison.notCompared.every(pointer => hasSecret?.(change, pointer, live))
}
