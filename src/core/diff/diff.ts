import jsonPatch from 'fast-json-patch'
import type { PatchOperation, SecretState } from '../model/plan.ts'
import { type Field, fieldIn, wlanField } from '../schema/field.ts'
import { secretsShownIn } from '../schema/shown-secrets.ts'
import { byCodeUnit } from '../values/collections.ts'
import { child, type Pointer, topLevelField } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import {
  canonical,
  isEmpty,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../values/value.ts'
import { agrees, agreesBothWays, type Comparison, isAbsent, isIdentical } from './agree.ts'
import { valueToSend } from './overlay.ts'
import { type SecretStates, type ShownSecrets, secretStatesOf } from './secret-states.ts'

export interface FieldDifferences {
  /** Sorted by path. Each `replace` follows a `test` of the old value, except for secrets. */
  readonly patch: readonly PatchOperation[]
  /** Declared secrets that could not be compared, sorted. */
  readonly notCompared: readonly Pointer[]
  /** The states of secrets that are not `same` or lie in a changed field; absent without any. */
  readonly secrets?: SecretStates
}

/**
 * Compares each declared field with the live one, and ignores undeclared live members, for planner,
 * verification and drift. By default, an empty live secret is unset if `live` shows another one.
 */
export function diff(
  declared: ValueObject,
  live: ValueObject,
  options: ShownSecrets = {}
): FieldDifferences {
  const leaves = new Leaves()
  const secretOptions = { secretsShown: secretsShownIn([live]), ...options }
  const comparison: Comparison = { notCompared: [], ...secretOptions }
  const projection = project(wlanField, live, declared, '', comparison, leaves)
  const patch = projection === undefined ? [] : operations(projection, leaves)
  if (patch.length === 0 && comparison.notCompared.length === 0) return { patch, notCompared: [] }
  const states = secretStatesOf(declared, live, secretOptions)
  return { patch, ...secretParts(states, patch) }
}

function secretParts(
  states: ReadonlyMap<Pointer, SecretState>,
  patch: readonly PatchOperation[]
): Omit<FieldDifferences, 'patch'> {
  const sent = new Set(patch.map(({ path }) => topLevelField(path)))
  const secrets = [...states]
    .filter(([pointer, state]) => state !== 'same' || sent.has(topLevelField(pointer)))
    .sort(([a], [b]) => byCodeUnit(a, b))
  if (secrets.length === 0) return { notCompared: [] }
  const notCompared = secrets.flatMap(([pointer, state]) => (state === 'unknown' ? pointer : []))
  return { notCompared, secrets: Object.fromEntries(secrets) }
}

interface Projection {
  readonly before: Tree
  readonly after: Tree
}

interface Tree {
  [member: string]: Tree | string
}

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
    if (isIdentical(liveValue, value)) continue
    const memberField = fieldIn(field.member(name), live)
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
      projection.after[name] = leaves.hold(valueToSend(memberField, liveValue, value))
    }
  }
  return projection
}

/** Puts indexes in place of whole values: `fast-json-patch` must see no list and no secret. */
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
        throw new Error(`a projection cannot give the operation ${operation.op}`)
      }
      const value = canonical(leaves.take(operation.value))
      // The old value of a secret must not be shown, and a test of its reference would be useless.
      if (operation.op === 'test' && value instanceof Secret) return []
      return [{ op: operation.op, path: operation.path, value }]
    })
    .sort((a, b) => byCodeUnit(a.path, b.path) || byCodeUnit(b.op, a.op))
}

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

/** Where records differ, read-only fields aside: side effects if `expected` includes the change. */
export function changedPointers(expected: ValueObject, found: ValueObject): Pointer[] {
  return changedBelow(wlanField, expected, found, '').sort(byCodeUnit)
}

function changedBelow(
  field: Field,
  expected: Value | undefined,
  found: Value | undefined,
  at: Pointer
): Pointer[] {
  if (field.readOnly || (isAbsent(field, expected) && isAbsent(field, found))) return []
  if (field.compare === 'whole' || !isObject(expected) || !(isObject(found) || isEmpty(found))) {
    return agreesBothWays(field, expected, found, at) ? [] : [at]
  }
  const other = isObject(found) ? found : {}
  const names = new Set([...Object.keys(expected), ...Object.keys(other)])
  return [...names].flatMap(name => {
    const own = fieldIn(field.member(name), expected, other)
    return changedBelow(own, member(expected, name), member(other, name), child(at, name))
  })
}
