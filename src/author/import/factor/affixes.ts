import type { Value } from '../../../core/values/value.ts'
import type { ImportedSite } from '../site.ts'

/** The common prefix and suffix of strings, and the middle of each site. */
export interface Affixes {
  readonly prefix: string
  readonly suffix: string
  readonly middles: ReadonlyMap<ImportedSite, string>
}

/**
 * Splits strings: `10.0.17.11` and `10.0.18.11` become `10.0.`, a middle that differs, and `.11`. Numbers are
 * never split. Undefined without common affixes, with an empty middle, or if a string contains braces, which
 * `$format` interprets.
 */
export function findAffixes(values: ReadonlyMap<ImportedSite, Value>): Affixes | undefined {
  const texts = [...values.values()]
  if (!texts.every(isFormattable)) return undefined
  const [first = ''] = texts
  const prefix = texts.reduce(commonPrefix, first).replace(/\d+$/, '')
  const rests = texts.map(text => text.slice(prefix.length))
  const suffix = rests.map(reversed).reduce(commonPrefix, reversed(rests[0] ?? ''))
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

function isFormattable(value: Value): value is string {
  return typeof value === 'string' && /^[^{}]*$/.test(value) && !/[\ud800-\udfff]/.test(value)
}

function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

/** The texts as numbers, if all of them are canonical integers. */
export function asNumbers(
  middles: ReadonlyMap<ImportedSite, string>
): ReadonlyMap<ImportedSite, Value> {
  const isNumber = (text: string) => /^(?:0|[1-9]\d{0,8})$/.test(text)
  if (![...middles.values()].every(isNumber)) return middles
  return new Map([...middles].map(([site, text]) => [site, Number(text)]))
}
