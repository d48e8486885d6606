import { type Field, withoutVolatile, wlanField } from '../core/schema/field.ts'
import { isServiceVariable, Secret } from '../core/values/secret.ts'
import {
  isList,
  isObject,
  mapMembers,
  mapValue,
  member,
  secretReferenceIn,
  type Value,
  type ValueObject
} from '../core/values/value.ts'

/**
 * Replaces the secrets of a record by markers, and removes volatile fields, for a snapshot.
 *
 * | the service          | marker               | parsed as a secret that                          |
 * |----------------------|----------------------|--------------------------------------------------|
 * | showed a secret      | `{"$live": true}`    | exists and cannot be compared                    |
 * | hid a secret         | `{"$hidden": true}`  | is hidden                                        |
 * | has no secret        | `""`, or `null`      | is empty                                         |
 */
export function withoutSecrets(record: ValueObject): ValueObject {
  return marked(withoutVolatile(record), { $live: true }, { $hidden: true })
}

/** The texts that stand for secrets in a snapshot folder, where a person reads them. */
const SHOWN = '(secret)'
const HIDDEN = '(hidden secret)'

/** Replaces the secrets of a record by texts; `withRedactedSecrets` understands them, too. */
export function withSecretMarks(record: ValueObject): ValueObject {
  return marked(record, SHOWN, HIDDEN)
}

function marked(record: ValueObject, shown: Value, hidden: Value): ValueObject {
  const markOf = (value: Value) => {
    if (!(value instanceof Secret)) return undefined
    if (value.empty) return ''
    return value.hidden ? hidden : shown
  }
  return mapMembers(record, value => mapValue(value, markOf))
}

const OWN = ['id', 'created_time', 'modified_time'] as const

/** The record without id, volatile fields and times; the same object if it has none of them. */
export function withoutTimes(record: ValueObject): ValueObject {
  const stable = withoutVolatile(record)
  if (!OWN.some(name => Object.hasOwn(stable, name))) return stable
  const { id, created_time, modified_time, ...rest } = stable
  return rest
}

/**
 * Undoes `withoutSecrets`, without the values. A string in a secret field is redacted, too: the
 * file is older than the schema, or was edited. Volatile fields are removed for the same reason.
 */
export function withRedactedSecrets(record: ValueObject): ValueObject {
  return objectIn(withoutVolatile(record), wlanField, false)
}

function valueIn(value: Value, field: Field, within: boolean): Value {
  const secret = within || field.secret || field.item().secret
  if (secret && (value === SHOWN || isMarker(value, '$live'))) return Secret.redacted()
  if (secret && (value === HIDDEN || isMarker(value, '$hidden'))) {
    return new Secret({ $live: true }, undefined)
  }
  if (secret && typeof value === 'string') {
    return field.known && isServiceVariable(value) ? value : secretIn(value)
  }
  if (isList(value)) {
    const elements = value.map(element => valueIn(element, field.item(), secret))
    return elements.every((element, place) => element === value[place]) ? value : elements
  }
  return isObject(value) ? objectIn(value, field, secret) : value
}

function objectIn(object: ValueObject, field: Field, within: boolean): ValueObject {
  return mapMembers(object, (value, name) =>
    mayHoldSecret(value) ? valueIn(value, field.member(name), within) : value
  )
}

function mayHoldSecret(value: Value): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

function secretIn(text: string): Secret {
  const live = Secret.live(text)
  return live.empty || live.hidden ? live : Secret.redacted()
}

/** Only a marker is `true`; the service stores no such object in a secret field. */
function isMarker(value: Value, name: '$live' | '$hidden'): boolean {
  return isObject(value) && Object.keys(value).length === 1 && member(value, name) === true
}

export function withUnknownSecrets(value: Value): Value {
  return mapValue(value, each => {
    const reference = secretReferenceIn(each)
    return reference && new Secret(reference, undefined)
  })
}
