import { shownState } from '../../core/diff/secret-states.ts'
import type {
  Change,
  PatchOperation,
  PlannedChange,
  SecretReferences
} from '../../core/model/plan.ts'
import { type Effects, effectsOf } from '../../core/plan/effects/effects.ts'
import { isAtOrBelow, type Pointer } from '../../core/values/pointer.ts'
import {
  canonical,
  isSameButSecrets,
  isSameJson,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'

/** What a saved plan shows of a WLAN. */
export interface ShownWlan {
  /** Absent if the WLAN has only secrets that the plan could not compare. */
  readonly change?: Change
  /** The references of the secrets that the plan could not compare. */
  readonly references: SecretReferences
  /** True if its site is in another wave now. */
  readonly isMoved: boolean
}

/**
 * The pointers that need an approval: of each operation, and of each secret that is sent along with another field and
 * is not known to be equal to the live one.
 */
export function pointersToApprove({ patch, secrets = {} }: Change): Pointer[] {
  const paths = new Set(patch.map(({ path }) => path))
  const others = Object.entries(secrets).flatMap(([at, state]) =>
    state === 'same' || [...paths].some(path => isAtOrBelow(at, path)) ? [] : at
  )
  return [...paths, ...others]
}

/**
 * True if a saved plan shows the operation at this pointer, with the same value before and after and the same states of
 * secrets. It approves a secret that it could not compare by its reference, whatever its state is now.
 */
export function isShown(pointer: Pointer, change: Change, shown: ShownWlan): boolean {
  const pointers = Object.keys({ ...change.secrets, ...shown.change?.secrets })
  const secrets = [...new Set([...pointers, ...Object.keys(shown.references)])]
  if (!secrets.every(at => !isAtOrBelow(at, pointer) || isStateShown(at, change, shown)))
    return false
  const operations = operationsAt(pointer, change)
  return (
    operations === '[]' ||
    (shown.change !== undefined && operations === operationsAt(pointer, shown.change)) ||
    sendsOnlyShownSecrets(pointer, change, shown)
  )
}

/**
 * The effects of a change apart from those of secrets that the plans could not compare: no plan could show these, and
 * their references are approved.
 */
export function effectsToApprove(
  { change, live }: PlannedChange,
  plans: readonly ShownWlan[]
): Effects {
  const { patch, secrets = {} } = change
  const isOpen = (at: Pointer) => plans.some(shown => stateIn(shown, at) === 'unknown')
  const open = Object.keys(secrets).filter(isOpen)
  if (open.length === 0) return change
  const unknown = Object.fromEntries(open.map(at => [at, 'unknown'] as const))
  const others = patch.filter(
    ({ path }) => !plans.some(shown => sendsOnlyShownSecrets(path, change, shown))
  )
  return effectsOf(others, live.record, { ...secrets, ...unknown })
}

/** The operations at a pointer as JSON text, in which secrets are references. */
function operationsAt(pointer: Pointer, { patch }: Change): string {
  const operations = patch.filter(({ path }) => path === pointer)
  return JSON.stringify(operations.map(operation => canonical<ValueObject>(operation)))
}

function stateIn({ change, references }: ShownWlan, pointer: Pointer) {
  return Object.hasOwn(references, pointer) ? 'unknown' : change && shownState(change, pointer)
}

function isStateShown(pointer: Pointer, change: Change, shown: ShownWlan): boolean {
  const now = shownState(change, pointer)
  const then = stateIn(shown, pointer)
  if (then === now && now !== 'unknown') return true
  if (then !== now && (now === 'rotates' || (then !== 'unknown' && then !== 'rotates')))
    return false
  const sent = valueAt(change.request.body, pointer)
  return sent === undefined || isSameJson(sent, referenceIn(shown, pointer))
}

function referenceIn({ change, references }: ShownWlan, pointer: Pointer): Value | undefined {
  if (Object.hasOwn(references, pointer)) return references[pointer]
  return change && valueAt(change.request.body, pointer)
}

/**
 * True if an operation only sends secrets that the plan could not compare, with their references; the rest of its value
 * is live already.
 */
function sendsOnlyShownSecrets(
  path: Pointer,
  { patch, secrets = {}, request }: Change,
  { references }: ShownWlan
): boolean {
  const sent = Object.entries(secrets).flatMap(([at, state]) =>
    state !== 'same' && state !== 'unknown' && isAtOrBelow(at, path) ? at : []
  )
  const [before, after] = valuesAt(path, patch)
  return (
    after !== undefined &&
    sent.length > 0 &&
    sent.every(
      at => Object.hasOwn(references, at) && isSameJson(valueAt(request.body, at), references[at])
    ) &&
    (sent[0] === path || isSameButSecrets(before, after))
  )
}

function valuesAt(pointer: Pointer, patch: readonly PatchOperation[]) {
  const at = patch.flatMap(each => (each.path === pointer && 'value' in each ? [each] : []))
  const before = at.find(({ op }) => op === 'test')
  const after = at.find(({ op }) => op !== 'test')
  return [before?.value, after?.value] as const
}
