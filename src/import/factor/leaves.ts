import { child, type Pointer } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'

/** The smallest parts of a WLAN that are compared from site to site, by place. */
export type Leaves = ReadonlyMap<Pointer, Value>

/**
 * The leaves of a WLAN's fields: scalars, secrets, and what counts as one value. A list without such a
 * rule is walked, so that a RADIUS server may vary in its address alone.
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

/** The same for the same value, types told apart; an unknown secret is like no other. */
export function comparisonKey(value: Value): unknown {
  if (!(value instanceof Secret)) return JSON.stringify(value)
  return value.known ? `secret ${value.reveal()}` : value
}

/**
 * What has to be laid over `base` to make it `wanted`; undefined where that cannot be, since nothing
 * that is laid over another takes a member away.
 */
export function overridesFor(
  base: ValueObject,
  wanted: ValueObject,
  field: Field = wlanField
): ValueObject | undefined {
  const over: [string, Value][] = []
  if (Object.keys(base).some(name => !Object.hasOwn(wanted, name))) return undefined
  for (const [name, value] of Object.entries(wanted)) {
    const below = member(base, name)
    if (below === undefined) over.push([name, value])
    else if (isMerged(below, value, field.member(name))) {
      const inner = overridesFor(below as ValueObject, value as ValueObject, field.member(name))
      if (inner === undefined) return undefined
      if (Object.keys(inner).length > 0) over.push([name, inner])
    } else if (!equalValues(below, value)) over.push([name, value])
  }
  return Object.fromEntries(over)
}

/** True for what the loader lays over each other member by member. */
function isMerged(below: Value, above: Value, field: Field): boolean {
  return isObject(below) && isObject(above) && field.compare !== 'whole'
}

/** True for the same value, whatever the order of members. */
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
