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
 * | a secret with 1 to 3 characters                | is not shown: the gap would reveal the secret   |
 */
export class Redactor {
  readonly #values = new Set<string>()
  /** Secrets that are not indexed yet. */
  #unindexed: string[] = []
  readonly #short = new Set<string>()
  #beginnings = new PatternIndex()
  /** The same patterns reversed, for suffixes. */
  #ends = new PatternIndex()
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
   * The first 2,048 code units of a text from the service, on one line. Secrets, their prefixes and suffixes
   * are removed, plain or escaped as JSON, HTML or URL, in upper or lower case.
   */
  redact(text: string): string {
    if (this.#isFull) return REDACTED_UNSEARCHED
    this.#indexNew()
    const whole = text.replace(/\s+/g, ' ').trim()
    const line = whole.slice(0, MAX_TEXT_LENGTH)
    const isCut = line.length < whole.length
    const covered = new Uint8Array(line.length)
    for (const view of decodedViews(line)) {
      if (this.#containsShort(view.text)) return REDACTED_WHOLE
      this.#cover(view, isCut, covered)
    }
    return withGaps(line, covered) + (isCut ? '…' : '')
  }

  /** The number of search steps so far, for tests. */
  get work(): number {
    return this.#beginnings.work + this.#ends.work
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

  /** Marks the code units of the original that a prefix or suffix covers in a decoded view. */
  #cover({ text, starts, ends }: DecodedView, isCut: boolean, covered: Uint8Array): void {
    const forward = this.#beginnings.cover(text, isCut)
    const backward = this.#ends.cover(reversed(text), false).reverse()
    for (let at = 0; at < text.length; at += 1) {
      if (forward[at] === 1 || backward[at] === 1) covered.fill(1, starts[at], ends[at])
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

/** A text decoded from one encoding, in lower case, with each run of white space reduced to one space. */
interface DecodedView {
  readonly text: string
  /** For each of its code units, the range of the original that it was decoded from. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/**
 * A text decoded from each encoding in which a service may repeat a value, the plain text first.
 *
 * | encoding          | e.g. for `"ü` and a space        |
 * |-------------------|----------------------------------|
 * | none              | `"ü `                            |
 * | JSON, backslashes | `\"\u00fc `, `\/`, `\'`, `\n`    |
 * | HTML              | `&quot;&#xfc; `                  |
 * | URL               | `%22%C3%BC%20`, or `+` for space |
 */
function decodedViews(text: string): DecodedView[] {
  const views = [viewOf(text, /(?!)/g, same => same)]
  for (const { mark, pattern, decode } of encodings) {
    if (text.includes(mark)) views.push(viewOf(text, pattern, decode))
  }
  return views
}

/** Normalizes a value in the same way as the views. */
function normalized(value: string): string {
  return fold(value.replace(/\s+/g, ' ').trim()).replace(/\p{Cs}/gu, '\ufffd')
}

interface Encoding {
  /** The character that every code of the encoding contains. */
  readonly mark: string
  readonly pattern: RegExp
  readonly decode: (code: string) => string
}

const BACKSLASHED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t'
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' '
}

const encodings: readonly Encoding[] = [
  { mark: '\\', pattern: /\\(?:u[\da-f]{4}|.)/gis, decode: fromBackslash },
  {
    mark: '&',
    pattern: /&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[\da-f]{1,6});/gi,
    decode: fromEntity
  },
  {
    mark: '%',
    pattern: /%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}/gi,
    decode: fromPercents
  },
  {
    mark: '+',
    pattern: /%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}|\+/gi,
    decode: fromForm
  }
]

function fromBackslash(code: string): string {
  if (code.length > 2) return String.fromCharCode(Number.parseInt(code.slice(2), 16))
  const letter = code.slice(1)
  return BACKSLASHED[letter.toLowerCase()] ?? letter
}

function fromEntity(code: string): string {
  const name = code.slice(1, -1).toLowerCase()
  if (!name.startsWith('#')) return ENTITIES[name] ?? code
  const point = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return point <= 0x10ffff ? String.fromCodePoint(point) : code
}

/** Bytes that are not UTF-8 become U+FFFD, like lone surrogates in the views. */
function fromPercents(code: string): string {
  return Buffer.from(code.replaceAll('%', ''), 'hex').toString('utf8')
}

function fromForm(code: string): string {
  return code === '+' ? ' ' : fromPercents(code)
}

/** Decodes a text in one pass; each decoded character maps to the range of its code. */
function viewOf(text: string, pattern: RegExp, decode: (code: string) => string): DecodedView {
  const view = new ViewBuilder()
  let from = 0
  for (const { 0: code, index } of text.matchAll(pattern)) {
    view.addPlain(text, from, index)
    from = index + code.length
    view.addDecoded(decode(code), index, from)
  }
  view.addPlain(text, from, text.length)
  return view.view()
}

class ViewBuilder {
  readonly #pieces: string[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  addPlain(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.#add(text.charAt(at), at, at + 1)
  }

  addDecoded(text: string, from: number, to: number): void {
    for (let at = 0; at < text.length; at += 1) this.#add(text.charAt(at), from, to)
  }

  view(): DecodedView {
    const text = fold(this.#pieces.join('')).replace(/\p{Cs}/gu, '\ufffd')
    return { text, starts: this.#starts, ends: this.#ends }
  }

  #add(unit: string, start: number, end: number): void {
    const isSpace = /\s/.test(unit)
    if (isSpace && this.#pieces.at(-1) === ' ') {
      this.#ends[this.#ends.length - 1] = end
      return
    }
    this.#pieces.push(isSpace ? ' ' : unit)
    this.#starts.push(start)
    this.#ends.push(end)
  }
}

/** Converts to lower case where that keeps the length. */
function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/\p{Lu}/gu, letter => {
    const small = letter.toLowerCase()
    return small.length === letter.length ? small : letter
  })
}
