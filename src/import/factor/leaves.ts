import { child, type Pointer } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'

/** The values of a WLAN that are compared between sites, by pointer. */
export type Leaves = ReadonlyMap<Pointer, Value>

/**
 * The leaves of a WLAN's fields: scalars, secrets, and collections that compare as a whole. Other lists are
 * walked, so that a RADIUS server may vary in its address alone.
 */
export function leavesOf(fields: ValueObject): Leaves {
  const leaves = new Map<Pointer, Value>()
  walk(fields, wlanField, '', (value, at) => {
    leaves.set(at, value)
    return value
  })
  return leaves
}

/** The same fields with other leaves. */
export function mapLeaves(
  fields: ValueObject,
  leaf: (value: Value, at: Pointer) => Value
): ValueObject {
  return walk(fields, wlanField, '', leaf) as ValueObject
}

function walk(
  value: Value,
  field: Field,
  at: Pointer,
  leaf: (value: Value, at: Pointer) => Value
): Value {
  if (field.compare === undefined && isList(value) && value.length > 0) {
    return value.map((item, place) => walk(item, field.item(), child(at, place), leaf))
  }
  if (field.compare !== undefined || !isObject(value) || Object.keys(value).length === 0) {
    return leaf(value, at)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      walk(inner, field.member(name), child(at, name), leaf)
    ])
  )
}

/** Equal for equal values of the same type; an unknown secret equals only itself. */
export function comparisonKey(value: Value): unknown {
  if (!(value instanceof Secret)) return JSON.stringify(value)
  return value.known ? `secret ${value.reveal()}` : value
}

/**
 * The fields that override `base` to give `wanted`. Undefined if `base` has a member that `wanted` lacks:
 * overrides cannot remove members.
 */
export function overridesFor(
  base: ValueObject,
  wanted: ValueObject,
  field: Field = wlanField
): ValueObject | undefined {
  const overrides: [string, Value][] = []
  if (Object.keys(base).some(name => !Object.hasOwn(wanted, name))) return undefined
  for (const [name, value] of Object.entries(wanted)) {
    const below = member(base, name)
    if (below === undefined) overrides.push([name, value])
    else if (isMerged(below, value, field.member(name))) {
      const inner = overridesFor(below as ValueObject, value as ValueObject, field.member(name))
      if (inner === undefined) return undefined
      if (Object.keys(inner).length > 0) overrides.push([name, inner])
    } else if (!equalValues(below, value)) overrides.push([name, value])
  }
  return Object.fromEntries(overrides)
}

/** True for objects that the loader merges member by member. */
function isMerged(below: Value, above: Value, field: Field): boolean {
  return isObject(below) && isObject(above) && field.compare !== 'whole'
}

/** True for equal values; the order of members does not matter. */
export function equalValues(a: Value, b: Value): boolean {
  if (a instanceof Secret || b instanceof Secret) {
    return a === b || (a instanceof Secret && b instanceof Secret && a.equals(b))
  }
  if (isList(a))
    return (
      isList(b) && a.length === b.length && a.every((item, n) => equalValues(item, b[n] ?? null))
    )
  if (!isObject(a)) return a === b
  const names = Object.keys(a)
  return (
    isObject(b) &&
    Object.keys(b).length === names.length &&
    names.every(name => Object.hasOwn(b, name) && equalValues(a[name] ?? null, b[name] ?? null))
  )
}
