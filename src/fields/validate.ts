import { child, type Pointer } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import type { SchemaError } from './error.ts'
import { type Field, wlanField } from './field.ts'
import type { Shape } from './schema.ts'

export type { SchemaError } from './error.ts'

/**
 * Checks the declared fields of a WLAN, variables resolved, against the shapes that the schema has
 * for them. Of a secret only the place is looked at. A wrong value is reported once, and where it is
 * wrong, not at what it is part of: one of a wrong type is nothing else, and where the schema has
 * alternatives, the one of the right type says what is wrong.
 */
export function wlanErrors(wlan: Value): readonly SchemaError[] {
  return [...errorsOf(wlan, wlanField, '')]
}

function* errorsOf(value: Value, field: Field, pointer: Pointer): Generator<SchemaError> {
  if (field.readOnly) yield { kind: 'read-only', pointer }
  if (field.deprecated) yield { kind: 'deprecated', pointer }
  if (value instanceof Secret) return
  const types = typesOf(value)
  const shape = field.shapes.find(each => each.types.some(type => types.includes(type)))
  if (shape === undefined) {
    const allowed = new Set(field.shapes.flatMap(each => each.types))
    if (field.known) yield { kind: 'type', pointer, allowed: [...allowed] }
    return
  }
  if (shape.values?.includes(value) === false) {
    const allowed = shape.values.filter(known => typeof known === 'string')
    yield { kind: 'enum', pointer, allowed }
  }
  if (typeof value === 'string') yield* textErrors(value, shape, pointer)
  else if (typeof value === 'number') yield* numberErrors(value, shape, field, pointer)
  else if (isList(value)) yield* elementErrors(value, field, pointer)
  else if (isObject(value)) yield* memberErrors(value, shape, field, pointer)
}

/** What JSON Schema calls the type of a value, from the narrowest on; nothing for what JSON has not. */
function typesOf(value: Exclude<Value, Secret>): readonly string[] {
  if (value === null) return ['null']
  if (isList(value)) return ['array']
  if (typeof value !== 'number') return [typeof value]
  if (!Number.isFinite(value)) return []
  return Number.isInteger(value) ? ['integer', 'number'] : ['number']
}

function* textErrors(text: string, shape: Shape, pointer: Pointer): Generator<SchemaError> {
  const { minLength: minimum, maxLength: maximum, pattern } = shape
  if (minimum !== undefined && [...text].length < minimum) {
    yield { kind: 'length', pointer, minimum }
  }
  if (maximum !== undefined && [...text].length > maximum) {
    yield { kind: 'length', pointer, maximum }
  }
  if (pattern?.test(text) === false) {
    yield { kind: 'pattern', pointer, shape: shape.title ?? 'another text' }
  }
}

function* numberErrors(
  number: number,
  { minimum, maximum }: Shape,
  { unit }: Field,
  pointer: Pointer
): Generator<SchemaError> {
  const fits = number >= (minimum ?? number) && number <= (maximum ?? number)
  if (!fits) yield { kind: 'range', pointer, minimum, maximum, unit }
}

function* elementErrors(
  list: readonly Value[],
  field: Field,
  pointer: Pointer
): Generator<SchemaError> {
  const item = field.item()
  for (const [index, element] of list.entries()) {
    yield* errorsOf(element, item, child(pointer, index))
  }
}

function* memberErrors(
  object: ValueObject,
  { closed, required }: Shape,
  field: Field,
  pointer: Pointer
): Generator<SchemaError> {
  for (const name of required) {
    if (!Object.hasOwn(object, name)) yield { kind: 'missing-field', pointer, name }
  }
  for (const [name, value] of Object.entries(object)) {
    const at = child(pointer, name)
    const member = field.member(name)
    if (member.known || !closed) yield* errorsOf(value, member, at)
    else yield { kind: 'unknown-field', pointer: at, name, known: field.memberNames() }
  }
}
