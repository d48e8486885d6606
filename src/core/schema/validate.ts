import { validateWlan } from '#validators'
import { append, groupBy } from '../values/collections.ts'
import { above, child, overlap, type Pointer, steps } from '../values/pointer.ts'
import { holdsServiceVariable, isServiceVariable, Secret } from '../values/secret.ts'
import { ssidProblem } from '../values/ssid.ts'
import {
  isList,
  isObject,
  mapValue,
  removeAt,
  type Value,
  type ValueObject,
  valueAt
} from '../values/value.ts'
import { type Field, fieldAt, wlanField } from './field.ts'
import type { ValidatorError } from './validator.ts'

/**
 * An error of a value, at the pointer of the invalid part.
 *
 * | kind            | the value                                                              |
 * |-----------------|------------------------------------------------------------------------|
 * | `unknown-field` | is a member that the schema lacks; `known` are its siblings              |
 * | `missing-field` | lacks the member that identifies it                                    |
 * | `type`          | has none of the allowed JSON types                                     |
 * | `enum`          | is not a known value; the service may know more                        |
 * | `range`         | is a number out of bounds                                              |
 * | `length`        | is a string that is too short or too long, in characters               |
 * | `pattern`       | has a different format; `shape` names the expected one, e.g. `a UUID`; `lenient` if the service may know others |
 * | `count`         | is a list with too few or too many elements                            |
 * | `read-only`     | is set by the service                                                  |
 * | `deprecated`    | exists for old records only                                            |
 *
 *
 * An error never contains the value, which may be a secret.
 */
export type SchemaError = { readonly pointer: Pointer } & (
  | { readonly kind: 'unknown-field'; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: 'missing-field'; readonly name: string }
  | { readonly kind: 'type'; readonly allowed: readonly string[] }
  | { readonly kind: 'enum'; readonly allowed: readonly string[] }
  | ({ readonly kind: 'range'; readonly unit: string | undefined } & Bounds)
  | ({ readonly kind: 'length' } & Bounds)
  | ({ readonly kind: 'count' } & Bounds)
  | { readonly kind: 'pattern'; readonly shape: string; readonly lenient?: true }
  | { readonly kind: 'read-only' | 'deprecated' }
)

interface Bounds {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

/**
 * Validates declared fields with resolved variables, of secrets only their place. Each invalid
 * value causes one error, at its own pointer and not at its parents'.
 */
export function wlanErrors(wlan: Value): readonly SchemaError[] {
  const unsupported = readOnlyOrDeprecated(wlan, wlanField, '')
  if (validateWlan(wlan)) return unsupported
  const errors = (validateWlan.errors ?? []).filter(
    error =>
      !liesInSecret(wlan, error.instancePath) &&
      !isSecretVariable(wlan, error.instancePath) &&
      !concernsVariable(wlan, error) &&
      !differsInCase(wlan, error)
  )
  // Also above parts whose errors do not count.
  const holders = new Set((validateWlan.errors ?? []).flatMap(each => above(each.instancePath)))
  const places = groupBy(errors, ({ instancePath }) => instancePath)
  const found = [...places].flatMap(([at, group]) => explained(at, group, holders.has(at)))
  return [...unsupported, ...found]
}

/** True for an error that the loader rejects; it warns of the others. */
export function isRefusal(error: SchemaError): boolean {
  return error.kind !== 'deprecated' && !(error.kind === 'pattern' && error.lenient)
}

/** True if a file may declare a field with this value; a field that the schema lacks may have any value. */
export function isDeclarable(pointer: Pointer, value: Value): boolean {
  if (pointer === '/ssid') return typeof value === 'string' && ssidProblem(value) === undefined
  const wlan = steps(pointer).reduceRight<Value>((inner, step) => ({ [step]: inner }), value)
  return !wlanErrors(wlan).some(
    error => isRefusal(error) && error.kind !== 'unknown-field' && overlap(error.pointer, pointer)
  )
}

/** The fields with plaintext secrets, for `wlanErrors` alone, whose errors contain no value. */
export function revealed(fields: ValueObject): Value {
  return mapValue(fields, each =>
    each instanceof Secret && each.known ? each.reveal() : undefined
  )
}

function readOnlyOrDeprecated(value: Value, field: Field, pointer: Pointer): SchemaError[] {
  const found: SchemaError[] = []
  if (field.readOnly) found.push({ kind: 'read-only', pointer })
  if (field.deprecated) found.push({ kind: 'deprecated', pointer })
  const visit = (name: string | number, part: Value, below: Field) => {
    const isSupported = !below.readOnly && !below.deprecated
    // Most parts are supported leaves, so no pointer is made for each.
    if (isSupported && (typeof part !== 'object' || part === null)) return
    append(found, readOnlyOrDeprecated(part, below, child(pointer, name)))
  }
  if (isList(value)) {
    for (const [index, element] of value.entries()) visit(index, element, field.item())
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) visit(name, value[name] ?? null, field.member(name))
  }
  return found
}

/** True for a secret and its parts: the validator would treat a `Secret` as an object. */
function liesInSecret(wlan: Value, pointer: Pointer): boolean {
  return [...above(pointer), pointer].some(at => valueAt(wlan, at) instanceof Secret)
}

function isSecretVariable(wlan: Value, pointer: Pointer): boolean {
  return fieldAt(pointer).secret && isServiceVariable(valueAt(wlan, pointer))
}

/** True for an error about a text, or a key, with a variable of the service where any text, number or id may be. */
function concernsVariable(
  wlan: Value,
  { keyword, instancePath, params, propertyName }: ValidatorError
): boolean {
  const key = propertyName ?? (keyword === 'propertyNames' ? params['propertyName'] : undefined)
  if (key !== undefined) return holdsServiceVariable(key)
  return takesVariable(fieldAt(instancePath)) && holdsServiceVariable(valueAt(wlan, instancePath))
}

/** The service replaces variables in texts, numbers and ids; of choices, only in that of a band. */
export function takesVariable(field: Field): boolean {
  const { known, secret, types, choices, compare, variable } = field
  if (!known || secret || types.has('object') || (choices !== undefined && !variable)) return false
  const isList = types.has('array') && compare !== 'comma-list'
  return !isList && ['string', 'integer', 'number'].some(type => types.has(type))
}

/** True for a known value in a different case, if the field ignores case. */
function differsInCase(wlan: Value, { keyword, instancePath, params }: ValidatorError): boolean {
  if (keyword !== 'enum' || fieldAt(instancePath).compare !== 'ignore-case') return false
  const value = valueAt(wlan, instancePath)
  if (typeof value !== 'string') return false
  return stringsOf(params['allowedValues']).some(
    known => known.toLowerCase() === value.toLowerCase()
  )
}

/**
 * The errors of one place. A wrong type makes all others irrelevant. If the schema has alternatives, each of them reports
 * errors; then only those of the alternative with the right type count, at this place or below (`wrongBelow`).
 */
function explained(
  pointer: Pointer,
  group: readonly ValidatorError[],
  wrongBelow: boolean
): readonly SchemaError[] {
  const types = group.filter(({ keyword }) => keyword === 'type')
  const others = group.filter(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf')
  const fitsAlternative =
    group.some(({ keyword }) => keyword === 'anyOf') && (others.length > 0 || wrongBelow)
  if (types.length > 0 && !fitsAlternative) {
    const allowed = new Set(types.flatMap(({ params }) => params['type']).map(String))
    return [{ kind: 'type', pointer, allowed: [...allowed] }]
  }
  const field = fieldAt(pointer)
  return distinct(others.flatMap(other => schemaError(other, pointer, field)))
}

/** Removes duplicates: each alternative reports the same error. */
function distinct(errors: readonly SchemaError[]): readonly SchemaError[] {
  const keyOf = (error: SchemaError) =>
    error.kind === 'unknown-field' ? error.pointer : JSON.stringify(error)
  return [...new Map(errors.map(error => [keyOf(error), error])).values()]
}

function schemaError(
  { keyword, params, propertyName }: ValidatorError,
  pointer: Pointer,
  field: Field
): SchemaError | [] {
  // The error `propertyNames` reports the same key.
  if (propertyName !== undefined) return []
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty'])
      return {
        kind: 'unknown-field',
        pointer: child(pointer, name),
        name,
        known: field.memberNames().filter(each => {
          const { readOnly, deprecated } = field.member(each)
          return !readOnly && !deprecated
        })
      }
    }
    case 'required':
      return { kind: 'missing-field', pointer, name: String(params['missingProperty']) }
    case 'enum':
      return { kind: 'enum', pointer, allowed: stringsOf(params['allowedValues']) }
    case 'minimum':
    case 'maximum': {
      const { minimum, maximum, unit, alternatives } = field
      if (alternatives !== undefined) return { kind: 'pattern', pointer, shape: alternatives }
      return { kind: 'range', pointer, minimum, maximum, unit }
    }
    case 'minItems':
      return { kind: 'count', pointer, minimum: Number(params['limit']) }
    case 'maxItems':
      return { kind: 'count', pointer, maximum: Number(params['limit']) }
    case 'propertyNames':
      return {
        kind: 'pattern',
        pointer: child(pointer, String(params['propertyName'])),
        shape: field.keyShape ?? 'another key'
      }
    case 'minLength':
      return { kind: 'length', pointer, minimum: Number(params['limit']) }
    case 'maxLength':
      return { kind: 'length', pointer, maximum: Number(params['limit']) }
    case 'pattern':
      return {
        kind: 'pattern',
        pointer,
        shape: field.shape ?? 'another format',
        ...(field.lenient && { lenient: true })
      }
    default:
      throw new Error(`the schema of a WLAN uses ${keyword}, which has no message`)
  }
}

function stringsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter(value => typeof value === 'string') : []
}

/**
 * The fields that the schema accepts, and the pointers of those that it rejects: the service has a value that
 * is not allowed, or the schema is wrong. Values that compare as a whole are removed completely.
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
      fit = removeAt(fit, at)
    }
  }
}

/** The list or map around a pointer that is compared as a whole, or else the pointer itself. */
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
