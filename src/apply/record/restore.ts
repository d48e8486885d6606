import { Secret } from '../../model/secret.ts'
import {
  fromEntries,
  holdsSecret,
  isList,
  isObject,
  member,
  type Value
} from '../../model/value.ts'
import { partnersOf } from '../../plan/overlay.ts'
import type { Field } from '../../schema/field.ts'

/**
 * What has to be declared of a field so that it is again as it was `before`, where it is as `after`
 * now; undefined where nothing can be. A declaration is laid over what is live, so it names what has
 * to go, too.
 *
 * | before                | after    | declared                                                   |
 * |-----------------------|----------|------------------------------------------------------------|
 * | absent                | anything | `null`                                                     |
 * | a secret, or absent and now one | | nothing: the one that is live stays                      |
 * | an object             | anything | each member by this table                                  |
 * | a list of objects     | a list   | all of its elements, each over the one with the same key   |
 * | anything else         | anything | the value as it was                                        |
 */
export function restoring(
  field: Field,
  before: Value | undefined,
  after: Value | undefined
): Value | undefined {
  if (isSecret(field, before) || isSecret(field, after)) return undefined
  if (before === undefined) return null
  if (field.compare === 'whole') return holdsSecret(before) ? undefined : before
  if (isList(before)) return restoringList(field, before, isList(after) ? after : [])
  if (!isObject(before)) return before
  const others = isObject(after) ? after : {}
  const names = new Set([...Object.keys(before), ...Object.keys(others)])
  return fromEntries(
    [...names].flatMap(name => {
      const value = restoring(field.member(name), member(before, name), member(others, name))
      return value === undefined ? [] : [[name, value] as const]
    })
  )
}

function isSecret(field: Field, value: Value | undefined): boolean {
  return value instanceof Secret || (field.secret && !isList(value))
}

/** A list of secrets cannot be restored in part. */
function restoringList(
  field: Field,
  before: readonly Value[],
  after: readonly Value[]
): Value | undefined {
  if (field.item().secret) return undefined
  const partners = partnersOf(field, after, before)
  const elements = before.map((element, place) => restoring(field.item(), element, partners[place]))
  return elements.some(element => element === undefined) ? undefined : (elements as Value[])
}
