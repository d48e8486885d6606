import { fieldAt } from '../fields/field.ts'
import { byCodeUnit } from '../model/identity.ts'
import type { LiveWlan } from '../model/live.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Change, Operation, Plan, PlannedChange, References } from '../model/plan.ts'
import { topLevelField } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import {
  isList,
  isObject,
  referenceIn,
  type Value,
  type ValueObject,
  valueAt
} from '../model/value.ts'
import { agrees, type Comparison } from '../plan/agree.ts'
import { fromEntries } from '../plan/canonical.ts'
import { essence } from '../plan/digest.ts'
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
 * | yes     | none               | `skipped`                                        |
 * | no      | yes, and live is so | `unchanged`                                     |
 * | no      | yes                | `skipped`                                        |
 *
 * `live` gives the WLANs of approved changes, by id in lower case, as far as they were read.
 */
export function approve(
  derived: readonly PlannedChange[],
  file: Plan,
  live: ReadonlyMap<string, LiveWlan>
): Approval {
  const inFile = new Map(file.changes.map(change => [keyOf(change), change]))
  const open = new Map(file.not_compared.map(({ address, references }) => [address, references]))
  const judged = derived.map(planned => {
    const known = inFile.get(keyOf(planned.change))
    return { planned, known, same: isSame(planned.change, known, open.get(planned.change.address)) }
  })
  const keys = new Set(derived.map(({ change }) => keyOf(change)))
  const gone = file.changes.filter(change => !keys.has(keyOf(change)))
  return {
    approved: judged.flatMap(({ planned, same }) => (same ? planned : [])),
    decided: [
      ...judged.flatMap(({ planned, known, same }) => (same ? [] : refusal(planned, known))),
      ...gone.map(change => outcomeOfGone(change, live.get(change.wlan.id.toLowerCase())))
    ]
  }
}

function keyOf({ site, wlan }: Change): string {
  return `${site.id}/${wlan.id}`.toLowerCase()
}

/**
 * True if the change is the approved one. A secret that the plan could not compare is approved with
 * its reference: it may have turned out to differ.
 */
function isSame(change: Change, known: Change | undefined, open: References | undefined): boolean {
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

function isReferred(operation: Operation, references: References): boolean {
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
  const paths = [...change.patch, ...known.patch].map(({ path }) => path)
  const differing = [...new Set(paths)]
    .filter(path => JSON.stringify(at(change, path)) !== JSON.stringify(at(known, path)))
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

function at({ patch }: Change, pointer: string): readonly Operation[] {
  return patch.filter(({ path }) => path === pointer)
}

function valuesOf({ patch }: Change, ...kinds: readonly Operation['op'][]): Map<string, Value> {
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

/** A value that was read from a file, with its references as secrets that nobody knows here. */
export function withSecrets(value: Value): Value {
  const reference = referenceIn(value)
  if (reference !== undefined) return new Secret(reference, undefined)
  if (isList(value)) return value.map(withSecrets)
  if (!isObject(value)) return value
  return fromEntries(Object.entries(value).map(([name, below]) => [name, withSecrets(below)]))
}
