import { type Pointer, steps } from '../model/pointer.ts'
import { formatNumber } from '../model/text.ts'
import { isList, isObject, secretReferenceIn, type Value } from '../model/value.ts'
import { escapeInside, escapeText } from './escape.ts'

/** A value on one line: strings in quotes, secrets masked, everything from outside escaped. */
export function formatValue(value: Value): string {
  if (isSecret(value)) {
    const source = formatSecretSource(value)
    return source === undefined ? '(secret)' : `(secret ${source})`
  }
  if (typeof value === 'string') return quoted(value)
  if (isList(value)) return `[${value.map(formatValue).join(', ')}]`
  if (!isObject(value)) return String(value)
  const members = shownMembers(value)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** What a value is made of, each on one line: its elements, its members, or the value itself. */
export function formatParts(value: Value): string[] {
  if (isSecret(value)) return [formatValue(value)]
  if (isList(value)) return value.map(formatValue)
  return isObject(value) ? shownMembers(value) : [formatValue(value)]
}

/** A pointer as network engineers write it: `/auth/psk` is `auth.psk`. */
export function formatField(pointer: Pointer): string {
  return escapeText(steps(pointer).join('.'))
}

/** The ids in a sentence, cut short: whose they are, the address beside it says better. */
export function shortenIds(text: string): string {
  return text.replace(/([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '$1…')
}

/** In a message, a quoted text or a run without blanks that is longer than this is a value. */
const LONGEST = 200

/** A message with the values in it cut; its words, which may be the service's own, stay. */
export function truncateValues(message: string): string {
  if (message.length <= LONGEST) return message
  return message
    .replace(/(?<=^|[\s([{:=,])"(?:[^"\\]|\\.)*"(?![^\s)\]}:;,.])/gs, text =>
      text.length <= LONGEST ? text : `${shortened(text, LONGEST)}"`
    )
    .replace(/[^\s"]+/g, text => shortened(text, LONGEST))
}

/** A message on one line, its long values cut, everything from outside escaped. */
export function formatMessage(message: string): string {
  return escapeInside(truncateValues(message))
}

/** True for a secret, also for the reference that stands for one in a plan read from a file. */
export function isSecret(value: Value): boolean {
  return secretReferenceIn(value) !== undefined
}

/** Where a declared secret comes from, in words; undefined for any other value. */
export function formatSecretSource(value: Value): string | undefined {
  const reference = secretReferenceIn(value)
  if (reference === undefined || '$live' in reference) return undefined
  if ('$env' in reference) return `from ${escapeInside(String(reference.$env))}`
  if ('$file' in reference) return `from the file ${escapeInside(String(reference.$file))}`
  return 'from the YAML'
}

function shownMembers(object: { readonly [member: string]: Value }): string[] {
  return Object.entries(object).map(
    ([name, below]) => `${escapeInside(name)}: ${formatValue(below)}`
  )
}

function quoted(text: string): string {
  return `"${escapeInside(text.replace(/["\\]/g, '\\$&'))}"`
}

/** Of what texts share before their first difference, so many characters are shown. */
const CONTEXT = 30

/** A value takes at most about so many characters in a report; what is cut shows its first difference. */
export const LONGEST_VALUE = 180

/**
 * Texts, each cut to about `longest` characters so that its first difference from the others shows.
 * Different texts stay different: those that look alike so far show their next difference, too.
 */
export function excerpts(texts: readonly string[], longest: number): string[] {
  if (texts.every(({ length }) => length <= longest)) return [...texts]
  const from = Math.max(0, sharedBy(texts) - Math.min(CONTEXT, longest >> 1))
  const cut = texts.map(text => excerpt(text, from, longest))
  return cut.map((shown, at) => {
    const alike = texts.filter((text, other) => cut[other] === shown && text !== texts[at])
    if (alike.length === 0) return shown
    const rests = [texts[at] ?? '', ...alike].map(text => text.slice(from + longest))
    return shown + excerpts(rests, longest)[0]
  })
}

/**
 * The parts of two values, each cut to about `longest` characters so that it shows where it begins to
 * differ from the part of the other value that is most like it.
 */
export function partExcerpts(
  gone: readonly string[],
  come: readonly string[],
  longest: number
): { readonly gone: string[]; readonly come: string[] } {
  const others = new Set(come)
  const sorted = [...new Set([...gone, ...come])].sort()
  const shares = new Map<string, number>(sorted.map(text => [text, 0]))
  for (const order of [sorted, sorted.toReversed()]) {
    const last: [string, string] = ['', '']
    for (const text of order) {
      const side = others.has(text) ? 1 : 0
      const shared = sharedBy([text, last[1 - side] ?? ''])
      shares.set(text, Math.max(shared, shares.get(text) ?? 0))
      last[side] = text
    }
  }
  const shown = (text: string) =>
    text.length <= longest
      ? text
      : excerpt(text, Math.max(0, (shares.get(text) ?? 0) - CONTEXT), longest)
  const seen = new Set(gone.map(shown))
  // Where two parts look the same all the same, they are shown whole.
  const before = new Set(gone)
  const hidden = new Set(
    come
      .filter(text => !before.has(text))
      .map(shown)
      .filter(text => seen.has(text))
  )
  const told = (text: string) => (hidden.has(shown(text)) ? text : shown(text))
  return { gone: gone.map(told), come: come.map(told) }
}

/** The length of the beginning that all texts share. */
function sharedBy([first = '', ...others]: readonly string[]): number {
  let same = first.length
  for (const other of others) {
    let at = 0
    while (at < same && at < other.length && first[at] === other[at]) at += 1
    same = at
  }
  return others.length === 0 ? 0 : same
}

/** A part of a text that splits no character; `…` stands for what is left out. */
function excerpt(text: string, from: number, longest: number): string {
  const to = from + longest
  const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`
}

/** The first few of many, and how many there are beside them. */
export function few(texts: readonly string[], most: number, noun = ''): string {
  const first = texts.slice(0, most).join(', ')
  const rest = texts.length - most
  if (rest <= 0) return first
  return `${first} and ${formatNumber(rest)} more${noun === '' ? '' : ` ${noun}`}`
}

/** A sentence of ours with its large numbers set apart: `2987 sites` is `2,987 sites`. */
export function thousands(sentence: string): string {
  return sentence.replace(/\d{4,}/g, formatNumber)
}

/** A text that is longer than this, cut, and never in the middle of a character. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}
