import { type DecodedView, decodedViews, normalized } from './decoded-views.ts'
import { AffixIndex, MIN_PATTERN_LENGTH, SubstringIndex } from './pattern-index.ts'

const REDACTED = '(secret)'
const REDACTED_WHOLE = '(redacted: it contains a secret)'
const REDACTED_UNSEARCHED = '(redacted: the run has too many secrets to search for)'

/** The maximum number of UTF-16 code units of a text that are shown. */
const MAX_TEXT_LENGTH = 2048

/** The maximum total length of all secrets in UTF-16 code units; beyond it, no text is shown. */
const MAX_UNITS = 16 * 1024 * 1024

/**
 * Redaction of the secrets of a run in error texts: secrets that were sent, read or declared. A fleet may
 * have 100,000 secrets, so adding one is cheap, and they are indexed only when there is a text to redact. The
 * cost of a text depends on its length, not on the number of secrets.
 *
 * | the text contains                              | the text                                        |
 * |------------------------------------------------|-------------------------------------------------|
 * | a secret with 4 characters or more             | is shown without it                             |
 * | its first or last 6 characters or more         | is shown without them: services quote parts of values |
 * | any 8 characters of it in a row, or more       | is shown without them                           |
 * | a secret with 1 to 3 characters                | is not shown: the gap would reveal the secret   |
 */
export class Redactor {
  readonly #values = new Set<string>()
  #unindexed: string[] = []
  readonly #short = new Set<string>()
  #affixes = new AffixIndex()
  #parts = new SubstringIndex()
  #units = 0

  /** Adds a secret; an empty string is ignored. */
  addSecret(value: string): void {
    if (value === '' || this.#isFull || this.#values.has(value)) return
    this.#units += value.length
    if (this.#isFull) this.#clear()
    else {
      this.#values.add(value)
      this.#unindexed.push(value)
    }
  }

  /**
   * The first 2,048 code units of a text from the service, on one line. Secrets and parts of them
   * are removed, plain, escaped as JSON, HTML or URL, or as hexadecimal or base64, in upper or lower case.
   */
  redact(text: string): string {
    if (this.#isFull) return REDACTED_UNSEARCHED
    this.#indexNew()
    const whole = text.replace(/\s+/g, ' ').trim()
    const line = whole.slice(0, MAX_TEXT_LENGTH)
    const isCut = line.length < whole.length
    const covered = new Uint8Array(line.length)
    for (const view of decodedViews(line)) {
      if (!view.isGuess && this.#containsShort(view.text)) return REDACTED_WHOLE
      this.#cover(view, isCut, covered)
    }
    return withGaps(line, covered) + (isCut ? '…' : '')
  }

  get #isFull(): boolean {
    return this.#units > MAX_UNITS
  }

  #clear(): void {
    this.#values.clear()
    this.#short.clear()
    this.#unindexed = []
    this.#affixes = new AffixIndex()
    this.#parts = new SubstringIndex()
  }

  #indexNew(): void {
    if (this.#unindexed.length === 0) return
    const patterns = this.#unindexed.map(normalized)
    for (const [at, pattern] of patterns.entries()) {
      const isShort = (this.#unindexed[at] ?? '').length < MIN_PATTERN_LENGTH
      if (isShort && pattern !== '') this.#short.add(pattern)
    }
    const long = patterns.filter(({ length }) => length >= MIN_PATTERN_LENGTH)
    this.#affixes.add(long)
    this.#parts.add(long)
    this.#unindexed = []
  }

  #containsShort(text: string): boolean {
    if (this.#short.size === 0) return false
    for (let at = 0; at < text.length; at += 1) {
      for (let length = 1; length < MIN_PATTERN_LENGTH; length += 1) {
        if (this.#short.has(text.slice(at, at + length))) return true
      }
    }
    return false
  }

  /** Marks the code units of the original that a part of a secret covers in a decoded view. */
  #cover({ text, starts, ends }: DecodedView, isCut: boolean, covered: Uint8Array): void {
    const inView = new Uint8Array(text.length)
    this.#affixes.cover(text, isCut, inView)
    this.#parts.cover(text, inView)
    for (let at = 0; at < text.length; at += 1) {
      if (inView[at] === 1) covered.fill(1, starts[at], ends[at])
    }
  }
}

/** Replaces each covered range by one mark; splits no character. */
function withGaps(text: string, covered: Uint8Array): string {
  let redacted = ''
  let at = 0
  let isInGap = false
  for (const character of text) {
    const end = at + character.length
    const isCovered = covered[at] === 1 || covered[end - 1] === 1
    if (!isCovered) redacted += character
    else if (!isInGap) redacted += REDACTED
    isInGap = isCovered
    at = end
  }
  return redacted
}
