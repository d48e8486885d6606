import { byCodeUnit } from '../model/identity.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'

/**
 * The same value with the members of every object in one order: equal values, equal bytes. What has them
 * so already, as most of what a file holds, is given back as it is.
 */
export function canonical<V extends Value>(value: V): V
export function canonical(value: Value): Value {
  if (isList(value)) {
    const elements = value.map(element => canonical(element))
    return elements.every((element, place) => element === value[place]) ? value : elements
  }
  if (!isObject(value)) return value
  const names = Object.keys(value)
  let same = names.every((name, place) => place === 0 || (names[place - 1] ?? '') < name)
  const members = names.map(name => {
    const member = canonical(value[name] ?? null)
    if (member !== value[name]) same = false
    return [name, member] as const
  })
  return same ? value : fromEntries(members.sort(([a], [b]) => byCodeUnit(a, b)))
}

/**
 * `Object.fromEntries`, typed. It defines own properties, so that a member of a live record that is
 * named `__proto__` stays data.
 */
export function fromEntries(entries: Iterable<readonly [string, Value]>): ValueObject {
  return Object.fromEntries(entries) as ValueObject
}
