import { type DecodedView, decodedViews, normalized } from './decoded-views.ts'
import { MAX_TEXT_LENGTH, MIN_PATTERN_LENGTH, PatternIndex } from './pattern-index.ts'

const REDACTED = '(secret)'
const REDACTED_WHOLE = '(redacted: it contains a secret)'
const REDACTED_UNSEARCHED = '(redacted: the run has too many secrets to search for)'

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
  #beginnings = new PatternIndex()
  /** The same patterns reversed, for suffixes. */
  #ends = new PatternIndex()
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

  /** The number of search steps so far, for tests. */
  get work(): number {
    return this.#beginnings.work + this.#ends.work + this.#parts.work
  }

  get #isFull(): boolean {
    return this.#units > MAX_UNITS
  }

  #clear(): void {
    this.#values.clear()
    this.#short.clear()
    this.#unindexed = []
    this.#beginnings = new PatternIndex()
    this.#ends = new PatternIndex()
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
    this.#beginnings.add(long.map(pattern => pattern.slice(0, MAX_TEXT_LENGTH)))
    this.#ends.add(long.map(pattern => reversed(pattern.slice(-MAX_TEXT_LENGTH))))
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
    const forward = this.#beginnings.cover(text, isCut)
    const backward = this.#ends.cover(reversed(text), false).reverse()
    const inside = this.#parts.cover(text)
    for (let at = 0; at < text.length; at += 1) {
      if (forward[at] === 1 || backward[at] === 1 || inside[at] === 1)
        covered.fill(1, starts[at], ends[at])
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

function reversed(text: string): string {
  return text.split('').reverse().join('')
}

/** The length of the shortest part to find. */
const PART_LENGTH = 8

/**
 * Finds parts of many patterns in a text: a hash table of the places of all distinct parts of 8 code units.
 * The work depends on the length of the text, not on the number of patterns. Memory: 2 bytes for each code
 * unit of the patterns and 4 to 16 for each distinct part.
 */
class SubstringIndex {
  /** The number of looked up parts so far, for tests. */
  work = 0
  #units = new Uint16Array(1024)
  #length = 0
  /** The start of a part plus 1 at the hash of the part, or after it; 0: free. At most half is used. */
  #table = new Uint32Array(1024)
  #count = 0

  /** Adds patterns; one shorter than 8 code units has no such part. */
  add(patterns: readonly string[]): void {
    const long = patterns.filter(({ length }) => length >= PART_LENGTH)
    this.#reserve(long.reduce((sum, { length }) => sum + length, 0))
    for (const pattern of long) {
      const start = this.#length
      writeUnits(this.#units, start, pattern)
      this.#length += pattern.length
      for (let at = start; at + PART_LENGTH <= this.#length; at += 1) this.#insert(at)
    }
  }

  /** For each code unit of a text, 1 if a part covers it. */
  cover(text: string): Uint8Array {
    const covered = new Uint8Array(text.length)
    if (this.#count === 0) return covered
    const units = new Uint16Array(text.length)
    writeUnits(units, 0, text)
    for (let at = 0; at + PART_LENGTH <= units.length; at += 1) {
      this.work += 1
      if (this.#table[this.#slotOf(units, at)] !== 0) covered.fill(1, at, at + PART_LENGTH)
    }
    return covered
  }

  /** The place in the table of the part that starts here; free if the table does not have it. */
  #slotOf(units: Uint16Array, start: number): number {
    const mask = this.#table.length - 1
    for (let slot = hashOf(units, start) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#table[slot] ?? 0
      if (found === 0 || this.#equal(found - 1, units, start)) return slot
    }
  }

  #equal(at: number, units: Uint16Array, start: number): boolean {
    for (let nth = 0; nth < PART_LENGTH; nth += 1) {
      if (this.#units[at + nth] !== units[start + nth]) return false
    }
    return true
  }

  #insert(start: number): void {
    const slot = this.#slotOf(this.#units, start)
    if (this.#table[slot] !== 0) return
    this.#table[slot] = start + 1
    this.#count += 1
  }

  #reserve(more: number): void {
    const length = this.#length + more
    if (length > this.#units.length) {
      const larger = new Uint16Array(2 * length)
      larger.set(this.#units.subarray(0, this.#length))
      this.#units = larger
    }
    const least = 2 * (this.#count + more)
    if (least <= this.#table.length) return
    const starts = this.#table.filter(start => start !== 0)
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(least)))
    this.#count = 0
    for (const start of starts) this.#insert(start - 1)
  }
}

function writeUnits(units: Uint16Array, start: number, text: string): void {
  for (let at = 0; at < text.length; at += 1) units[start + at] = text.charCodeAt(at)
}

/** FNV-1a of the part that starts here, with its bits mixed into the low ones. */
function hashOf(units: Uint16Array, start: number): number {
  let hash = 0x811c9dc5
  for (let nth = 0; nth < PART_LENGTH; nth += 1) {
    hash = Math.imul(hash ^ (units[start + nth] ?? 0), 0x01000193)
  }
  return hash ^ (hash >>> 15)
}
