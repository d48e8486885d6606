import { type DecodedView, decodedViews, normalized } from './decoded-views.ts'

/** The minimum length of a pattern, in UTF-16 code units. */
const MIN_PATTERN_LENGTH = 4

/** The minimum length of a prefix or suffix to find; a shorter pattern is found only as a whole. */
const AFFIX_LENGTH = 6

/** The length of the shortest part to find anywhere in a pattern. */
const PART_LENGTH = 8

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

/** Finds prefixes and suffixes of many patterns in a text, as far as they are too short for a `SubstringIndex`. */
class AffixIndex {
  readonly #prefixes = new Set<string>()
  readonly #suffixes = new Set<string>()
  /** The patterns that are shorter than an affix. */
  readonly #whole = new Set<string>()

  /** Adds patterns of at least `MIN_PATTERN_LENGTH` code units. */
  add(patterns: readonly string[]): void {
    for (const pattern of patterns) {
      if (pattern.length < AFFIX_LENGTH) this.#whole.add(pattern)
      for (let length = 1; length < PART_LENGTH; length += 1) {
        this.#prefixes.add(pattern.slice(0, length))
        if (length >= AFFIX_LENGTH) this.#suffixes.add(pattern.slice(-length))
      }
    }
  }

  /**
   * Sets each index of `covered` at which an affix covers the text. In a truncated text (`isCut`), a prefix of any length
   * counts at the end.
   */
  cover(text: string, isCut: boolean, covered: Uint8Array): void {
    for (let length = MIN_PATTERN_LENGTH; length < PART_LENGTH; length += 1) {
      for (let at = 0; at + length <= text.length; at += 1) {
        if (this.#has(text.slice(at, at + length))) covered.fill(1, at, at + length)
      }
    }
    for (let length = 1; isCut && length < AFFIX_LENGTH; length += 1) {
      const end = text.slice(-length)
      if (this.#prefixes.has(end)) covered.fill(1, text.length - end.length)
    }
  }

  #has(part: string): boolean {
    if (part.length < AFFIX_LENGTH) return this.#whole.has(part)
    return this.#prefixes.has(part) || this.#suffixes.has(part)
  }
}

/**
 * Finds parts of many patterns in a text: a hash table of the places of all distinct parts of 8 code units.
 * The work depends on the length of the text, not on the number of patterns. Memory: 2 bytes for each code
 * unit of the patterns and 4 to 16 for each distinct part.
 */
class SubstringIndex {
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

  /** Sets each index of `covered` at which a part covers the text. */
  cover(text: string, covered: Uint8Array): void {
    if (this.#count === 0) return
    const units = new Uint16Array(text.length)
    writeUnits(units, 0, text)
    for (let at = 0; at + PART_LENGTH <= units.length; at += 1) {
      if (this.#table[this.#slotOf(units, at)] !== 0) covered.fill(1, at, at + PART_LENGTH)
    }
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
