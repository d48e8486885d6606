/** A text with one encoding decoded, in lower case, and with each run of white space as one space. */
export interface DecodedView {
  readonly text: string
  /** For each of its code units, the range of the original that it was decoded from. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/**
 * A text in each encoding in which a service may repeat a value, the plain text first.
 *
 * | encoding          | e.g. for `"ü` and a space        |
 * |-------------------|----------------------------------|
 * | none              | `"ü `                            |
 * | JSON, backslashes | `\"\u00fc `, `\/`, `\'`, `\n`    |
 * | HTML              | `&quot;&#xfc; `                  |
 * | URL               | `%22%C3%BC%20`, or `+` for space |
 */
export function decodedViews(text: string): DecodedView[] {
  const views = [viewOf(text, /(?!)/g, same => same)]
  for (const { mark, pattern, decode } of encodings) {
    if (text.includes(mark)) views.push(viewOf(text, pattern, decode))
  }
  return views
}

/** A value in the form that it has in the views. */
export function normalized(value: string): string {
  return fold(value.replace(/\s+/g, ' ').trim()).replace(/\p{Cs}/gu, '\ufffd')
}

interface Encoding {
  /** A text without it has nothing to decode. */
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

/** Bytes that are not UTF-8 become U+FFFD, as lone surrogates do in the views. */
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

/** In lower case, where that keeps the length. */
function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/\p{Lu}/gu, letter => {
    const small = letter.toLowerCase()
    return small.length === letter.length ? small : letter
  })
}
