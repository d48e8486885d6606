import { Secret } from '../model/secret.ts'
import { canonical, isEmpty, isList, type Value } from '../model/value.ts'

/** True if the string contains a variable of the service, such as `{{vlan}}`, or a part of one. */
export function holdsVariable(text: string): boolean {
  return text.includes('{{')
}

const noEntries: readonly string[] = []

/** The entries of a list or of a comma-separated string, as strings; undefined for an unknown value. */
export function entriesOf(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined || value instanceof Secret) return undefined
  if (isEmpty(value)) return noEntries
  if (isList(value)) return areTexts(value) ? value : value.filter(isScalar).map(String)
  if (typeof value !== 'string') return typeof value === 'number' ? [String(value)] : []
  return value
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

function areTexts(list: readonly Value[]): list is readonly string[] {
  return list.every(entry => typeof entry === 'string')
}

/** True if a declared and a live value are equal in any notation; unknown secrets may be equal. */
export function isWritten(declared: Value, live: Value): boolean {
  if (declared instanceof Secret || live instanceof Secret) return isSameSecret(declared, live)
  return formOf(declared) === formOf(live)
}

function isSameSecret(declared: Value, live: Value): boolean {
  if (!(declared instanceof Secret) || !(live instanceof Secret)) return false
  return !declared.known || !live.known || declared.equals(live)
}

/**
 * A canonical string: equal for values that differ only in order, case, or a number written as a string.
 */
function formOf(value: Value): string {
  if (isList(value)) return JSON.stringify(value.map(formOf).sort())
  return isScalar(value) ? String(value).toLowerCase() : JSON.stringify(canonical(value))
}

function isScalar(value: Value): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
