import { validateWlan } from '#validators'
import { child, type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { explainSchemaErrors, type SchemaError } from './complaint.ts'
import { type Field, wlanField } from './field.ts'

export type { SchemaError } from './complaint.ts'

/**
 * Checks the declared fields of a WLAN, variables resolved. Of a secret only the place is looked
 * at. A wrong value is reported once, and where it is wrong, not at what it is part of.
 */
export function wlanErrors(wlan: Value): readonly SchemaError[] {
  const unwelcome = unwelcomeFields(wlan, wlanField, '')
  if (validateWlan(wlan)) return unwelcome
  const complaints = (validateWlan.errors ?? []).filter(
    error => !liesInSecret(wlan, error.instancePath)
  )
  return [...unwelcome, ...explainSchemaErrors(complaints)]
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
function unwelcomeFields(value: Value, field: Field, pointer: Pointer): SchemaError[] {
  const found: SchemaError[] = []
  if (field.readOnly) found.push({ kind: 'read-only', pointer })
  if (field.deprecated) found.push({ kind: 'deprecated', pointer })
  const look = (name: string | number, part: Value, below: Field) => {
    const isWelcome = !below.readOnly && !below.deprecated
    // Nearly all parts are welcome and have none: no pointer is made for them.
    if (isWelcome && (typeof part !== 'object' || part === null)) return
    found.push(...unwelcomeFields(part, below, child(pointer, name)))
  }
  if (isList(value)) {
    for (const [index, element] of value.entries()) look(index, element, field.item())
  } else if (isObject(value)) {
    for (const [name, part] of Object.entries(value)) look(name, part, field.member(name))
  }
  return found
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
