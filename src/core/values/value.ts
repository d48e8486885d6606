import { byCodeUnit } from './collections.ts'
import { child, type Pointer, steps } from './pointer.ts'
import { Secret, type SecretReference } from './secret.ts'

/**
 * A value of a WLAN field: JSON whose leaves may also be secrets. A live record has a `Secret` in each secret
 * field of the schema, a desired WLAN in each place with a secret reference in the YAML.
 */
export type Value = null | boolean | number | string | Secret | readonly Value[] | ValueObject

/** Members are own properties; the prototype is never used. */
export interface ValueObject {
  readonly [member: string]: Value
}

/** True for a JSON object; false for a list, for which `typeof` says `object` as well. */
export function isJsonObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** True for an object of a value tree; false for null, a list, or a secret. */
export function isObject(value: Value | undefined): value is ValueObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Secret)
  )
}

/** The number that a text of digits stands for (`"40"`), which the service may store as either; otherwise the value. */
export function asNumber(value: Value): Value {
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value
}

/** A scalar as text, others as JSON: `String` throws if the service sends a member `toString`. */
export function valueText(value: Value | undefined): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Unlike `Array.isArray` it narrows readonly arrays. */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/**
 * True for the values that the service treats as absent: `null`, `""`, `[]`, `{}`, and a list of only `null`, `""`,
 * secrets that are not set, and objects of these, such as a server without any member. A declared empty value equals any of them, and an absent one.
 */
export function isEmpty(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  if (isList(value)) return value.every(isBlank)
  return isObject(value) && Object.keys(value).length === 0
}

function isBlank(item: Value): boolean {
  if (isObject(item)) return Object.values(item).every(isBlank)
  return item === null || item === '' || (item instanceof Secret && item.empty)
}

/** True for a secret that is empty or absent; a hidden one is present. */
export function isUnset(value: Value | undefined): boolean {
  return value instanceof Secret ? value.empty : isEmpty(value)
}

/** The own member of an object, or undefined; `constructor` and `__proto__` are ordinary names. */
export function member<V extends Value>(
  object: Readonly<Record<string, V>>,
  name: string
): V | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export function valueAt(value: Value, pointer: Pointer): Value | undefined {
  return steps(pointer).reduce<Value | undefined>(below, value)
}

export function below(value: Value | undefined, step: string): Value | undefined {
  if (isList(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined
  return isObject(value) ? member(value, step) : undefined
}

/** A copy without the member, objects that become empty, and any list on the path to the member. */
export function removeAt(object: ValueObject, pointer: Pointer): ValueObject {
  return removeBelow(object, steps(pointer))
}

function removeBelow(object: ValueObject, [step = '', ...rest]: readonly string[]): ValueObject {
  return fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      if (name !== step) return [[name, value]]
      if (rest.length === 0 || !isObject(value)) return []
      const inner = removeBelow(value, rest)
      return Object.keys(inner).length === 0 ? [] : [[name, inner]]
    })
  )
}

/**
 * A copy of a value with another part at a path: `edit` gets the part, or undefined, and removes it
 * with undefined. A path through a scalar changes nothing.
 */
export function editAt(
  value: Value | undefined,
  [step, ...rest]: readonly string[],
  edit: (part: Value | undefined) => Value | undefined
): Value | undefined {
  if (step === undefined) return edit(value)
  if (isList(value)) {
    const items = value.map((item, at) => (String(at) === step ? editAt(item, rest, edit) : item))
    return items.filter(item => item !== undefined)
  }
  if (!isObject(value)) return value
  const after = editAt(member(value, step), rest, edit)
  const { [step]: _, ...others } = value
  return after === undefined ? others : { ...value, [step]: after }
}

/**
 * Maps a value at any depth: `replace` is called with each secret, list and object from the top down, and its
 * result replaces the value; if it is undefined, the value stays, and its elements and members are visited.
 * Parts without a replacement are not copied.
 */
export function mapValue(value: Value, replace: (value: Value) => Value | undefined): Value {
  if (typeof value !== 'object' || value === null) return value
  const replacement = replace(value)
  if (replacement !== undefined) return replacement
  if (isList(value)) {
    const elements = value.map(element => mapValue(element, replace))
    return elements.every((element, place) => element === value[place]) ? value : elements
  }
  return isObject(value) ? mapMembers(value, each => mapValue(each, replace)) : value
}

/** An object with other values: a copy, or the object itself if no value changes. */
export function mapMembers(
  object: ValueObject,
  replace: (value: Value, name: string) => Value
): ValueObject {
  let copy: Record<string, Value> | undefined
  for (const name of Object.keys(object)) {
    const before = object[name] ?? null
    const after = replace(before, name)
    if (after === before) continue
    // The copy has `__proto__` as an own member if the object has, so assignments never set its prototype.
    copy ??= { ...object }
    copy[name] = after
  }
  return copy ?? object
}

/** `Object.fromEntries` with types; a member `__proto__` of a live record stays data. */
export function fromEntries(entries: Iterable<readonly [string, Value]>): ValueObject {
  return Object.fromEntries(entries) as ValueObject
}

/**
 * The same value with the members of every object sorted by name, so that equal values give equal bytes.
 * Returns the value itself if its members are sorted already, as most are.
 */
export function canonical<V extends Value>(value: V): V
export function canonical(value: Value): Value {
  if (isList(value)) {
    const elements = value.map(element => canonical(element))
    return elements.every((element, place) => element === value[place]) ? value : elements
  }
  if (!isObject(value)) return value
  const object = mapMembers(value, each => canonical(each))
  const names = Object.keys(object)
  if (names.every((name, place) => place === 0 || (names[place - 1] ?? '') < name)) return object
  return fromEntries(names.sort(byCodeUnit).map(name => [name, object[name] ?? null]))
}

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['$env', 'string'],
  ['$file', 'string'],
  ['$live', 'boolean'],
  ['$plaintext', 'boolean']
])

/** The reference of a secret, or one in a saved plan; undefined for any other value. */
export function secretReferenceIn(value: Value): SecretReference | undefined {
  if (value instanceof Secret) return value.reference
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length > 2) return undefined
  const [[name = '', of] = [], ...others] = entries.filter(([key]) => key !== '$version')
  const isReference = others.length === 0 && REFERENCES.get(name) === typeof of
  return isReference ? (value as unknown as SecretReference) : undefined
}

export function* secretsIn(value: Value): Generator<Secret> {
  if (value instanceof Secret) yield value
  else if (isList(value)) for (const item of value) yield* secretsIn(item)
  else if (isObject(value)) for (const inner of Object.values(value)) yield* secretsIn(inner)
}

export function* secretsWithin(
  value: Value,
  at: Pointer = ''
): Generator<readonly [Pointer, Secret]> {
  if (value instanceof Secret) yield [at, value]
  else if (isList(value) || isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      // Most parts are scalars, so no pointer is made for each.
      if (typeof inner === 'object') yield* secretsWithin(inner, child(at, name))
    }
  }
}

export function holdsSecret(value: Value): boolean {
  return !secretsIn(value).next().done
}

/** True for the same JSON value, with members in any order; secrets are the same by their reference. */
export function isSameJson(a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b))
}

/** True if two values differ only in secrets and in empty values, which are equal to absent ones. */
export function isSameButSecrets(a: Value | undefined, b: Value | undefined): boolean {
  if (isEmpty(a) && isEmpty(b)) return true
  return textWithoutSecrets(a ?? (isObject(b) ? {} : null)) === textWithoutSecrets(b ?? null)
}

function textWithoutSecrets(value: Value): string {
  if (secretReferenceIn(value) !== undefined) return '?'
  if (isList(value)) return `[${value.map(textWithoutSecrets).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const texts = Object.entries(value).flatMap(([name, below]) => {
    const text = textWithoutSecrets(below)
    return ['?', 'null', '""', '{}'].includes(text) ? [] : `${JSON.stringify(name)}:${text}`
  })
  return `{${texts.sort().join()}}`
}

/** The entries of a list or of a comma-separated string, as strings; undefined for an unknown value. */
export function entriesOf(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined || value instanceof Secret) return undefined
  if (isEmpty(value)) return []
  if (isList(value)) return areTexts(value) ? value : value.filter(isScalar).map(String)
  if (typeof value !== 'string') return typeof value === 'number' ? [String(value)] : []
  return value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

function areTexts(list: readonly Value[]): list is readonly string[] {
  return list.every(entry => typeof entry === 'string')
}

export function isScalar(value: Value): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
