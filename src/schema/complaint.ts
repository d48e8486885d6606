import type { ValidatorError } from '#validators'
import { child, type Pointer } from '../model/pointer.ts'
import { type Field, fieldAt } from './field.ts'

/**
 * What the schema has against a value, at the pointer of what is wrong.
 *
 * | kind            | the value                                                              |
 * |-----------------|------------------------------------------------------------------------|
 * | `unknown-field` | is a member that the schema does not have; `known` are those beside it |
 * | `missing-field` | lacks the member that identifies it                                    |
 * | `type`          | is of none of the allowed JSON types                                   |
 * | `enum`          | is none of the values we know; the service may know more               |
 * | `range`         | is a number out of bounds                                              |
 * | `length`        | is a text too short or too long, in characters                         |
 * | `pattern`       | is a text of another shape; `shape` says which in words, e.g. `a UUID` |
 * | `read-only`     | is kept by the service itself                                          |
 * | `deprecated`    | is there for old records only                                          |
 *
 * The value is not part of it: it may be a secret.
 */
export type SchemaError = { readonly pointer: Pointer } & (
  | { readonly kind: 'unknown-field'; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: 'missing-field'; readonly name: string }
  | { readonly kind: 'type'; readonly allowed: readonly string[] }
  | { readonly kind: 'enum'; readonly allowed: readonly string[] }
  | ({ readonly kind: 'range'; readonly unit: string | undefined } & Bounds)
  | ({ readonly kind: 'length' } & Bounds)
  | { readonly kind: 'pattern'; readonly shape: string }
  | { readonly kind: 'read-only' | 'deprecated' }
)

interface Bounds {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

/** Makes one error of all that the validator says of a place. */
export function explainSchemaErrors(complaints: readonly ValidatorError[]): readonly SchemaError[] {
  const places = groupByPlace(complaints)
  const holders = new Set([...places.keys()].flatMap(above))
  return [...places].flatMap(([pointer, group]) => {
    const [types, others] = telling(group, holders.has(pointer))
    const field = fieldAt(pointer)
    return [...joined(pointer, types), ...others.map(other => translate(other, pointer, field))]
  })
}

function groupByPlace(complaints: readonly ValidatorError[]): Map<Pointer, ValidatorError[]> {
  const places = new Map<Pointer, ValidatorError[]>()
  for (const complaint of complaints) {
    const group = places.get(complaint.instancePath)
    if (group === undefined) places.set(complaint.instancePath, [complaint])
    else group.push(complaint)
  }
  return places
}

/** The pointers of all that a place is part of. */
function above(pointer: Pointer): Pointer[] {
  const parts = pointer.split('/')
  return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'))
}

/**
 * The complaints about one place that tell something: those about its type, and the others.
 *
 * A value of a wrong type is nothing else. But where the schema has alternatives, each of them
 * complains; then the one that has the right type knows best what is wrong, here or below.
 */
function telling(
  group: readonly ValidatorError[],
  wrongBelow: boolean
): readonly [types: ValidatorError[], others: ValidatorError[]] {
  const types = group.filter(({ keyword }) => keyword === 'type')
  const others = group.filter(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf')
  if (types.length === 0) return [[], others]
  const alternatives = group.some(({ keyword }) => keyword === 'anyOf')
  if (!alternatives) return [types, []]
  return others.length > 0 || wrongBelow ? [[], others] : [types, []]
}

function joined(pointer: Pointer, types: readonly ValidatorError[]): SchemaError[] {
  if (types.length === 0) return []
  const allowed = new Set(types.flatMap(({ params }) => params['type']).map(String))
  return [{ kind: 'type', pointer, allowed: [...allowed] }]
}

function translate(complaint: ValidatorError, pointer: Pointer, field: Field): SchemaError {
  const { keyword, params } = complaint
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty'])
      return {
        kind: 'unknown-field',
        pointer: child(pointer, name),
        name,
        known: field.memberNames()
      }
    }
    case 'required':
      return { kind: 'missing-field', pointer, name: String(params['missingProperty']) }
    case 'enum':
      return { kind: 'enum', pointer, allowed: stringsOf(params['allowedValues']) }
    case 'minimum':
    case 'maximum': {
      const { minimum, maximum, unit } = field
      return { kind: 'range', pointer, minimum, maximum, unit }
    }
    case 'minLength':
      return { kind: 'length', pointer, minimum: Number(params['limit']) }
    case 'maxLength':
      return { kind: 'length', pointer, maximum: Number(params['limit']) }
    case 'pattern':
      return { kind: 'pattern', pointer, shape: field.shape ?? 'another text' }
    default:
      throw new Error(`the schema of a WLAN uses ${keyword}, which nobody translates`)
  }
}

function stringsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter(value => typeof value === 'string') : []
}
