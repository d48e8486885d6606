import { child, type Pointer, steps } from '../model/pointer.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { revealed, type SchemaError, wlanErrors } from '../schema/validate.ts'

/** Names that no file may use: they reach into a prototype, or mean something to YAML. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '<<'])

/** YAML looks no further than this for the colon behind a key. */
const MAX_KEY_LENGTH = 1024

/** Keys of a map, and values of a WLAN, that the loader takes; with room for what is laid over. */
const MAX_KEYS = 5000
const MAX_VALUES = 4000

/** True for the name of a member that a file can hold. */
export function isAllowedKey(name: string): boolean {
  return !name.startsWith('$') && !FORBIDDEN_KEYS.has(name) && name.length < MAX_KEY_LENGTH / 8
}

/** True for a value that is read back as it is: no number loses a digit, every key is allowed. */
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

/** True for more values than a WLAN may have. */
export function isTooLarge(fields: ValueObject): boolean {
  return countValues(fields) > MAX_VALUES
}

function countValues(value: Value): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countValues(item), 1)
  if (!isObject(value)) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
}

/**
 * The fields that the schema takes, and the places of those that it refuses: the service has what it
 * may not have, or the schema is wrong. What counts as a whole goes as a whole.
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

/** The others are warnings, and secrets may be empty. */
function isRefusal({ kind }: SchemaError): boolean {
  return kind !== 'enum' && kind !== 'deprecated'
}

/** The list or map that a place counts as part of; else the place itself. */
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
