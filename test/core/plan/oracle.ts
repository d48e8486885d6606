// The effect of an update on the service, and its expected result: an independent implementation without code
// of src/core/plan.
import { isDeepStrictEqual } from 'node:util'
import jsonPatch, { type Operation as JsonOperation } from 'fast-json-patch'
import { type Field, wlanField } from '../../../src/core/schema/field.ts'
import { type Pointer, steps } from '../../../src/core/values/pointer.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../../src/core/values/value.ts'
import { revealed } from './support.ts'

/** The documented service: a field in the body is replaced completely. */
export function replacing(live: ValueObject, body: ValueObject): ValueObject {
  return Object.fromEntries([...Object.entries(live), ...Object.entries(body)])
}

/** A service that merges objects, at any depth. */
export function merging(live: Value | undefined, body: Value): Value {
  if (!isObject(live) || !isObject(body)) return body
  const laid = Object.entries(body).map(([name, value]) => [
    name,
    merging(member(live, name), value)
  ])
  return Object.fromEntries([...Object.entries(live), ...laid])
}

/** The paths that differ from the former record although they are undeclared. */
export function disturbed(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  declared: Value | undefined,
  at: Pointer = ''
): Pointer[] {
  if (declared === undefined) {
    const [old, now] = [before, after].map(value => withoutNulls(revealed(value)))
    return isDeepStrictEqual(old, now) ? [] : [at]
  }
  if (isList(declared) && declared.some(isObject)) {
    const partner = (element: Value, place: number) => partnerOf(field, before, element, place)
    return declared.flatMap((element, place) => {
      const found = isList(after) ? after[place] : undefined
      return disturbed(field.item(), partner(element, place), found, element, `${at}/${place}`)
    })
  }
  if (!isObject(declared) || field.compare === 'whole') return []
  const [old, now] = [before, after].map(value => (isObject(value) ? value : {}))
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
  return [...names].flatMap(name =>
    disturbed(
      field.member(name),
      member(old ?? {}, name),
      member(now ?? {}, name),
      member(declared, name),
      `${at}/${name}`
    )
  )
}

/** The JSON value without members that are null, which equal absent ones. */
function withoutNulls(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutNulls)
  if (typeof json !== 'object' || json === null) return json ?? undefined
  const members = Object.entries(json).filter(([, value]) => value !== null)
  return Object.fromEntries(members.map(([name, value]) => [name, withoutNulls(value)]))
}

function partnerOf(field: Field, list: Value | undefined, element: Value, place: number) {
  const { key } = field
  if (!isList(list)) return undefined
  if (key === undefined) return list[place]
  return list.find(
    candidate => isObject(candidate) && isObject(element) && candidate[key] === element[key]
  )
}

/**
 * The paths that a record loses, apart from nulls, which equal absent members. Only maps with free keys can lose entries,
 * and objects the fields that a declared null removes: elsewhere a body is complete, and a loss throws. A service that merges
 * cannot remove either.
 */
export function losses(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer = '',
  inMap = false
): Pointer[] {
  if (!isObject(before) || !isObject(after)) return []
  const whole = inMap || field.compare === 'whole'
  return Object.keys(before).flatMap(name => {
    if (Object.hasOwn(after, name)) {
      return losses(field.member(name), before[name], after[name], `${at}/${name}`, whole)
    }
    if (field.compare !== 'whole' && before[name] === null) return []
    if (!whole && !field.member(name).nullRemoves) throw new Error(`${at}/${name} is lost`)
    return [`${at}/${name}`]
  })
}

/** The value without empty members. */
export function essential(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essential)
  if (typeof value !== 'object' || value === null) return value === '' ? null : value
  const entries = Object.entries(value).map(([name, below]) => [name, essential(below)] as const)
  const full = entries.filter(([, below]) => !isDeepStrictEqual(below, null) && !isBare(below))
  return Object.fromEntries(full)
}

/** The record without documented defaults, which equal absent values. */
export function withoutDefaults(value: unknown, field: Field = wlanField): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([name, below]) => {
    const { default: documented, compare } = field.member(name)
    const usual = documented ?? (name === 'enabled' ? false : undefined)
    if (usual === undefined) return true
    return compare === 'loose' ? `${usual}` !== `${below}` : !isDeepStrictEqual(usual, below)
  })
  return Object.fromEntries(
    entries.map(([name, below]) => [name, withoutDefaults(below, field.member(name))])
  )
}

function isBare(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Applies a patch to a record, each value written by `write` first. */
export function patched(
  record: ValueObject,
  patch: readonly object[],
  write: (value: Value) => unknown
) {
  const document = write(record)
  const operations = patch.map(operation => {
    const entries = Object.entries(operation).map(([name, value]) => [name, write(value)])
    return Object.fromEntries(entries) as JsonOperation
  })
  return jsonPatch.applyPatch(document, operations, true, false).newDocument
}

/** The value with its secrets as text, to compare them by value. */
export function asText(value: Value): unknown {
  if (value instanceof Secret) return `secret ${value.reveal()}`
  if (isList(value)) return value.map(asText)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, asText(below)]))
}

/** The value of a record at a path. */
export function at(value: Value, pointer: Pointer): Value | undefined {
  return steps(pointer).reduce<Value | undefined>(
    (below, step) => (isObject(below) ? member(below, step) : undefined),
    value
  )
}
