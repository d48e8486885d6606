import { isPlainScalarText } from '../yaml-edit/scalar.ts'

/** Letters of a slug; longer names are cut. */
const MAX_SLUG = 48

/** File names that some systems keep for devices. */
const DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * A text as a handle: lower-case letters, digits and hyphens, no accents. Empty for a text that has
 * none of them.
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
  const made = slugOf(siteName)
  return made === '' || DEVICE_NAMES.test(made) ? `site${made && '-'}${made}` : made
}

/** The key of a WLAN: one that begins with a letter, and that is no word of YAML or JavaScript. */
export function keySlug(ssid: string): string {
  const made = slugOf(ssid)
  if (made === '') return 'wlan'
  const isWord = /^[a-z]/.test(made) && isPlainScalarText(made)
  return isWord && made !== 'constructor' && made !== 'prototype' ? made : `wlan-${made}`
}

/** Gives each name once: who comes later gets a number behind it. */
export class UniqueNames {
  readonly #taken = new Set<string>()
  /** The number that the next one of a name gets, where it was asked for before. */
  readonly #next = new Map<string, number>()
  readonly #separator: string

  constructor(separator: string) {
    this.#separator = separator
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
