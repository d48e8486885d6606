import { createHash } from 'node:crypto'

/** A value that no output may contain, with its name. */
export interface Canary {
  readonly name: string
  readonly value: string
}

/** A secret that was found, with its form and the output. */
export interface Leak {
  readonly canary: string
  readonly form: string
  readonly where: string
}

/** A spelling of a value; letters are compared exactly, unless either case is allowed. */
interface Form {
  readonly form: string
  readonly text: string
}

/** Shorter fragments occur by chance. */
const SHORTEST = 6

/** Searches texts for the canaries, in all forms in which a program might leak one. */
export class Scanner {
  readonly #forms: readonly (Form & { readonly canary: string })[]
  readonly #lengths: ReadonlyMap<number, string>

  constructor(canaries: readonly Canary[]) {
    this.#forms = canaries.flatMap(({ name, value }) =>
      formsOf(value).map(form => ({ canary: name, ...form }))
    )
    this.#lengths = new Map(
      canaries.flatMap(({ name, value }) => [
        [value.length, name] as const,
        [Buffer.byteLength(value), name] as const
      ])
    )
  }

  /** Every leak in these outputs, by their names. */
  scan(outputs: Readonly<Record<string, string>>): Leak[] {
    return Object.entries(outputs).flatMap(([where, text]) =>
      [...this.#spelled(text), ...this.#masked(text)].map(leak => ({ ...leak, where }))
    )
  }

  #spelled(text: string): Omit<Leak, 'where'>[] {
    const small = text.toLowerCase()
    return this.#forms
      .filter(form => (form.form.startsWith('hex') ? small : text).includes(form.text))
      .map(({ canary, form }) => ({ canary, form }))
  }

  /** Asterisks, or other marks, reveal the length of a secret if they repeat once per character. */
  #masked(text: string): Omit<Leak, 'where'>[] {
    const runs = text.match(/([*•●·#.xX?_])\1{7,}/g) ?? []
    return runs.flatMap(run => {
      const canary = this.#lengths.get(run.length)
      return canary === undefined ? [] : [{ canary, form: 'its length' }]
    })
  }
}

function formsOf(value: string): Form[] {
  const bytes = Buffer.from(value)
  const forms: Form[] = [
    ...texts(value),
    ...lines(value),
    { form: 'hex', text: bytes.toString('hex') },
    ...[0, 1, 2].flatMap(offset => base64Forms(bytes, offset)),
    ...[value, `${value}\n`].flatMap(hashes)
  ]
  const seen = new Set<string>()
  return forms.filter(({ text }) => {
    const isNew = text.length >= SHORTEST && !seen.has(text)
    seen.add(text)
    return isNew
  })
}

function texts(value: string): Form[] {
  const json = JSON.stringify(value).slice(1, -1)
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const url = encodeURIComponent(value)
  const lowerUrl = url.replace(/%../g, code => code.toLowerCase())
  const percents = Buffer.from(value).toString('hex').replace(/../g, '%$&')
  const visible = value.replace(/[^\P{C}]/gu, each => `\\u{${each.codePointAt(0)?.toString(16)}}`)
  return [
    { form: 'raw', text: value },
    { form: 'raw, reversed', text: [...value].reverse().join('') },
    { form: 'JSON', text: json },
    { form: 'JSON in JSON', text: JSON.stringify(json).slice(1, -1) },
    { form: 'JSON in ASCII', text: json.replace(/[^\0-\x7f]/g, unicodeEscape) },
    { form: 'HTML', text: html },
    { form: 'HTML, quotes too', text: html.replaceAll('"', '&quot;').replaceAll("'", '&#39;') },
    { form: 'HTML, numbers', text: [...value].map(each => `&#${each.codePointAt(0)};`).join('') },
    { form: 'URL', text: url },
    { form: 'URL, lower case', text: lowerUrl },
    { form: 'URL, blanks as +', text: url.replaceAll('%20', '+') },
    { form: 'hex, percent', text: percents },
    { form: 'escaped for a terminal', text: visible },
    { form: 'escaped for a terminal, \\n', text: visible.replaceAll('\\u{a}', '\\n') }
  ]
}

/** Each line of a multi-line text is a secret. */
function lines(value: string): Form[] {
  const parts = value.split(/\r?\n/)
  return parts.length === 1 ? [] : parts.map(text => ({ form: 'one of its lines', text }))
}

/** The characters of base64 that depend on the value alone, regardless of the bytes around it. */
function base64Forms(bytes: Buffer, offset: number): Form[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const from = Math.ceil((offset * 8) / 6)
  const text = whole.slice(from, Math.floor(((offset + bytes.length) * 8) / 6))
  return [
    { form: `base64 at ${offset}`, text },
    { form: `base64url at ${offset}`, text: text.replaceAll('+', '-').replaceAll('/', '_') }
  ]
}

/** Prefixes, as hashes are often shortened. */
function hashes(value: string): Form[] {
  return ['md5', 'sha1', 'sha256', 'sha512'].flatMap(algorithm => {
    const hash = createHash(algorithm).update(value)
    const base64 = hash.copy().digest('base64').slice(0, 16)
    return [
      { form: `hex of ${algorithm}`, text: hash.copy().digest('hex').slice(0, 12) },
      { form: `base64 of ${algorithm}`, text: base64 },
      {
        form: `base64url of ${algorithm}`,
        text: base64.replaceAll('+', '-').replaceAll('/', '_')
      }
    ]
  })
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
