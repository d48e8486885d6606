import { Secret } from '../model/secret.ts'
import { fromEntries, isList, isObject, secretReferenceIn, type Value } from '../model/value.ts'

/** A value that was read from a file, with its references as secrets that nobody knows here. */
export function withSecrets(value: Value): Value {
  const reference = secretReferenceIn(value)
  if (reference !== undefined) return new Secret(reference, undefined)
  if (isList(value)) return value.map(withSecrets)
  if (!isObject(value)) return value
  return fromEntries(Object.entries(value).map(([name, below]) => [name, withSecrets(below)]))
}
