const MAX_SLUG = 48

/** The text as lower-case ASCII letters, digits and hyphens; empty for a text without any. */
export function slugOf(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return letters
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '')
}

/**
 * The common words at the start of slugs: `store` of `store-001` and `store-berlin`; empty without one. A single
 * letter, and letters behind a digit (the `e` of `site-59e095`), are no words.
 */
export function commonStem(slugs: readonly string[]): string {
  const words = (slugs[0] ?? '').replace(/(\d)[a-z].*$/, '$1').split(/[-\d]+/)
  const isShared = (count: number) => {
    const start = new RegExp(`^${words.slice(0, count).join('[-\\d]+')}(?![a-z])`)
    return slugs.every(slug => start.test(slug))
  }
  let count = 0
  while (count < words.length && (words[count] ?? '').length > 1 && isShared(count + 1)) count += 1
  return words.slice(0, count).join('-')
}

export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()
  readonly #separator: string

  constructor(separator: string) {
    this.#separator = separator
  }

  has(name: string): boolean {
    return this.#taken.has(name)
  }

  take(wanted: string): string {
    let name = wanted
    let n = this.#next.get(wanted) ?? 2
    for (; this.#taken.has(name); n += 1) name = `${wanted}${this.#separator}${n}`
    this.#next.set(wanted, n)
    this.#taken.add(name)
    return name
  }
}
