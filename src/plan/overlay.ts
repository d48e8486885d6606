import { Secret } from '../model/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../model/value.ts'
import type { Field } from '../schema/field.ts'
import { agrees } from './agree.ts'

/**
 * The live value with the declared members laid over it: what is sent.
 *
 * What already agrees stays as the service wrote it, but for secrets: a declared one is sent by its
 * own reference, and the mask of a hidden one is never sent where anything is declared. Members
 * nobody declared survive, at any depth, also in the elements of a list of objects: each declared
 * element is laid over the live one with the same `key`, or over the one at its place where the
 * schema names no key.
 */
export function overlay(field: Field, live: Value | undefined, declared: Value): Value {
  if (declared instanceof Secret || isHidden(live)) return declared
  if (isObject(declared) && field.compare !== 'whole') return overlayObject(field, live, declared)
  if (isList(declared) && (field.item().secret || declared.some(isObject))) {
    return overlayList(field, live, declared)
  }
  return live !== undefined && agrees(field, live, declared, '', { notCompared: [] })
    ? live
    : declared
}

function isHidden(live: Value | undefined): boolean {
  return live instanceof Secret && live.hidden
}

/** The members of `declared`, each laid over its live one, and the other live members as they are. */
export function overlayObject(
  field: Field,
  live: Value | undefined,
  declared: ValueObject
): ValueObject {
  const before = isObject(live) ? live : {}
  const laid = Object.entries(declared).map(
    ([name, value]) => [name, overlay(field.member(name), member(before, name), value)] as const
  )
  return fromEntries([...Object.entries(before), ...laid])
}

function overlayList(
  field: Field,
  live: Value | undefined,
  declared: readonly Value[]
): readonly Value[] {
  const partners = partnersOf(field, isList(live) ? live : [], declared)
  return declared.map((element, place) => overlay(field.item(), partners[place], element))
}

/** Of elements with the same key so many are held against a declared one; further ones are taken in turn. */
const MOST_NAMESAKES = 50

/**
 * The live element that each declared one is laid over; each is given away once. Where several have
 * the same key, those that are already as declared find each other first.
 */
export function partnersOf(
  field: Field,
  live: readonly Value[],
  declared: readonly Value[]
): readonly (Value | undefined)[] {
  const { key } = field
  if (key === undefined) return declared.map((_, place) => live[place])
  const nameOf = (element: Value) => (isObject(element) ? member(element, key) : undefined)
  const left = new Map(live.map(element => [nameOf(element), [] as Value[]]))
  for (const element of live) left.get(nameOf(element))?.push(element)
  left.delete(undefined)
  const take = (element: Value, fits: (candidate: Value) => boolean) => {
    const namesakes = left.get(nameOf(element)) ?? []
    const place = namesakes.slice(0, MOST_NAMESAKES).findIndex(fits)
    return place === -1 ? undefined : namesakes.splice(place, 1)[0]
  }
  const agreeing = declared.map(element =>
    take(element, candidate => agrees(field.item(), candidate, element, '', { notCompared: [] }))
  )
  return declared.map((element, place) => agreeing[place] ?? take(element, () => true))
}
