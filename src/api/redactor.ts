import { type DecodedView, decodedViews, normalized } from './decoded-views.ts'
import { LONGEST_TEXT, PatternIndex, SHORTEST_PATTERN } from './pattern-index.ts'

const REDACTED = '(secret)'
const WITHHELD = '(withheld: it holds a secret)'
const UNSEARCHED = '(withheld: the run has too many secrets to search it for)'

/** UTF-16 code units of all secrets together; beyond that no text is shown. */
const MOST_UNITS = 16 * 1024 * 1024

/**
 * The secrets that a run has met, so that no error text repeats one: what was sent, what was read and
 * what is declared. Meeting one costs next to nothing, since a fleet may hold 100,000; they are indexed
 * only when there is a text to redact. A text costs as much as it is long, however many they are.
 *
 * | of a secret                                    | the text                                        |
 * |------------------------------------------------|-------------------------------------------------|
 * | all of it, if it has 4 characters or more      | loses it                                        |
 * | its beginning or end, of 6 characters or more  | loses it: services quote parts of what is wrong |
 * | all of it, if it has 1 to 3 characters         | is withheld: the gap would give the secret away |
 */
export class Redactor {
  readonly #values = new Set<string>()
  /** Those that are not indexed yet. */
  #fresh: string[] = []
  readonly #short = new Set<string>()
  #beginnings = new PatternIndex()
  /** The same patterns from their ends, for a text from its end. */
  #ends = new PatternIndex()
  #units = 0

  /** An empty string is no secret. */
  addSecret(value: string): void {
    if (value === '' || this.#isFull || this.#values.has(value)) return
    this.#units += value.length
    if (this.#isFull) this.#forget()
    else {
      this.#values.add(value)
      this.#fresh.push(value)
    }
  }

  /**
   * The first 2,048 code units of a text of the service, on one line, without the secrets in it and without
   * their beginnings and ends, be they plain or escaped as JSON, HTML or URL, in any case.
   */
  redact(text: string): string {
    if (this.#isFull) return UNSEARCHED
    this.#indexFresh()
    const whole = text.replace(/\s+/g, ' ').trim()
    const line = whole.slice(0, LONGEST_TEXT)
    const isCut = line.length < whole.length
    const covered = new Uint8Array(line.length)
    for (const view of decodedViews(line)) {
      if (this.#holdsShort(view.text)) return WITHHELD
      this.#cover(view, isCut, covered)
    }
    return withGaps(line, covered) + (isCut ? '…' : '')
  }

  /** Steps taken in searching texts so far; tests bound it. */
  get work(): number {
    return this.#beginnings.work + this.#ends.work
  }

  get #isFull(): boolean {
    return this.#units > MOST_UNITS
  }

  #forget(): void {
    this.#values.clear()
    this.#short.clear()
    this.#fresh = []
    this.#beginnings = new PatternIndex()
    this.#ends = new PatternIndex()
  }

  #indexFresh(): void {
    if (this.#fresh.length === 0) return
    const patterns = this.#fresh.map(normalized)
    for (const [at, pattern] of patterns.entries()) {
      const isShort = (this.#fresh[at] ?? '').length < SHORTEST_PATTERN
      if (isShort && pattern !== '') this.#short.add(pattern)
    }
    const long = patterns.filter(({ length }) => length >= SHORTEST_PATTERN)
    this.#beginnings.add(long.map(pattern => pattern.slice(0, LONGEST_TEXT)))
    this.#ends.add(long.map(pattern => reversed(pattern.slice(-LONGEST_TEXT))))
    this.#fresh = []
  }

  #holdsShort(text: string): boolean {
    if (this.#short.size === 0) return false
    for (let at = 0; at < text.length; at += 1) {
      for (let length = 1; length < SHORTEST_PATTERN; length += 1) {
        if (this.#short.has(text.slice(at, at + length))) return true
      }
    }
    return false
  }

  /** Marks the places of the original that a beginning or an end covers in a view of it. */
  #cover({ text, starts, ends }: DecodedView, isCut: boolean, covered: Uint8Array): void {
    const forward = this.#beginnings.cover(text, isCut)
    const backward = this.#ends.cover(reversed(text), false).reverse()
    for (let at = 0; at < text.length; at += 1) {
      if (forward[at] === 1 || backward[at] === 1) covered.fill(1, starts[at], ends[at])
    }
  }
}

/** The text with one mark for each stretch of covered places; no half of a character stays. */
function withGaps(text: string, covered: Uint8Array): string {
  let shown = ''
  let at = 0
  let isInGap = false
  for (const character of text) {
    const end = at + character.length
    const isCovered = covered[at] === 1 || covered[end - 1] === 1
    if (!isCovered) shown += character
    else if (!isInGap) shown += REDACTED
    isInGap = isCovered
    at = end
  }
  return shown
}

function reversed(text: string): string {
  return text.split('').reverse().join('')
}
