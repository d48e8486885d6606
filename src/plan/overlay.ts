import type { Field } from '../fields/field.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { agrees } from './agree.ts'
import { fromEntries } from './canonical.ts'

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
  return live instanceof Secret && !live.known
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
  const partners = partnersOf(field, isList(live) ? live : [])
  return declared.map((element, place) => overlay(field.item(), partners(element, place), element))
}

/**
 * Finds the live element that a declared one is laid over; each is given away once. Of several with
 * the same key it is the one that is already as declared.
 */
export function partnersOf(
  field: Field,
  live: readonly Value[]
): (element: Value, place: number) => Value | undefined {
  const { key } = field
  if (key === undefined) return (_, place) => live[place]
  const left = new Set(live)
  return element => {
    const name = isObject(element) ? member(element, key) : undefined
    const namesakes = [...left].filter(
      candidate => isObject(candidate) && name !== undefined && member(candidate, key) === name
    )
    const partner =
      namesakes.find(candidate =>
        agrees(field.item(), candidate, element, '', { notCompared: [] })
      ) ?? namesakes[0]
    if (partner !== undefined) left.delete(partner)
    return partner
  }
}
