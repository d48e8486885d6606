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
import { essence } from '../plan/digest.ts'
import { withSecrets } from '../plan/references.ts'
import { fieldAt } from '../schema/field.ts'
import { outcome } from './outcome.ts'
import { fieldOutcome } from './verify.ts'

/** What an approval makes of the changes that a run derived. */
export interface Approval {
  /** To be executed: each equals an approved one. */
  readonly approved: readonly PlannedChange[]
  /** Of all the others, and of approved changes that were not derived any more. */
  readonly decided: readonly Outcome[]
}

/**
 * Holds the derived changes against a saved plan. The file approves and never instructs: whatever is
 * in it, nothing is executed that the fleet and the live state do not call for.
 *
 * | derived | in the file        | becomes                                          |
 * |---------|--------------------|--------------------------------------------------|
 * | yes     | the same           | executed                                         |
 * | yes     | another            | `stale`                                          |
 * | yes     | the same, in another wave | `stale`                                   |
 * | yes     | none               | `skipped`                                        |
 * | no      | yes, and live is so | `unchanged`                                     |
 * | no      | yes                | `skipped`                                        |
 *
 * `live` gives the WLANs of approved changes, by id in lower case, as far as they were read.
 */
export function approve(
  derived: readonly PlannedChange[],
  file: Plan,
  live: ReadonlyMap<string, LiveWlan>,
  rollout?: readonly Wave[]
): Approval {
  const [waves, approvedWaves] = [wavesOf(rollout), wavesOf(file.rollout)]
  const inFile = new Map(file.changes.map(change => [keyOf(change), change]))
  const open = new Map(file.not_compared.map(({ address, references }) => [address, references]))
  const judged = derived.map(planned => {
    const { change } = planned
    const known = inFile.get(keyOf(change))
    const moved = waves.get(change.site.name) !== approvedWaves.get((known ?? change).site.name)
    const same = isSame(change, known, open.get(change.address))
    return { planned, known, same: same && !moved, moved: same && moved }
  })
  const keys = new Set(derived.map(({ change }) => keyOf(change)))
  const gone = file.changes.filter(change => !keys.has(keyOf(change)))
  return {
    approved: judged.flatMap(({ planned, same }) => (same ? planned : [])),
    decided: [
      ...judged.flatMap(({ planned, known, same, moved }) => {
        if (same) return []
        return moved ? outcome(planned.change, 'stale', { reason: MOVED }) : refusal(planned, known)
      }),
      ...gone.map(change => outcomeOfGone(change, live.get(change.wlan.id.toLowerCase())))
    ]
  }
}

const MOVED = 'its site is in another wave than the one that was approved: plan again'

/** The wave of each site by its name, with those before it: the order of waves is approved, too. */
function wavesOf(rollout: readonly Wave[] = []): ReadonlyMap<string, string> {
  const names = rollout.map(({ name }) => name ?? null)
  return new Map(
    rollout.flatMap(({ sites }, place) => {
      const path = JSON.stringify(names.slice(0, place + 1))
      return sites.map(site => [site, path] as const)
    })
  )
}

function keyOf({ site, wlan }: Change): string {
  return `${site.id}/${wlan.id}`.toLowerCase()
}

/**
 * True if the change is the approved one. A secret that the plan could not compare is approved with
 * its reference: it may have turned out to differ.
 */
function isSame(
  change: Change,
  known: Change | undefined,
  open: SecretReferences | undefined
): boolean {
  if (known !== undefined && essence(change) === essence(known)) return true
  const references = known?.references ?? (known === undefined ? open : undefined)
  if (references === undefined) return false
  const patch = change.patch.filter(operation => !isReferred(operation, references))
  if (JSON.stringify(patch) !== JSON.stringify(known?.patch ?? [])) return false
  const { body } = change.request
  const secretFields = new Set(Object.keys(references).map(topLevelField))
  const approvedBody = known?.request.body ?? {}
  return Object.keys({ ...approvedBody, ...body }).every(
    name =>
      JSON.stringify(body[name]) === JSON.stringify(approvedBody[name]) ||
      (!Object.hasOwn(approvedBody, name) && secretFields.has(name))
  )
}

function isReferred(operation: PatchOperation, references: SecretReferences): boolean {
  const reference = Object.hasOwn(references, operation.path)
    ? references[operation.path]
    : undefined
  return (
    reference !== undefined &&
    'value' in operation &&
    JSON.stringify(operation.value) === JSON.stringify(reference)
  )
}

function refusal({ change, live }: PlannedChange, known: Change | undefined): Outcome {
  if (known === undefined) {
    return outcome(change, 'skipped', { reason: 'the approved plan does not hold this change' })
  }
  const [derived, approved] = [byPath(change), byPath(known)]
  const differing = [...new Set([...derived.keys(), ...approved.keys()])]
    .filter(path => JSON.stringify(derived.get(path)) !== JSON.stringify(approved.get(path)))
    .sort(byCodeUnit)
  const before = valuesOf(known, 'test')
  const wanted = valuesOf(change, 'add', 'replace')
  return outcome(change, 'stale', {
    reason: 'it is not the change that was approved: plan again',
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
  const isSo = live !== undefined && isAsApproved(change, live.record)
  return isSo
    ? outcome(change, 'unchanged')
    : outcome(change, 'skipped', { reason: 'the fleet no longer calls for this change' })
}

/** A secret of the file is a mere reference: whether it is live, nobody can tell here. */
function isAsApproved(change: Change, record: ValueObject): boolean {
  const comparison: Comparison = { notCompared: [] }
  const agreeing = [...valuesOf(change, 'add', 'replace')].every(([pointer, value]) =>
    agrees(fieldAt(pointer), valueAt(record, pointer), withSecrets(value), pointer, comparison)
  )
  return agreeing && comparison.notCompared.length === 0
}
