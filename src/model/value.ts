import { Secret } from './secret.ts'

/**
 * A value of a WLAN field: JSON whose leaves may also be secrets.
 *
 * Both states are made of it. A live record carries a `Secret` wherever the schema marks a field
 * secret; a desired one carries a `Secret` wherever the YAML refers to one.
 */
export type Value = null | boolean | number | string | Secret | readonly Value[] | ValueObject

/** An object of field values. Members are own properties; a prototype is never consulted. */
export interface ValueObject {
  readonly [member: string]: Value
}

/** True for the objects of a value tree: neither null, nor a list, nor a secret. */
export function isObject(value: Value | undefined): value is ValueObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Secret)
  )
}

/** True for the lists of a value tree; narrows where `Array.isArray` cannot (readonly arrays). */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/**
 * True for what the service stores as good as nothing: absent, `null`, `""`, `[]` and `{}`.
 * A declared empty value equals any of them.
 */
export function isEmpty(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  if (isList(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

/** The own member of an object, or undefined: `constructor` and `__proto__` are names like others. */
export function member(object: ValueObject, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
