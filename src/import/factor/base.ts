import { groupBy } from '../../model/collections.ts'
import {
  fromEntries,
  holdsSecret,
  isObject,
  type Value,
  type ValueObject
} from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'

/** The minimum number of profiles for a base. */
const MIN_PROFILES = 3

/** The maximum share of profiles with another value than the base. */
const MAX_EXCEPTIONS = 0.25

/**
 * The fields that all profiles have, with the value of most of them: a profile that they may all extend.
 * Undefined if there are few profiles, or none of their fields is alike. Values with secrets or references, and
 * SSIDs, stay in their profiles.
 */
export function baseOf(profiles: readonly ValueObject[]): ValueObject | undefined {
  if (profiles.length < MIN_PROFILES) return undefined
  const { ssid: _, ...base } = commonMembers(profiles, wlanField)
  return Object.keys(base).length === 0 ? undefined : base
}

function commonMembers(objects: readonly ValueObject[], field: Field): ValueObject {
  const [first = {}, ...others] = objects
  const names = Object.keys(first).filter(name => others.every(each => Object.hasOwn(each, name)))
  const members = names.flatMap((name): [string, Value][] => {
    const values = objects.map(object => object[name] ?? null)
    const common = commonValue(values, field.member(name))
    return common === undefined ? [] : [[name, common]]
  })
  return fromEntries(members)
}

function commonValue(values: readonly Value[], field: Field): Value | undefined {
  if (values.some(isReference)) return undefined
  if (field.compare === undefined && values.every(isObject)) {
    const common = commonMembers(values, field)
    return Object.keys(common).length === 0 ? undefined : common
  }
  if (values.some(holdsSecret)) return undefined
  const [most = []] = [...groupBy(values, value => JSON.stringify(value)).values()].sort(
    (a, b) => b.length - a.length
  )
  return most.length >= values.length * (1 - MAX_EXCEPTIONS) ? most[0] : undefined
}

function isReference(value: Value): boolean {
  return isObject(value) && Object.keys(value).some(name => name.startsWith('$'))
}
