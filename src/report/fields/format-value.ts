import { groupBy, highest } from '../../core/values/collections.ts'
import { fieldName, type Pointer } from '../../core/values/pointer.ts'
import { formatNumber } from '../../core/values/text.ts'
import { isList, isObject, secretReferenceIn, type Value } from '../../core/values/value.ts'
import { escapeInside, escapeText } from '../escape.ts'

/** A value on one line: strings in quotes, secrets masked, untrusted text escaped. */
export function formatValue(value: Value): string {
  if (isSecret(value)) {
    const [from, name] = secretSource(value) ?? []
    return from === undefined ? '(secret)' : `(secret ${from}${name})`
  }
  if (typeof value === 'string') return quoted(value)
  if (isList(value)) return `[${value.map(formatValue).join(', ')}]`
  if (!isObject(value)) return String(value)
  const members = formatMembers(value)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The elements or members of a value, each on one line; of any other value the value itself. */
export function formatParts(value: Value): string[] {
  if (isSecret(value)) return [formatValue(value)]
  if (isList(value)) return value.map(formatValue)
  return isObject(value) ? formatMembers(value) : [formatValue(value)]
}

/** A pointer as a field name: `/auth/psk` is `auth.psk`. */
export function formatField(pointer: Pointer): string {
  return escapeText(fieldName(pointer))
}

/** True for a secret, and for a secret reference in a plan from a file. */
export function isSecret(value: Value): boolean {
  return secretReferenceIn(value) !== undefined
}

/** The source of a declared secret: `from `, `NAME`; undefined for a live secret and any other value. */
export function secretSource(value: Value): readonly [from: string, name: string] | undefined {
  const reference = secretReferenceIn(value)
  if (reference === undefined || '$live' in reference) return undefined
  if ('$env' in reference) return ['from ', escapeInside(String(reference.$env))]
  if ('$file' in reference) return ['from the file ', escapeInside(String(reference.$file))]
  return ['from the YAML', '']
}

function formatMembers(object: { readonly [member: string]: Value }): string[] {
  return Object.entries(object).map(
    ([name, value]) => `${escapeInside(name)}: ${formatValue(value)}`
  )
}

function quoted(text: string): string {
  return `"${escapeInside(text.replace(/["\\]/g, '\\$&'))}"`
}

/** A sentence with commas in its large numbers, apart from dates: `2,987 sites` for `2987 sites`. */
export function thousands(sentence: string): string {
  return sentence.replace(/\d{4,}(?!-\d)/g, formatNumber)
}

const CONTEXT = 30

/** The maximum length of a value in a report. */
export const MAX_VALUE_LENGTH = 180

/**
 * Excerpts of texts, each of about `longest` characters, that show the first difference from the others.
 * Different texts have different excerpts: equal excerpts continue at the next difference.
 */
export function excerpts(texts: readonly string[], longest: number): string[] {
  if (texts.every(({ length }) => length <= longest)) return [...texts]
  const from = Math.max(0, commonPrefix(texts) - Math.min(CONTEXT, longest >> 1))
  const shown = texts.map(text => excerpt(text, from, longest))
  for (const alike of groupBy(shown.keys(), at => shown[at]).values()) {
    if (new Set(alike.map(at => texts[at])).size === 1) continue
    const rests = alike.map(at => texts[at]?.slice(from + longest) ?? '')
    for (const [nth, rest] of excerpts(rests, longest).entries()) shown[alike[nth] ?? 0] += rest
  }
  return shown
}

const MAX_COMPARED = 100

/**
 * Excerpts of the parts of two values, each of about `longest` characters, that show the first difference
 * from the most similar part of the other value.
 */
export function partExcerpts(
  removed: readonly string[],
  added: readonly string[],
  longest: number
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const shorten = (text: string, others: readonly string[]) => {
    if (text.length <= longest) return text
    const shared = others.slice(0, MAX_COMPARED).map(other => commonPrefix([text, other]))
    return excerpt(text, highest([0, ...shared.map(length => length - CONTEXT)]), longest)
  }
  const before = removed.map(text => shorten(text, added))
  const after = added.map(text => shorten(text, removed))
  // Different parts with equal excerpts are shown completely.
  const isAmbiguous =
    new Set([...before, ...after]).size < new Set(before).size + new Set(after).size
  return isAmbiguous ? { removed, added } : { removed: before, added: after }
}

/** The length of the prefix that all texts share; 0 for a single text. */
function commonPrefix([first = '', ...others]: readonly string[]): number {
  let same = first.length
  for (const other of others) {
    let at = 0
    while (at < same && at < other.length && first[at] === other[at]) at += 1
    same = at
  }
  return others.length === 0 ? 0 : same
}

/** A part of a text, with `…` for the rest, without splitting a character. */
function excerpt(text: string, from: number, longest: number): string {
  const to = from + longest
  const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`
}
