import type { Field } from '../fields/field.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { agrees } from './agree.ts'
import { fromEntries } from './canonical.ts'

/**
 * The live value with the declared members laid over it: what is sent.
 *
 * What already agrees stays as the service wrote it. Members nobody declared survive, at any depth,
 * also in the elements of a list of objects: each declared element is laid over the live one with
 * the same `key`, or over the one at its place where the schema names no key.
 */
export function overlay(field: Field, live: Value | undefined, declared: Value): Value {
  if (declared instanceof Secret) return declared
  if (isObject(declared) && field.compare !== 'whole') return overlayObject(field, live, declared)
  if (live !== undefined && agrees(field, live, declared, '', { notCompared: [] })) return live
  if (isList(declared) && declared.some(isObject)) return overlayList(field, live, declared)
  return declared
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

/** Finds the live element that a declared one is laid over; each is given away once. */
function partnersOf(
  field: Field,
  live: readonly Value[]
): (element: Value, place: number) => Value | undefined {
  const { key } = field
  if (key === undefined) return (_, place) => live[place]
  const left = new Set(live)
  return element => {
    const name = isObject(element) ? member(element, key) : undefined
    const partner = [...left].find(
      candidate => isObject(candidate) && name !== undefined && member(candidate, key) === name
    )
    if (partner !== undefined) left.delete(partner)
    return partner
  }
}
