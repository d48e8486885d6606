import { type Field, wlanField } from '../schema/field.ts'
import { groupBy } from '../values/collections.ts'
import { child, type Pointer } from '../values/pointer.ts'
import { isServiceVariable, Secret } from '../values/secret.ts'
import {
  below,
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../values/value.ts'
import { agrees } from './agree.ts'

/**
 * Merges the declared value into the live one.
 *
 * Values that agree keep their live notation, unless it is null, and except for secrets: a declared secret is sent by its own
 * reference, and the mask of a hidden one is never sent if a value is declared. Undeclared members are kept
 * at any depth, also in lists of objects: each declared element is merged into the live one with the same
 * `key`, or into the one at its index if the schema has no key.
 */
export function overlay(field: Field, live: Value | undefined, declared: Value): Value {
  if (isDeclaredSecret(field, declared) || isHidden(live)) return declared
  if (isObject(declared) && field.compare !== 'whole') return overlayObject(field, live, declared)
  if (isList(declared) && (field.item().secret || declared.some(isObject))) {
    return overlayList(field, live, declared)
  }
  return !isNothing(live) && agrees(field, live, declared) ? live : declared
}

/**
 * The value of a field in an update: the declared one over the live one, without the members that a declared null removes,
 * and those that are null live and that no file declares. The service treats them as absent, and may refuse a null that it
 * returns itself. In a map that is compared as a whole, a name is a value even if it has null.
 */
export function valueToSend(
  field: Field,
  live: Value | undefined,
  declared: Value | undefined
): Value {
  return withoutNulls(
    field,
    overlay(field, live, declared === undefined ? (live ?? null) : declared),
    declared
  )
}

function withoutNulls(field: Field, value: Value, declared: Value | undefined): Value {
  if (isList(value)) {
    return value.map((each, at) => withoutNulls(field.item(), each, below(declared, String(at))))
  }
  if (!isObject(value)) return value
  const isSent = (name: string) =>
    value[name] !== null ||
    field.compare === 'whole' ||
    (below(declared, name) !== undefined && !field.member(name).nullRemoves)
  return fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      isSent(name) ? [[name, withoutNulls(field.member(name), each, below(declared, name))]] : []
    )
  )
}

/** True for an object whose members are merged one by one. */
export function isMerged(field: Field, value: Value | undefined): value is ValueObject {
  return isObject(value) && field.compare !== 'whole' && Object.keys(value).length > 0
}

/** The pointers of the values of a field that are merged separately; a list is one value. */
export function mergedPointers(value: Value | undefined, field: Field, at: Pointer): Pointer[] {
  if (!isMerged(field, value)) return [at]
  return Object.entries(value).flatMap(([name, below]) =>
    mergedPointers(below, field.member(name), child(at, name))
  )
}

function isNothing(value: Value | undefined): value is null | undefined {
  return value === undefined || value === null
}

function isDeclaredSecret(field: Field, declared: Value): boolean {
  return declared instanceof Secret || (field.secret && isServiceVariable(declared))
}

function isHidden(live: Value | undefined): boolean {
  return live instanceof Secret && live.hidden
}

/** The declared fields of a WLAN, each merged into the live one, and the other live fields unchanged. */
export function overlayWlan(live: ValueObject, declared: ValueObject): ValueObject {
  return overlayObject(wlanField, live, declared)
}

function overlayObject(field: Field, live: Value | undefined, declared: ValueObject): ValueObject {
  const before = isObject(live) ? live : {}
  const merged = Object.entries(declared).map(
    ([name, value]) => [name, overlay(field.member(name), member(before, name), value)] as const
  )
  return fromEntries([...Object.entries(before), ...merged])
}

function overlayList(
  field: Field,
  live: Value | undefined,
  declared: readonly Value[]
): readonly Value[] {
  const partners = partnersOf(field, isList(live) ? live : [], declared)
  return declared.map((element, place) => overlay(field.item(), partners[place], element))
}

/** The number of live elements with the same key to compare; further ones are used in order. */
const MAX_NAMESAKES = 50

/** A live element for each declared one, used once; with equal keys, those that agree go first. */
export function partnersOf(
  field: Field,
  live: readonly Value[],
  declared: readonly Value[]
): readonly (Value | undefined)[] {
  const { key } = field
  if (key === undefined) return declared.map((_, place) => live[place])
  const nameOf = (element: Value) => (isObject(element) ? member(element, key) : undefined)
  const left = groupBy(live, nameOf)
  left.delete(undefined)
  const take = (element: Value, fits: (candidate: Value) => boolean) => {
    const namesakes = left.get(nameOf(element)) ?? []
    const place = namesakes.slice(0, MAX_NAMESAKES).findIndex(fits)
    return place === -1 ? undefined : namesakes.splice(place, 1)[0]
  }
  const agreeing = declared.map(element =>
    take(element, candidate => agrees(field.item(), candidate, element))
  )
  return declared.map((element, place) => agreeing[place] ?? take(element, () => true))
}
