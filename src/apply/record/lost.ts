import { child, type Pointer } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../model/value.ts'
import { partnersOf } from '../../plan/overlay.ts'
import { type Field, wlanField } from '../../schema/field.ts'

/**
 * The secrets that an update replaces or takes away, as far as can be told: those that the service
 * hides count. A record has no secrets in it, so they cannot be restored from there.
 *
 * | before              | sent                        | lost                                     |
 * |---------------------|-----------------------------|------------------------------------------|
 * | any                 | the same, or the live one   | no                                       |
 * | one, or a hidden one | another, or none            | yes                                      |
 * | none                | one                         | yes: the service may have hidden it; no, where all around it is new |
 */
export function lostSecrets(before: ValueObject, body: ValueObject): Pointer[] {
  return Object.entries(body).flatMap(([name, after]) =>
    lost(wlanField.member(name), member(before, name), after, child('', name))
  )
}

function lost(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer
): Pointer[] {
  if (after instanceof Secret || before instanceof Secret) return isKept(before, after) ? [] : [at]
  if (isList(before)) return lostInList(field, before, isList(after) ? after : [], at)
  if (!isObject(before)) return []
  const others = isObject(after) ? after : {}
  return [...new Set([...Object.keys(before), ...Object.keys(others)])].flatMap(name =>
    lost(field.member(name), member(before, name), member(others, name), child(at, name))
  )
}

function isKept(before: Value | undefined, after: Value | undefined): boolean {
  if (!(after instanceof Secret)) return before instanceof Secret && before.empty
  if ('$live' in after.reference) return true
  return before instanceof Secret && before.equals(after)
}

/** An element that is new brings its own secrets and takes no other's. */
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
    lost(field.item(), element, partners[place], child(at, place))
  )
}
