import { child } from '../model/pointer.ts'
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
  const check = new Check()
  check.value(wlan, wlanField)
  return check.errors
}

class Check {
  readonly errors: SchemaError[] = []
  /** The steps to the value that is looked at. */
  readonly #trail: (string | number)[] = []

  value(value: Value, field: Field): void {
    if (field.readOnly) this.#complain({ kind: 'read-only' })
    if (field.deprecated) this.#complain({ kind: 'deprecated' })
    if (value instanceof Secret) return
    const shape = field.shapes.find(({ types }) => types.some(type => isOf(type, value)))
    if (shape === undefined) {
      const allowed = new Set(field.shapes.flatMap(each => each.types))
      if (field.known) this.#complain({ kind: 'type', allowed: [...allowed] })
      return
    }
    if (shape.values?.includes(value) === false) {
      const allowed = shape.values.filter(known => typeof known === 'string')
      this.#complain({ kind: 'enum', allowed })
    }
    if (typeof value === 'string') this.#text(value, shape)
    else if (typeof value === 'number') this.#number(value, shape, field)
    else if (isList(value)) this.#elements(value, field)
    else if (isObject(value)) this.#members(value, shape, field)
  }

  #text(text: string, { minLength: minimum, maxLength: maximum, pattern, title }: Shape): void {
    if (minimum !== undefined && [...text].length < minimum) {
      this.#complain({ kind: 'length', minimum })
    }
    if (maximum !== undefined && [...text].length > maximum) {
      this.#complain({ kind: 'length', maximum })
    }
    if (pattern?.test(text) === false) {
      this.#complain({ kind: 'pattern', shape: title ?? 'another text' })
    }
  }

  #number(number: number, { minimum, maximum }: Shape, { unit }: Field): void {
    const fits = number >= (minimum ?? number) && number <= (maximum ?? number)
    if (!fits) this.#complain({ kind: 'range', minimum, maximum, unit })
  }

  #elements(list: readonly Value[], field: Field): void {
    const item = field.item()
    for (const [index, element] of list.entries()) this.#below(index, element, item)
  }

  #members(object: ValueObject, { closed, required }: Shape, field: Field): void {
    for (const name of required) {
      if (!Object.hasOwn(object, name)) this.#complain({ kind: 'missing-field', name })
    }
    for (const name of Object.keys(object)) {
      const member = field.member(name)
      if (member.known || !closed) this.#below(name, object[name] ?? null, member)
      else this.#complain({ kind: 'unknown-field', name, known: field.memberNames() }, name)
    }
  }

  #below(step: string | number, value: Value, field: Field): void {
    this.#trail.push(step)
    this.value(value, field)
    this.#trail.pop()
  }

  /** At the value that is looked at, or a step below it. */
  #complain(complaint: Complaint, ...step: readonly string[]): void {
    this.errors.push({ ...complaint, pointer: [...this.#trail, ...step].reduce<string>(child, '') })
  }
}

/** An error without its place; of each kind on its own, as `Omit` would mix them. */
type Complaint = SchemaError extends infer E
  ? E extends SchemaError
    ? Omit<E, 'pointer'>
    : never
  : never

/** True for a value that JSON Schema says to be of this type; JSON has no infinite numbers. */
function isOf(type: string, value: Exclude<Value, Secret>): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return isList(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}
