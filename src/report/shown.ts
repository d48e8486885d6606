import { type Pointer, steps } from '../model/pointer.ts'
import { Secret, type SecretReference } from '../model/secret.ts'
import { isList, isObject, type Value } from '../model/value.ts'
import { escapeText } from './escape.ts'

/** A value on one line: strings in quotes, secrets masked, everything from outside escaped. */
export function shown(value: Value): string {
  if (referenceOf(value) !== undefined) return '(secret)'
  if (typeof value === 'string') return `"${escapeText(value).replaceAll('"', '\\"')}"`
  if (isList(value)) return `[${value.map(shown).join(', ')}]`
  if (!isObject(value)) return String(value)
  const members = Object.entries(value).map(
    ([name, below]) => `${escapeText(name)}: ${shown(below)}`
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** A pointer as network engineers write it: `/auth/psk` is `auth.psk`. */
export function shownField(pointer: Pointer): string {
  return steps(pointer).map(escapeText).join('.')
}

/** Where a secret comes from, in words; undefined for a value that is no secret. */
export function secretSource(value: Value): string | undefined {
  const reference = referenceOf(value)
  if (reference === undefined) return undefined
  if ('$env' in reference) return `from ${escapeText(String(reference.$env))}`
  if ('$file' in reference) return `from file ${escapeText(String(reference.$file))}`
  return '$live' in reference ? 'as it is live' : 'from the YAML'
}

/** Secrets are references in a plan that was read from a file, and `Secret` values in one just made. */
function referenceOf(value: Value): SecretReference | undefined {
  if (value instanceof Secret) return value.reference
  if (!isObject(value)) return undefined
  const names = Object.keys(value)
  const isReference =
    names.length === 1 && ['$env', '$file', '$live', '$plaintext'].includes(names[0] ?? '')
  return isReference ? (value as unknown as SecretReference) : undefined
}
