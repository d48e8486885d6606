import { partnersOf } from '../../core/diff/overlay.ts'
import { type Field, wlanField } from '../../core/schema/field.ts'
import { objectOf } from '../../core/values/collections.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { isServiceVariable, Secret } from '../../core/values/secret.ts'
import {
  holdsSecret,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../core/values/value.ts'

/**
 * The value to declare for a field so that it changes from `after` back to `before`; undefined if no value
 * can do that. A declaration is merged over the live value, so it also names the members to remove.
 *
 * | before                | after    | declared                                                   |
 * |-----------------------|----------|------------------------------------------------------------|
 * | absent                | anything | `null`                                                     |
 * | a secret, or absent and now one | | nothing: the live one stays; a variable of the service is not a secret |
 * | an object             | anything | each member by this table                                  |
 * | a list of objects     | a list   | all of its elements, each over the one with the same key   |
 * | anything else         | anything | the value before                                           |
 */
export function restoredValue(
  field: Field,
  before: Value | undefined,
  after: Value | undefined
): Value | undefined {
  if (isSecret(field, before) || isSecret(field, after)) return undefined
  if (before === undefined) return null
  if (field.compare === 'whole') return holdsSecret(before) ? undefined : before
  if (isList(before)) return restoredList(field, before, isList(after) ? after : [])
  if (!isObject(before)) return before
  const others = isObject(after) ? after : {}
  const names = new Set([...Object.keys(before), ...Object.keys(others)])
  return objectOf(names, name =>
    restoredValue(field.member(name), member(before, name), member(others, name))
  )
}

function isSecret(field: Field, value: Value | undefined): boolean {
  return value instanceof Secret || (field.secret && !isList(value) && !isServiceVariable(value))
}

/** A list of secrets cannot be restored, unless all of its elements are variables of the service. */
function restoredList(
  field: Field,
  before: readonly Value[],
  after: readonly Value[]
): Value | undefined {
  if (field.item().secret) {
    return [...before, ...after].every(isServiceVariable) ? before : undefined
  }
  const partners = partnersOf(field, after, before)
  const elements = before.map((element, place) =>
    restoredValue(field.item(), element, partners[place])
  )
  return elements.some(element => element === undefined) ? undefined : (elements as Value[])
}

/**
 * The secrets that an update replaces or removes, as far as is known; hidden ones count. A record contains no
 * secrets, so these cannot be restored from it.
 *
 * | before              | sent                        | lost                                     |
 * |---------------------|-----------------------------|------------------------------------------|
 * | any                 | the same, or the live one   | no                                       |
 * | one, or a hidden one | another, or none            | yes                                      |
 * | none                | one                         | yes: the service may have hidden it; no, if its parent is new |
 */
export function lostSecrets(before: ValueObject, body: ValueObject): Pointer[] {
  return Object.entries(body).flatMap(([name, after]) =>
    lostIn(wlanField.member(name), member(before, name), after, child('', name))
  )
}

function lostIn(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer
): Pointer[] {
  if ([before, after].some(each => each instanceof Secret || isServiceVariable(each))) {
    return isKept(before, after) ? [] : [at]
  }
  if (isList(before)) return lostInList(field, before, isList(after) ? after : [], at)
  if (!isObject(before)) return []
  const others = isObject(after) ? after : {}
  return [...new Set([...Object.keys(before), ...Object.keys(others)])].flatMap(name =>
    lostIn(field.member(name), member(before, name), member(others, name), child(at, name))
  )
}

function isKept(before: Value | undefined, after: Value | undefined): boolean {
  if (isServiceVariable(before) && !(after instanceof Secret)) return true
  if (isServiceVariable(after)) return false
  if (!(after instanceof Secret)) return before instanceof Secret && before.empty
  if ('$live' in after.reference) return true
  return before instanceof Secret && before.equals(after)
}

/** A new element has secrets of its own and replaces none. */
function lostInList(
  field: Field,
  before: readonly Value[],
  after: readonly Value[],
  at: Pointer
): Pointer[] {
  if (field.item().secret) {
    const kept = before.length <= after.length && after.every((s, n) => isKept(before[n], s))
    return kept ? [] : [at]
  }
  const partners = partnersOf(field, after, before)
  return before.flatMap((element, place) =>
    lostIn(field.item(), element, partners[place], child(at, place))
  )
}
