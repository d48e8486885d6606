import { child, type Pointer, steps } from '../model/pointer.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { revealed, type SchemaError, wlanErrors } from '../schema/validate.ts'

/** Keys that no file may use: they reach into a prototype, or have a meaning in YAML. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '<<'])

/** YAML limits the distance between a key and its colon to this number of characters. */
const MAX_KEY_LENGTH = 1024

/** The most keys of a map and values of a WLAN: below the loader's limits, which also count profiles. */
const MAX_KEYS = 5000
const MAX_VALUES = 4000

/** True for a name that may be a key in a file. */
export function isAllowedKey(name: string): boolean {
  return !name.startsWith('$') && !FORBIDDEN_KEYS.has(name) && name.length < MAX_KEY_LENGTH / 8
}

/** True for a value that survives a round trip: no number loses digits, every key is allowed. */
export function roundTrips(value: Value): boolean {
  if (typeof value === 'number') {
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  }
  if (isList(value)) return value.every(roundTrips)
  if (!isObject(value)) return true
  const members = Object.entries(value)
  return (
    members.length <= MAX_KEYS &&
    members.every(([name, inner]) => isAllowedKey(name) && roundTrips(inner))
  )
}

/** True if the fields have more values than a WLAN may have. */
export function isTooLarge(fields: ValueObject): boolean {
  return countValues(fields) > MAX_VALUES
}

function countValues(value: Value): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countValues(item), 1)
  if (!isObject(value)) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
}

/**
 * The fields that the schema accepts, and the pointers of those that it rejects: the service has a value that
 * is not allowed, or the schema is wrong. Values that compare as a whole are removed as a whole.
 */
export function withoutInvalid(fields: ValueObject): {
  readonly fields: ValueObject
  readonly refused: readonly Pointer[]
} {
  const refused: Pointer[] = []
  let fit = fields
  for (;;) {
    const errors = wlanErrors(revealed(fit)).filter(isRefusal)
    if (errors.length === 0) return { fields: fit, refused }
    for (const at of new Set(errors.map(({ pointer }) => smallestRemovable(pointer)))) {
      refused.push(at)
      fit = without(fit, steps(at))
    }
  }
}

/** Other errors are warnings of the loader. */
function isRefusal({ kind }: SchemaError): boolean {
  return kind !== 'enum' && kind !== 'deprecated'
}

/** The list or map around a pointer that is compared as a whole; else the pointer itself. */
function smallestRemovable(pointer: Pointer): Pointer {
  let field: Field = wlanField
  let at: Pointer = ''
  for (const step of steps(pointer)) {
    field = field.member(step)
    at = child(at, step)
    if (field.compare !== undefined || field.item().known) return at
  }
  return at
}

function without(object: ValueObject, [step = '', ...rest]: readonly string[]): ValueObject {
  const members = Object.entries(object).flatMap(([name, value]): [string, Value][] => {
    if (name !== step) return [[name, value]]
    if (rest.length === 0 || !isObject(value)) return []
    const inner = without(value, rest)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(members)
}
