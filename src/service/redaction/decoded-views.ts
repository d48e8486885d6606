/** A text decoded from one encoding, in lower case, with each run of white space reduced to one space. */
export interface DecodedView {
  readonly text: string
  /** For each of its code units, the range of the original that it was decoded from. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** True if the bytes of any word decode to some text, so that a short match means nothing. */
  readonly isGuess: boolean
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
 * | hexadecimal       | `22c3bc20`, `22 C3 BC 20`        |
 * | base64            | `IsO8IA==`                       |
 *
 * Hexadecimal and base64 may begin anywhere in a word, so each digit may be the first one of a byte.
 */
export function decodedViews(text: string): DecodedView[] {
  const views = [viewOf(text, /(?!)/g, same => same)]
  for (const { mark, pattern, decode } of encodings) {
    if (text.includes(mark)) views.push(viewOf(text, pattern, decode))
  }
  return [...views, ...byteViews.flatMap(encoding => viewsOfBytes(text, encoding))]
}

/** Normalizes a value in the same way as the views. */
export function normalized(value: string): string {
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

interface ByteEncoding {
  /** Matches a word of at least six bytes, which are a part of a secret that must not be shown. */
  readonly word: RegExp
  /** All digits by value; those of the same value are in the same element. */
  readonly digits: readonly string[]
  /** The number of bits of a digit. */
  readonly bits: number
}

const byteViews: readonly ByteEncoding[] = [
  {
    word: /(?:[\da-f]{2}[ :]?){6,}[\da-f]?/gi,
    digits: [...'0123456789'].concat(['aA', 'bB', 'cC', 'dD', 'eE', 'fF']),
    bits: 4
  },
  {
    word: /[\w+/-]{8,}/g,
    digits: [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', '+-', '/_'],
    bits: 6
  }
]

/** Not in any secret: separates what two words decode to. */
const GAP = '\uffff'

/** The words of an encoding, decoded from each digit that may be the first one of a byte. */
function viewsOfBytes(text: string, { word, digits, bits }: ByteEncoding): DecodedView[] {
  const words = [...text.matchAll(word)]
  if (words.length === 0) return []
  const values = new Map(digits.flatMap((same, value) => [...same].map(digit => [digit, value])))
  return Array.from({ length: bits === 4 ? 2 : 4 }, (_, skipped) => {
    const view = new ViewBuilder()
    for (const { 0: found, index } of words) {
      const placed = [...found].flatMap((digit, at) => {
        const value = values.get(digit)
        return value === undefined ? [] : { value, at: index + at }
      })
      view.addBytes(bytesOf(placed.slice(skipped), bits))
      if (index + found.length < text.length) view.addDecoded(GAP, index, index)
    }
    return view.view(true)
  })
}

/** A byte, and the range of the original that it was decoded from; with a separator before it. */
interface PlacedByte {
  readonly byte: number
  readonly start: number
  readonly end: number
}

function bytesOf(
  digits: readonly { readonly value: number; readonly at: number }[],
  bits: number
): PlacedByte[] {
  return Array.from({ length: Math.floor((digits.length * bits) / 8) }, (_, nth) => {
    const [first, last] = [Math.floor((nth * 8) / bits), Math.ceil((nth * 8 + 8) / bits)]
    const parts = digits.slice(first, last)
    const value = parts.reduce((sum, digit) => sum * 2 ** bits + digit.value, 0)
    const beyond = last * bits - (nth * 8 + 8)
    return {
      byte: Math.floor(value / 2 ** beyond) % 256,
      start: (digits[first - 1]?.at ?? (parts[0]?.at ?? 0) - 1) + 1,
      end: (parts.at(-1)?.at ?? 0) + 1
    }
  })
}

/** The number of bytes of a character of UTF-8, by its first one. */
function lengthOfCharacter(lead: number): number {
  if (lead < 0xc0) return 1
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
}

function decodeCharacter(bytes: readonly PlacedByte[]): string {
  const [first] = bytes
  if (first !== undefined && first.byte < 0x80) return String.fromCharCode(first.byte)
  const text = Buffer.from(bytes.map(({ byte }) => byte)).toString('utf8')
  return text.includes('\ufffd') ? '\ufffd' : text
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

  /** Adds bytes as UTF-8; a byte that is none becomes U+FFFD. */
  addBytes(bytes: readonly PlacedByte[]): void {
    for (let at = 0; at < bytes.length; ) {
      const parts = bytes.slice(at, at + lengthOfCharacter(bytes[at]?.byte ?? 0))
      const text = decodeCharacter(parts)
      const used = text === '\ufffd' ? 1 : parts.length
      this.addDecoded(text, parts[0]?.start ?? 0, parts[used - 1]?.end ?? 0)
      at += used
    }
  }

  view(isGuess = false): DecodedView {
    const text = fold(this.#pieces.join('')).replace(/\p{Cs}/gu, '\ufffd')
    return { text, starts: this.#starts, ends: this.#ends, isGuess }
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
