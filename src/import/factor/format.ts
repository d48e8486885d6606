import type { Value } from '../../model/value.ts'
import type { ImportedSite } from '../site.ts'

/** What texts have in common at both ends, and what is between them on each site. */
export interface Affixes {
  readonly prefix: string
  readonly suffix: string
  readonly middles: ReadonlyMap<ImportedSite, string>
}

/**
 * Takes texts apart: `10.0.17.11` and `10.0.18.11` are `10.0.`, a part that differs, and `.11`. Numbers
 * are not cut. Undefined if they have nothing in common, if nothing is left between, or if they hold
 * braces, which a `$format` takes for its own.
 */
export function affixesOf(values: ReadonlyMap<ImportedSite, Value>): Affixes | undefined {
  const texts = [...values.values()]
  if (!texts.every(isPlainText)) return undefined
  const [first = ''] = texts
  const prefix = texts.reduce(commonStart, first).replace(/\d+$/, '')
  const rests = texts.map(text => text.slice(prefix.length))
  const suffix = rests.map(reversed).reduce(commonStart, reversed(rests[0] ?? ''))
  const tail = reversed(suffix).replace(/^\d+/, '')
  if (prefix === '' && tail === '') return undefined
  const middles = rests.map(rest => rest.slice(0, rest.length - tail.length))
  if (middles.some(middle => middle === '')) return undefined
  const sites = [...values.keys()]
  return {
    prefix,
    suffix: tail,
    middles: new Map(sites.map((site, n) => [site, middles[n] ?? '']))
  }
}

/** What a text has between these ends; undefined if it does not begin and end so. */
export function middleOf(
  text: Value | undefined,
  prefix: string,
  suffix: string
): string | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix) || !text.endsWith(suffix))
    return undefined
  const middle = text.slice(prefix.length, text.length - suffix.length)
  return middle === '' || text.length < prefix.length + suffix.length ? undefined : middle
}

function isPlainText(value: Value): value is string {
  return typeof value === 'string' && /^[^{}]*$/.test(value) && !/[\ud800-\udfff]/.test(value)
}

function commonStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}
