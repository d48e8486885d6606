import { isMasked, Secret } from '../model/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../model/value.ts'
import { type Field, wlanField } from '../schema/field.ts'

/**
 * What a record keeps of its secrets when it is stored.
 *
 * | the service          | is kept as           | and read back as a secret that                  |
 * |----------------------|----------------------|--------------------------------------------------|
 * | showed a secret      | `{"$live": true}`    | is there; nobody can compare it                   |
 * | hid one              | `{"$hidden": true}`  | is hidden, as it was                              |
 * | said there is none   | `""`, or `null`      | is none                                           |
 */
export function withoutSecrets(record: ValueObject): ValueObject {
  return mapped(record, value => {
    if (!(value instanceof Secret)) return value
    if (value.empty) return ''
    return value.hidden ? { $hidden: true } : { $live: true }
  })
}

/**
 * The inverse, as far as there is one. A text where the schema knows of a secret is one as well: the
 * file is older than the schema, or somebody edited it.
 */
export function withSecretsWithheld(record: ValueObject): ValueObject {
  return objectIn(record, wlanField, false)
}

function mapped(object: ValueObject, leaf: (value: Value) => Value): ValueObject {
  const each = (value: Value): Value => {
    if (isList(value)) return value.map(each)
    return isObject(value) ? mapped(value, leaf) : leaf(value)
  }
  return fromEntries(Object.entries(object).map(([name, value]) => [name, each(value)]))
}

function valueIn(value: Value, field: Field, within: boolean): Value {
  const secret = within || field.secret
  if (secret && typeof value === 'string') return secretIn(value)
  if (secret && isMarker(value, '$live')) return Secret.withheld()
  if (secret && isMarker(value, '$hidden')) return new Secret({ $live: true }, undefined)
  if (isList(value)) return value.map(element => valueIn(element, field.item(), secret))
  return isObject(value) ? objectIn(value, field, secret) : value
}

function objectIn(object: ValueObject, field: Field, within: boolean): ValueObject {
  return fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      valueIn(value, field.member(name), within)
    ])
  )
}

function secretIn(text: string): Secret {
  if (text === '') return Secret.live('')
  return isMasked(text) ? Secret.live(text) : Secret.withheld()
}

/** Only markers are `true` there: what the service has as no text counts as hidden, and is one. */
function isMarker(value: Value, name: '$live' | '$hidden'): boolean {
  return isObject(value) && Object.keys(value).length === 1 && member(value, name) === true
}
