import { isFieldName } from '../core/schema/field.ts'

/** The minimum length of what is replaced, in UTF-16 code units. */
const MIN_LENGTH = 4

/** The maximum length of what is compared; a longer form is found by its beginning. */
const MAX_LENGTH = 1024

/** The maximum number of UTF-16 code units of a text that are shown. */
const MAX_TEXT_LENGTH = 2048

/** The maximum total length of all secrets in UTF-16 code units; beyond it, no text is shown. */
const MAX_UNITS = 16 * 1024 * 1024

/** No field name is longer, so that the search for the ends of a word is short. */
const MAX_NAME_LENGTH = 100

const REDACTED = '(secret)'
const REDACTED_WHOLE = '(redacted: it contains a secret)'
const REDACTED_UNSEARCHED = '(redacted: the run has too many secrets to search for)'

/**
 * Redaction of the secrets of a run in error texts: secrets that were sent, read or declared, each as it is, in JSON, in a
 * URL and in base64. A name of a field of the schema is never redacted, though a secret is equal to it or to a part of it.
 *
 * A fleet may have 100,000 secrets, so adding one is cheap, and their forms are made only when there is a text to redact.
 * The cost of a text depends on its length and on how many lengths the forms have, not on their number.
 */
export class Redactor {
  readonly #secrets = new Set<string>()
  #added: string[] = []
  #units = 0
  /** The secrets that are too short to be replaced: the gap would reveal them. */
  readonly #short = new Set<string>()
  readonly #forms = new Set<string>()
  /** The lengths of the forms by their first characters, the longest first. */
  readonly #lengths = new Map<string, number[]>()

  /** Adds a secret; an empty string is ignored. */
  addSecret(value: string): void {
    if (value === '' || this.#units > MAX_UNITS || this.#secrets.has(value)) return
    this.#secrets.add(value)
    this.#added.push(value)
    this.#units += value.length
  }

  /** The first 2,048 code units of a text from outside, without secrets; a text with one of 1 to 3 characters is not shown. */
  redact(text: string): string {
    if (this.#units > MAX_UNITS) return REDACTED_UNSEARCHED
    for (const secret of this.#added) this.#addForms(secret)
    this.#added = []
    const end = Math.min(text.length, MAX_TEXT_LENGTH)
    let shown = ''
    let from = 0
    let secretEnd = -1
    for (let at = 0; at < end; at += 1) {
      if (this.#hasShort(text, at)) return REDACTED_WHOLE
      const length = this.#longestAt(text, at)
      if (length === 0 || liesInFieldName(text, at, length)) continue
      if (at > secretEnd) shown += text.slice(from, at) + REDACTED
      secretEnd = Math.max(secretEnd, length === MAX_LENGTH ? text.length : at + length)
      from = secretEnd
    }
    return shown + text.slice(from, Math.max(from, end)) + (end < text.length ? '…' : '')
  }

  #addForms(secret: string): void {
    if (secret.length < MIN_LENGTH) this.#short.add(secret)
    const bytes = Buffer.from(secret)
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(bytes.toString()),
      bytes.toString('base64').replace(/=+$/, '')
    ]
    for (const form of forms)
      if (form.length >= MIN_LENGTH) this.#addForm(form.slice(0, MAX_LENGTH))
  }

  #addForm(form: string): void {
    this.#forms.add(form)
    const start = form.slice(0, MIN_LENGTH)
    const lengths = this.#lengths.get(start) ?? []
    this.#lengths.set(start, lengths)
    if (lengths.includes(form.length)) return
    lengths.push(form.length)
    lengths.sort((a, b) => b - a)
  }

  #hasShort(text: string, at: number): boolean {
    if (this.#short.size === 0) return false
    for (let length = 1; length < MIN_LENGTH; length += 1) {
      const isShort = this.#short.has(text.slice(at, at + length))
      if (isShort && !liesInFieldName(text, at, length)) return true
    }
    return false
  }

  #longestAt(text: string, at: number): number {
    const lengths = this.#lengths.get(text.slice(at, at + MIN_LENGTH)) ?? []
    return lengths.find(length => this.#forms.has(text.slice(at, at + length))) ?? 0
  }
}

/** True for a part of a text within a word that is the name of a field. */
function liesInFieldName(text: string, at: number, length: number): boolean {
  const isLetter = (place: number) => /[\w-]/.test(text.charAt(place))
  let [from, to] = [at, at + length]
  while (isLetter(from - 1) && to - from <= MAX_NAME_LENGTH) from -= 1
  while (isLetter(to) && to - from <= MAX_NAME_LENGTH) to += 1
  return isFieldName(text.slice(from, to))
}
