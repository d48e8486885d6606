import fc, { type Arbitrary } from 'fast-check'
import type { Field } from '../../src/core/schema/field.ts'
import { Secret } from '../../src/core/values/secret.ts'
import { isObject, type Value, type ValueObject } from '../../src/core/values/value.ts'
import { membersOf, type Shape } from './wlan-shapes.ts'

/** The options of a generated case. */
export interface CaseOptions {
  /** Every declared value is equivalent to the live one, in any form. */
  readonly equal?: true
  /** The service masks some secrets, and some references are not resolved. */
  readonly hidden?: true
}

/** The prefix of every known secret value, to search for it. */
export const SECRET_MARK = 'hush-'

/** Values that are equivalent to an absent one. */
export const empties = fc.constantFrom<Value[]>(null, '', [], {})
export const secretValues = Array.from({ length: 6 }, (_, n) => `${SECRET_MARK}${n}${n}${n}${n}`)
const hidings = ['********', 'te*****23', '']
export const hosts = ['a.example', 'b.example', 'c.example', 'd.example']
const freeKeys = ['a', 'b', '10', '20', 'x/y~z']
const strangers = ['x_new', 'toString', 'constructor', '__proto__', 'x/y~z']
const strange = fc.constantFrom<Value[]>(0, 'old', true, null, [1, 'a'], { a: 1, b: { c: [{}] } })

function liveValue(shape: Shape, options: CaseOptions): Arbitrary<Value> {
  return fc.oneof(
    { weight: 1, arbitrary: empties },
    { weight: 9, arbitrary: fullValue(shape, options) }
  )
}

export function fullValue(shape: Shape, options: CaseOptions): Arbitrary<Value> {
  const { field } = shape
  if (field.secret && shape.kind !== 'list') return liveSecret(options)
  switch (shape.kind) {
    case 'object':
      return liveObject(shape, options, 5)
    case 'map':
      return someOf(freeKeys, 3).chain(keys => objectOf(keys, () => entry(shape.each, options)))
    case 'list':
      return liveList(shape.each, field, options)
    case 'boolean':
      return fc.boolean()
    case 'number':
      return field.compare === 'loose' ? looseNumber : fc.integer({ min: 0, max: 40 })
    case 'text':
      return fc.constantFrom('alpha', 'Alpha', '10', 'caf\u00e9', ...shape.choices)
  }
}

/** An entry of a map, without members that YAML cannot name. */
function entry(shape: Shape, options: CaseOptions): Arbitrary<Value> {
  return fullValue(shape, options).map(value => {
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'))
  })
}

const looseNumber = fc.integer({ min: 0, max: 40 }).chain(n => fc.constantFrom<Value[]>(n, `${n}`))

function liveSecret({ hidden }: CaseOptions): Arbitrary<Secret> {
  return fc.constantFrom(...secretValues, ...(hidden ? hidings : [])).map(text => Secret.live(text))
}

/** Some known and some unknown members. */
export function liveObject(
  shape: Shape,
  options: CaseOptions,
  most: number
): Arbitrary<ValueObject> {
  const members = membersOf(shape)
  const known = someOf([...members.keys()], most).chain(names =>
    objectOf(names, name => memberValue(members.get(name), options))
  )
  const unknown = someOf(strangers, 1).chain(names => objectOf(names, () => strange))
  return fc.tuple(known, unknown).map(([a, b]) => joined(a, b))
}

function memberValue(shape: Shape | undefined, options: CaseOptions): Arbitrary<Value> {
  return shape === undefined ? strange : liveValue(shape, options)
}

function liveList(item: Shape, { key }: Field, options: CaseOptions): Arbitrary<Value> {
  if (key === undefined) {
    return fc.uniqueArray(fullValue(item, options), {
      maxLength: 3,
      selector: value => (typeof value === 'object' ? {} : `${JSON.stringify(value)}`.toLowerCase())
    })
  }
  return fc
    .shuffledSubarray(hosts, { maxLength: 3 })
    .chain(names => fc.tuple(...names.map(name => keyed(fullValue(item, options), key, name))))
}

export function keyed(element: Arbitrary<Value>, key: string, name: string): Arbitrary<Value> {
  return element.map(value => (isObject(value) ? joined(value, { [key]: name }) : value))
}

export function someOf(names: readonly string[], most: number): Arbitrary<string[]> {
  return fc.subarray([...names], { maxLength: Math.min(most, names.length) })
}

export function objectOf(
  names: readonly string[],
  valueFor: (name: string) => Arbitrary<Value>
): Arbitrary<ValueObject> {
  return fc
    .tuple(...names.map(valueFor))
    .map(values => Object.fromEntries(names.map((name, place) => [name, values[place] ?? null])))
}

/** Both objects merged; `__proto__` stays an own member. */
export function joined(a: ValueObject, b: ValueObject): ValueObject {
  return Object.fromEntries([...Object.entries(a), ...Object.entries(b)])
}
