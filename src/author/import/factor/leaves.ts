import { type Field, wlanField } from '../../../core/schema/field.ts'
import { child, type Pointer } from '../../../core/values/pointer.ts'
import {
  fromEntries,
  isList,
  isObject,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'

/** The values of a WLAN that are compared between sites, by pointer. */
export type Leaves = ReadonlyMap<Pointer, Value>

/**
 * The leaves of a WLAN's fields: scalars, secrets, and collections that compare as a whole. Other lists are
 * walked, so that a RADIUS server may vary in its address alone.
 */
export function leavesOf(fields: ValueObject): Leaves {
  const leaves = new Map<Pointer, Value>()
  mapLeaves(fields, (value, at) => {
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
  return fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      walk(inner, field.member(name), child(at, name), leaf)
    ])
  )
}

/** True for a place in a list, which an override replaces as a whole. */
export function isInList(at: Pointer): boolean {
  return /\/\d+(?:\/|$)/.test(at)
}
