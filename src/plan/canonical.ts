import { byCodeUnit } from '../model/identity.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'

/** The same value with the members of every object in one order: equal values, equal bytes. */
export function canonical<V extends Value>(value: V): V
export function canonical(value: Value): Value {
  if (isList(value)) return value.map(element => canonical(element))
  if (!isObject(value)) return value
  return fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([name, member]) => [name, canonical(member)])
  )
}

/**
 * `Object.fromEntries`, typed. It defines own properties, so that a member of a live record that is
 * named `__proto__` stays data.
 */
export function fromEntries(entries: Iterable<readonly [string, Value]>): ValueObject {
  return Object.fromEntries(entries) as ValueObject
}
