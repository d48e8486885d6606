import { isPlainScalarText } from '../yaml-edit/scalar.ts'

const MAX_SLUG = 48

/** File names that Windows reserves for devices. */
const DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Converts a text to a slug: lower-case ASCII letters, digits and hyphens. Empty for a text without such characters.
 */
export function slugOf(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return letters
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '')
}

/** The name of a site's file, without its extension. */
export function fileSlug(siteName: string): string {
  const slug = slugOf(siteName)
  return slug === '' || DEVICE_NAMES.test(slug) ? `site${slug && '-'}${slug}` : slug
}

/** Cyrillic letters, each with the Latin one that it looks like. */
const LOOK_ALIKES = new Map(
  [...'авеѕіјкмнорстух'].map((letter, at) => [letter, 'abesijkmhopctyx'[at]])
)

function asLatin(text: string): string {
  return [...text.toLowerCase()].map(letter => LOOK_ALIKES.get(letter) ?? letter).join('')
}

/** The key of a WLAN: it starts with a letter and is not a reserved word of YAML or JavaScript. */
export function keySlug(ssid: string): string {
  const slug = slugOf(/\p{Script=Latin}/u.test(ssid) ? asLatin(ssid) : ssid)
  if (slug === '') return 'wlan'
  const isWord = /^[a-z]/.test(slug) && isPlainScalarText(slug)
  return isWord && slug !== 'constructor' && slug !== 'prototype' ? slug : `wlan-${slug}`
}

/** Makes names unique by adding a number to repeated ones. */
export class UniqueNames {
  readonly #taken = new Set<string>()
  /** The number of the next repetition, by name. */
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
