import { validateWlan } from '#validators'
import { child, type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { explain, type SchemaError } from './complaint.ts'
import { type Field, wlanField } from './field.ts'

export type { SchemaError } from './complaint.ts'

/**
 * Checks the declared fields of a WLAN, variables resolved. Of a secret only the place is looked
 * at. A wrong value is reported once, and where it is wrong, not at what it is part of.
 */
export function wlanErrors(wlan: Value): readonly SchemaError[] {
  const unwelcome = [...unwelcomeFields(wlan, wlanField, '')]
  if (validateWlan(wlan)) return unwelcome
  const complaints = (validateWlan.errors ?? []).filter(
    error => !liesInSecret(wlan, error.instancePath)
  )
  return [...unwelcome, ...explain(complaints)]
}

/** A copy with the known secrets in it, for `wlanErrors` alone, whose errors hold no value. */
export function revealed(fields: ValueObject): ValueObject {
  return Object.fromEntries(Object.entries(fields).map(([name, below]) => [name, reveal(below)]))
}

function reveal(value: Value): Value {
  if (value instanceof Secret) return value.known ? value.reveal() : value
  if (isList(value)) return value.map(reveal)
  return isObject(value) ? revealed(value) : value
}

/** The fields that the service keeps itself, or has only for old records. */
function* unwelcomeFields(value: Value, field: Field, pointer: Pointer): Generator<SchemaError> {
  if (field.readOnly) yield { kind: 'read-only', pointer }
  if (field.deprecated) yield { kind: 'deprecated', pointer }
  if (isList(value)) {
    for (const [index, element] of value.entries()) {
      yield* unwelcomeFields(element, field.item(), child(pointer, index))
    }
  } else if (isObject(value)) {
    for (const [name, below] of Object.entries(value)) {
      yield* unwelcomeFields(below, field.member(name), child(pointer, name))
    }
  }
}

/** True for a secret, which the validator takes for an object, and for what it finds in there. */
function liesInSecret(wlan: Value, pointer: Pointer): boolean {
  let value: Value | undefined = wlan
  for (const step of steps(pointer)) {
    if (isList(value)) value = value[Number(step)]
    else if (isObject(value)) value = member(value, step)
  }
  return value instanceof Secret
}
