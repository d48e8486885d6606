import { type Field, wlanField } from '../../../core/schema/field.ts'
import { child, type Pointer } from '../../../core/values/pointer.ts'
import {
  isEmpty,
  isList,
  isObject,
  mapMembers,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'

/**
 * The values of a WLAN that are compared between sites, by pointer: scalars, secrets, and collections that compare as a whole.
 * Other lists are walked, so that a RADIUS server may vary in its address alone.
 */
export function leavesOf(fields: ValueObject): ReadonlyMap<Pointer, Value> {
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
  const walk = (value: Value, field: Field, at: Pointer): Value => {
    const isWhole = field.compare !== undefined || isEmpty(value)
    if (!isWhole && isList(value)) {
      return value.map((item, place) => walk(item, field.item(), child(at, place)))
    }
    if (isWhole || !isObject(value)) return leaf(value, at)
    return mapMembers(value, (inner, name) => walk(inner, field.member(name), child(at, name)))
  }
  return walk(fields, wlanField, '') as ValueObject
}

/** True for a place in a list, which an override replaces as a whole. */
export function isInList(at: Pointer): boolean {
  return /\/\d+(?:\/|$)/.test(at)
}
