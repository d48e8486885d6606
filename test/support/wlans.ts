import fc, { type Arbitrary } from 'fast-check'
import { Secret } from '../../src/core/values/secret.ts'
import {
  isEmpty,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../src/core/values/value.ts'
import {
  type CaseOptions,
  empties,
  fullValue,
  hosts,
  joined,
  keyed,
  liveObject,
  objectOf,
  secretValues,
  someOf
} from './live-wlans.ts'
import { membersOf, type Shape, wlanShape } from './wlan-shapes.ts'

/** A live record and a declaration of some of its fields. */
export interface WlanCase {
  readonly live: ValueObject
  readonly declared: ValueObject
}

/** WLANs with fields of the schema's types, and declarations with similar values. */
export function wlanCases(options: CaseOptions = {}): Arbitrary<WlanCase> {
  return liveObject(wlanShape, options, 10)
    .map(fields => joined({ ssid: 'Corp' }, fields))
    .chain(live =>
      declaredObject(wlanShape, live, options, 8).map(declared => ({ live, declared }))
    )
}

function declaredValue(
  shape: Shape,
  live: Value | undefined,
  options: CaseOptions
): Arbitrary<Value> {
  if (options.equal) return equalValue(shape, live, options)
  const fresh = fullValue(shape, {}).map(asDeclared)
  const near = nearValue(shape, live, options)
  return fc.oneof(
    { weight: 4, arbitrary: near },
    { weight: 2, arbitrary: equalValue(shape, live, options) },
    { weight: 2, arbitrary: fresh },
    { weight: 1, arbitrary: empties }
  )
}

/** A value similar to the live one. */
function nearValue(shape: Shape, live: Value | undefined, options: CaseOptions): Arbitrary<Value> {
  if (shape.kind === 'object') {
    return declaredObject(shape, isObject(live) ? live : {}, options, 4)
  }
  if (shape.kind === 'list' && shape.field.key !== undefined && isList(live)) {
    return nearList(shape.each, shape.field.key, live, options)
  }
  return fullValue(shape, {}).map(asDeclared)
}

/** Some of the live elements, in any order, and possibly another one. */
function nearList(
  item: Shape,
  key: string,
  live: readonly Value[],
  options: CaseOptions
): Arbitrary<Value> {
  const taken = live.map(element => (isObject(element) ? member(element, key) : undefined))
  const unused = hosts.filter(name => !taken.includes(name))
  const kept = fc
    .shuffledSubarray([...live])
    .chain(elements =>
      fc.tuple(...elements.map(element => nearElement(item, key, element, options)))
    )
  const added = someOf(unused, 1).chain(names =>
    fc.tuple(...names.map(name => keyed(fullValue(item, {}).map(asDeclared), key, name)))
  )
  return fc.tuple(kept, added).map(([a, b]) => [...b, ...a])
}

function nearElement(
  item: Shape,
  key: string,
  live: Value,
  options: CaseOptions
): Arbitrary<Value> {
  if (!isObject(live)) return fc.constant(asDeclared(live))
  const name = member(live, key) ?? null
  return declaredObject(item, live, options, 3).map(fields => joined(fields, { [key]: name }))
}

function declaredObject(
  shape: Shape,
  live: ValueObject,
  options: CaseOptions,
  most: number
): Arbitrary<ValueObject> {
  const members = membersOf(shape)
  const present = Object.keys(live).filter(name => name !== '__proto__' && name !== 'constructor')
  const others = someOf([...members.keys()], 2)
  return fc.tuple(someOf(present, most), others).chain(([some, more]) =>
    objectOf([...new Set([...some, ...more])], name => {
      const below = members.get(name)
      if (below !== undefined) return declaredValue(below, member(live, name), options)
      const same = fc.constant(member(live, name) ?? null)
      return options.equal ? same : fc.oneof(same, fc.constant('new'))
    })
  )
}

// Equivalent forms

function equalValue(shape: Shape, live: Value | undefined, options: CaseOptions): Arbitrary<Value> {
  const { field } = shape
  if (field.secret && shape.kind !== 'list') return equalSecret(live, options)
  if (live === '' && field.emptyIsValue) return kept(live)
  if (isEmpty(live)) return field.emptyIsValue ? fc.constant(null) : empties
  switch (field.compare ?? shape.kind) {
    case 'set':
      return isList(live) ? fc.shuffledSubarray([...live], { minLength: live.length }) : kept(live)
    case 'loose':
      return typeof live === 'object' ? kept(live) : fc.constantFrom(...looseForms(live))
    case 'ignore-case':
      return fc.constantFrom(`${live}`.toLowerCase(), `${live}`.toUpperCase())
    case 'comma-list':
      return isList(live)
        ? fc.constantFrom<Value[]>(live, live.join(), live.join(', '))
        : kept(live)
    case 'object':
      return isObject(live)
        ? declaredObject(shape, live, { ...options, equal: true }, 4)
        : kept(live)
    case 'list':
      return isList(live) ? equalList(shape, live, options) : kept(live)
    default:
      return kept(live)
  }
}

/** Unchanged: in a map with free keys every entry counts, and each member of it. */
function kept(live: Value | undefined): Arbitrary<Value> {
  return fc.constant(asDeclared(live ?? null))
}

function looseForms(live: Value | undefined): Value[] {
  return /^\d+$/.test(`${live}`) ? [Number(live), `${live}`] : [live ?? null]
}

function equalList(shape: Shape, live: readonly Value[], options: CaseOptions): Arbitrary<Value> {
  const each = 'each' in shape ? shape.each : shape
  const { key } = shape.field
  const elements = live.map(element =>
    key === undefined
      ? equalValue(each, element, options)
      : nearElement(each, key, element, { ...options, equal: true })
  )
  return fc.tuple(...elements)
}

function equalSecret(live: Value | undefined, { hidden }: CaseOptions): Arbitrary<Value> {
  const known = live instanceof Secret && live.known && !live.empty
  if (known) {
    const unresolved = new Secret({ $env: 'WLAN_SECRET_UNSET' }, undefined)
    return fc.constantFrom(...[asDeclared(live), ...(hidden ? [unresolved] : [])])
  }
  return hidden ? fc.constantFrom(...secretValues.map(declaredSecret), null) : empties
}

/** A value as parsed from YAML: a secret with its own reference, and no masked one. */
function asDeclared(value: Value): Value {
  if (value instanceof Secret) return value.known ? declaredSecret(value.reveal()) : null
  if (isList(value)) return value.map(asDeclared)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__')
  return Object.fromEntries(entries.map(([name, below]) => [name, asDeclared(below)]))
}

function declaredSecret(value: string): Secret {
  return new Secret({ $env: `WLAN_SECRET_${secretValues.indexOf(value)}` }, value)
}
