import jsonPatch from 'fast-json-patch'
import { byCodeUnit } from '../model/collections.ts'
import type { PatchOperation } from '../model/plan.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import {
  canonical,
  isEmpty,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../model/value.ts'
import type { Field } from '../schema/field.ts'
import { wlanField } from '../schema/field.ts'
import { agrees, type Comparison, isSame } from './agree.ts'
import { overlay } from './overlay.ts'

/** What differs between the declared fields and the live record. */
export interface Difference {
  /** Sorted by path. Every `replace` follows a `test` of what it replaces, but for secrets. */
  readonly patch: readonly PatchOperation[]
  /** Declared secrets that could not be compared, sorted. */
  readonly notCompared: readonly Pointer[]
}

/** One list for all that have none. */
const NONE: readonly Pointer[] = []

/**
 * Compares each declared field with the live one. Live members that nobody declared are not looked
 * at. The planner, the verification and the drift check all ask this one function.
 */
export function diff(declared: ValueObject, live: ValueObject): Difference {
  const leaves = new Leaves()
  const comparison: Comparison = { notCompared: [] }
  const projection = project(wlanField, live, declared, '', comparison, leaves)
  return {
    patch: projection === undefined ? [] : operations(projection, leaves),
    notCompared:
      comparison.notCompared.length === 0 ? NONE : comparison.notCompared.sort(byCodeUnit)
  }
}

/** The differing leaves of both sides, in the shape of the declared objects that hold any. */
interface Projection {
  readonly before: Tree
  readonly after: Tree
}

interface Tree {
  [member: string]: Tree | string
}

/** Undefined where nothing differs, as in nearly all that is looked at. */
function project(
  field: Field,
  live: ValueObject,
  declared: ValueObject,
  at: Pointer,
  comparison: Comparison,
  leaves: Leaves
): Projection | undefined {
  let projection: Projection | undefined
  for (const name of Object.keys(declared)) {
    const value = declared[name] ?? null
    const liveValue = member(live, name)
    if (isSame(liveValue, value)) continue
    const memberField = field.member(name)
    const pointer = child(at, name)
    if (isObject(value) && isObject(liveValue) && memberField.compare !== 'whole') {
      const below = project(memberField, liveValue, value, pointer, comparison, leaves)
      if (below === undefined) continue
      projection ??= { before: {}, after: {} }
      projection.before[name] = below.before
      projection.after[name] = below.after
    } else if (!agrees(memberField, liveValue, value, pointer, comparison)) {
      projection ??= { before: {}, after: {} }
      if (liveValue !== undefined) projection.before[name] = leaves.hold(liveValue)
      projection.after[name] = leaves.hold(overlay(memberField, liveValue, value))
    }
  }
  return projection
}

/**
 * Values that a patch replaces whole. `fast-json-patch` sees a name in their stead: it would edit
 * lists by index, and it must not see a secret.
 */
class Leaves {
  readonly #values: Value[] = []

  hold(value: Value): string {
    return String(this.#values.push(value) - 1)
  }

  take(name: unknown): Value {
    return this.#values[Number(name)] ?? null
  }
}

function operations({ before, after }: Projection, leaves: Leaves): PatchOperation[] {
  return jsonPatch
    .compare(before, after, true)
    .flatMap(operation => {
      if (operation.op !== 'test' && operation.op !== 'add' && operation.op !== 'replace') {
        throw new Error(`a projection cannot lead to the operation ${operation.op}`)
      }
      const value = canonical(leaves.take(operation.value))
      // The old value of a secret is nobody's to show, and a test of it would prove nothing.
      if (operation.op === 'test' && value instanceof Secret) return []
      return [{ op: operation.op, path: operation.path, value }]
    })
    .sort((a, b) => byCodeUnit(a.path, b.path) || byCodeUnit(b.op, a.op))
}

/** The patch that undoes a patch: what was added goes, what was replaced comes back. */
export function inverse(patch: readonly PatchOperation[]): PatchOperation[] {
  const replaced = new Map(
    patch.flatMap(operation => (operation.op === 'test' ? [[operation.path, operation]] : []))
  )
  return patch.flatMap((operation): PatchOperation[] => {
    if (operation.op === 'add') return [{ op: 'remove', path: operation.path }]
    const old = replaced.get(operation.path)
    if (operation.op !== 'replace' || old === undefined) return []
    return [
      { op: 'test', path: operation.path, value: operation.value },
      { op: 'replace', path: operation.path, value: old.value }
    ]
  })
}

/**
 * The pointers at which two whole records differ, read-only fields aside: what moved although
 * nobody asked for it, where `expected` is the record with the change laid over it.
 */
export function moved(expected: ValueObject, found: ValueObject): Pointer[] {
  return movedBelow(wlanField, expected, found, '').sort(byCodeUnit)
}

function movedBelow(
  field: Field,
  expected: Value | undefined,
  found: Value | undefined,
  at: Pointer
): Pointer[] {
  if (field.readOnly || (isEmpty(expected) && isEmpty(found))) return []
  if (field.compare === 'whole' || !isObject(expected) || !(isObject(found) || isEmpty(found))) {
    return sameBothWays(field, expected ?? null, found ?? null) ? [] : [at]
  }
  const other = isObject(found) ? found : {}
  const names = new Set([...Object.keys(expected), ...Object.keys(other)])
  return [...names].flatMap(name =>
    movedBelow(field.member(name), member(expected, name), member(other, name), child(at, name))
  )
}

/** A declared list of objects is content with less than the live one; a whole record is not. */
function sameBothWays(field: Field, a: Value, b: Value): boolean {
  const comparison: Comparison = { notCompared: [] }
  return agrees(field, a, b, '', comparison) && agrees(field, b, a, '', comparison)
}
