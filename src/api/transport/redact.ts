/** A shorter secret gives itself away by the gap it leaves: the whole text is withheld. */
const SHORTEST = 4

const WITHHELD = '(withheld: it holds a secret)'

/**
 * The secrets that a run has met, so that no error text repeats one: what was sent, what was read and
 * what is declared. Meeting one costs next to nothing, since a fleet may hold 100,000; only when there is
 * a text to clean are they spelled out, and found by how they begin, each of them once.
 */
export class KnownSecrets {
  readonly #values = new Set<string>()
  /** Those that no text was searched for yet. */
  #fresh: string[] = []
  readonly #short = new Set<string>()
  /** The spellings by their first characters. */
  readonly #long = new Map<string, string[]>()

  /** An empty string is no secret. */
  meet(value: string): void {
    if (value === '' || this.#values.has(value)) return
    this.#values.add(value)
    this.#fresh.push(value)
  }

  /**
   * A text of the service, on one line, without the secrets in it, whether they stand there as they
   * are or escaped as JSON, HTML or URL, in any case.
   */
  redact(text: string): string {
    this.#spellOut()
    const line = onOneLine(text)
    const folded = fold(line)
    for (const short of this.#short) if (folded.includes(short)) return WITHHELD
    return this.#gapsIn(folded).reduceRight(
      (rest, { from, to }) => `${rest.slice(0, from)}(secret)${rest.slice(to)}`,
      line
    )
  }

  #spellOut(): void {
    for (const value of this.#fresh) {
      for (const spelling of new Set(spellings(value).map(onOneLine).map(fold))) {
        if (value.length < SHORTEST) this.#short.add(spelling)
        else if (spelling.length >= SHORTEST) this.#index(spelling)
      }
    }
    this.#fresh = []
  }

  #index(spelling: string): void {
    const start = spelling.slice(0, SHORTEST)
    const others = this.#long.get(start)
    if (others === undefined) this.#long.set(start, [spelling])
    else others.push(spelling)
  }

  /** What has to go. Secrets that overlap or touch leave one gap, and nothing of either. */
  #gapsIn(folded: string): Gap[] {
    const gaps: Gap[] = []
    for (let from = 0; from < folded.length; from += 1) {
      const length = this.#longestAt(folded, from)
      const last = gaps.at(-1)
      if (length === 0) continue
      if (last === undefined || from > last.to) gaps.push({ from, to: from + length })
      else last.to = Math.max(last.to, from + length)
    }
    return gaps
  }

  #longestAt(folded: string, from: number): number {
    const candidates = this.#long.get(folded.slice(from, from + SHORTEST)) ?? []
    return candidates.reduce(
      (longest, candidate) =>
        candidate.length > longest && folded.startsWith(candidate, from)
          ? candidate.length
          : longest,
      0
    )
  }
}

interface Gap {
  readonly from: number
  to: number
}

/** In lower case, with every character in its place. */
function fold(text: string): string {
  return text.replace(/\p{Lu}/gu, letter => {
    const small = letter.toLowerCase()
    return small.length === letter.length ? small : letter
  })
}

/** Services break lines anew, and lose the blanks at the ends of a text. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The ways in which services write a text that they repeat. */
function spellings(secret: string): readonly string[] {
  if (/^[\w.~-]*$/.test(secret)) return [secret]
  const json = JSON.stringify(secret).slice(1, -1)
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const url = encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd'))
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[^\0-\x7f]/g, asEscape),
    secret.replace(/['\\]/g, '\\$&'),
    html,
    ...quotes.map(([double, single]) => html.replaceAll('"', double).replaceAll("'", single)),
    url,
    url.replaceAll('%20', '+')
  ]
}

/** How the quotes are written in HTML: nobody agrees. */
const quotes = [
  ['&quot;', "'"],
  ['&quot;', '&#39;'],
  ['&quot;', '&#x27;'],
  ['&#34;', '&#39;']
] as const

function asEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
