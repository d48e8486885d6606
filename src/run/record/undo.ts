import { agreesBothWays } from '../../core/diff/agree.ts'
import { inverse } from '../../core/diff/diff.ts'
import type { Site } from '../../core/model/desired.ts'
import { mayHaveChanged } from '../../core/model/outcome.ts'
import { changeKey, type PatchOperation } from '../../core/model/plan.ts'
import type { RecordedChange, RecordedRun } from '../../core/model/record.ts'
import { fieldAt } from '../../core/schema/field.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { Draft, withValueAt } from '../../core/values/draft.ts'
import { above, overlap, type Pointer } from '../../core/values/pointer.ts'
import { isObject, type Value, type ValueObject, valueAt } from '../../core/values/value.ts'
import { withUnknownSecrets } from '../../files/redacted-secrets.ts'
import { lostSecrets, restoredValue } from './restore.ts'

export interface Undo {
  readonly address: string
  readonly site: Site
  readonly wlanId: string
  /** The line number of the last change in the record. */
  readonly line: number
  /** By pointer; no pointer is a prefix of another. */
  readonly fields: ReadonlyMap<Pointer, UndoneField>
  readonly lostSecrets: readonly Pointer[]
  readonly sideEffects: readonly Pointer[]
  /** Milliseconds since 1970; infinite without an outcome, as the update may still arrive. */
  readonly changedAt: number
}

/** A field before and after the changes to undo; undefined if it is absent. */
export interface UndoneField {
  readonly before: Value | undefined
  readonly after: Value | undefined
  /** The value of the read-back, if it differs from the desired one. */
  readonly found?: Value | undefined
}

/**
 * The undo of these runs by WLAN: of all changes that were applied, diverged, or have an unknown result. A
 * field that several runs changed returns to its value before the first of them, unless another change
 * happened in between.
 */
export function undoOf(runs: readonly Pick<RecordedRun, 'changes'>[]): Undo[] {
  const undone = new Map<string, Undo>()
  for (const recorded of runs.flatMap(({ changes }) => changes)) {
    if (!mayHaveChanged(recorded.outcome)) continue
    const key = changeKey(recorded.change)
    undone.set(key, joined(undone.get(key), recorded))
  }
  return distinct([...undone.values()]).sort((a, b) => byCodeUnit(a.address, b.address))
}

/** Two WLANs may have had the same address at different times; in that case their ids are added to it. */
function distinct(undos: readonly Undo[]): Undo[] {
  const seen = new Map<string, number>()
  for (const { address } of undos) seen.set(address, (seen.get(address) ?? 0) + 1)
  return undos.map(undo =>
    seen.get(undo.address) === 1 ? undo : { ...undo, address: `${undo.address}:${undo.wlanId}` }
  )
}

export function fieldsToRestore({ fields }: Pick<Undo, 'fields'>): ValueObject {
  const declared = new Draft({})
  for (const [pointer, { before, after }] of fields) {
    const value = restoredValue(fieldAt(pointer), before, after)
    if (value !== undefined) declared.set(pointer, value)
  }
  return declared.root
}

function joined(earlier: Undo | undefined, recorded: RecordedChange): Undo {
  const { change, outcome, line } = recorded
  const fields = new Map(earlier?.fields)
  const parents = new Set([...fields.keys()].flatMap(above))
  for (const [pointer, field] of fieldsOf(change.patch)) {
    const among = above(pointer)
    // Fast path: most fields were not changed before, and a search through all fields is slow.
    const isNew = !parents.has(pointer) && !fields.has(pointer) && !among.some(at => fields.has(at))
    if (isNew) fields.set(pointer, field)
    else addField(fields, pointer, field)
    for (const at of among) parents.add(at)
  }
  for (const { pointer, found } of outcome.fields ?? []) {
    const field = fields.get(pointer)
    if (field !== undefined)
      fields.set(pointer, { ...field, found: found && withUnknownSecrets(found) })
  }
  return {
    address: change.address,
    site: change.site,
    wlanId: change.wlan.id,
    line,
    fields,
    lostSecrets: union(earlier?.lostSecrets, [...recorded.lostSecrets, ...secretsReadded(fields)]),
    sideEffects: union(earlier?.sideEffects, outcome.side_effects ?? []),
    changedAt: Math.max(earlier?.changedAt ?? 0, outcomeTime(recorded))
  }
}

function outcomeTime({ timeline }: RecordedChange): number {
  const last = timeline.at(-1)
  return last?.step === 'outcome' ? Date.parse(last.at) : Number.POSITIVE_INFINITY
}

/** Secrets in an object that several runs removed and added again. */
function secretsReadded(fields: ReadonlyMap<Pointer, UndoneField>): Pointer[] {
  return [...fields].flatMap(([pointer, { before, after }]) => {
    if (!isObject(before) || !isObject(after)) return []
    return lostSecrets(withValueAt({}, pointer, before), withValueAt({}, pointer, after))
  })
}

function union(some: readonly Pointer[] = [], others: readonly Pointer[]): Pointer[] {
  return [...new Set([...some, ...others])].sort(byCodeUnit)
}

function fieldsOf(patch: readonly PatchOperation[]): [Pointer, UndoneField][] {
  const written = new Map(
    patch.flatMap(operation =>
      operation.op === 'add' || operation.op === 'replace'
        ? [[operation.path, operation.value]]
        : []
    )
  )
  return inverse(patch).flatMap((operation): [Pointer, UndoneField][] => {
    if (operation.op === 'test') return []
    const after = written.get(operation.path)
    const before = operation.op === 'remove' ? undefined : withUnknownSecrets(operation.value)
    return [[operation.path, { before, after: after && withUnknownSecrets(after) }]]
  })
}

/**
 * Merges a later change of a field into the earlier ones.
 *
 * | the earlier changes changed | the field goes back                                    |
 * |-----------------------------|--------------------------------------------------------|
 * | nothing of it               | to its value before this change                        |
 * | the same, or parts of it    | to their values before the earlier changes, if they stayed the same in between; else to those in between |
 * | an object that contains it  | with that object                                       |
 */
function addField(fields: Map<Pointer, UndoneField>, pointer: Pointer, field: UndoneField): void {
  let { before } = field
  for (const [other, earlier] of [...fields].filter(([at]) => overlap(at, pointer))) {
    if (pointer !== other && pointer.startsWith(other)) {
      const after = withValue(earlier.after, pointer.slice(other.length), field.after)
      fields.set(other, { ...earlier, after })
      return
    }
    const inner = other.slice(pointer.length)
    const between = before === undefined ? undefined : valueAt(before, inner)
    if (agreesBothWays(fieldAt(other), earlier.after, between, other))
      before = withValue(before, inner, earlier.before)
    fields.delete(other)
  }
  fields.set(pointer, { ...field, before })
}

/** Replaces the value at a pointer inside a value; an absent one becomes `null`. */
function withValue(whole: Value | undefined, at: Pointer, value: Value | undefined) {
  if (at === '') return value
  return withValueAt(isObject(whole) ? whole : {}, at, value ?? null)
}
