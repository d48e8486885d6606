import { type Pointer, steps } from '../model/pointer.ts'
import { isList, isObject, secretReferenceIn, type Value } from '../model/value.ts'
import { escapeInside, escapeText } from './escape.ts'
import { shortened } from './words.ts'

/** A value on one line: strings in quotes, secrets masked, everything from outside escaped. */
export function shown(value: Value): string {
  if (isSecret(value)) {
    const source = secretSource(value)
    return source === undefined ? '(secret)' : `(secret ${source})`
  }
  if (typeof value === 'string') return quoted(value)
  if (isList(value)) return `[${value.map(shown).join(', ')}]`
  if (!isObject(value)) return String(value)
  const members = shownMembers(value)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** What a value is made of, each on one line: its elements, its members, or the value itself. */
export function shownParts(value: Value): string[] {
  if (isSecret(value)) return [shown(value)]
  if (isList(value)) return value.map(shown)
  return isObject(value) ? shownMembers(value) : [shown(value)]
}

/** A pointer as network engineers write it: `/auth/psk` is `auth.psk`. */
export function shownField(pointer: Pointer): string {
  return escapeText(steps(pointer).join('.'))
}

/** The ids in a sentence, cut short: whose they are, the address beside it says better. */
export function withShortIds(text: string): string {
  return text.replace(/([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '$1…')
}

/** In a message, a quoted text or a run without blanks that is longer than this is a value. */
const LONGEST = 200

/** A message with the values in it cut; its words, which may be the service's own, stay. */
export function cutValues(message: string): string {
  if (message.length <= LONGEST) return message
  return message
    .replace(/(?<=^|[\s([{:=,])"(?:[^"\\]|\\.)*"(?![^\s)\]}:;,.])/gs, text =>
      text.length <= LONGEST ? text : `${shortened(text, LONGEST)}"`
    )
    .replace(/[^\s"]+/g, text => shortened(text, LONGEST))
}

/** A message on one line, its long values cut, everything from outside escaped. */
export function shownMessage(message: string): string {
  return escapeInside(cutValues(message))
}

/** True for a secret, also for the reference that stands for one in a plan read from a file. */
export function isSecret(value: Value): boolean {
  return secretReferenceIn(value) !== undefined
}

/** Where a declared secret comes from, in words; undefined for any other value. */
export function secretSource(value: Value): string | undefined {
  const reference = secretReferenceIn(value)
  if (reference === undefined || '$live' in reference) return undefined
  if ('$env' in reference) return `from ${escapeInside(String(reference.$env))}`
  if ('$file' in reference) return `from the file ${escapeInside(String(reference.$file))}`
  return 'from the YAML'
}

function shownMembers(object: { readonly [member: string]: Value }): string[] {
  return Object.entries(object).map(([name, below]) => `${escapeInside(name)}: ${shown(below)}`)
}

function quoted(text: string): string {
  return `"${escapeInside(text.replace(/["\\]/g, '\\$&'))}"`
}
