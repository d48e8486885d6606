import type { RequestedImport } from '../site-requests.ts'
import { asNumbers, type SiteVariable } from './variables.ts'

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

/** The variable that tells sites apart, and the words before it in the names of their secrets. */
export interface SiteNames {
  readonly variable: SiteVariable
  readonly stem: readonly string[]
}

/** `store: 1` for `store-1` among stores; `site: store-1` if the sites have no common word. */
export function siteNames(sites: readonly RequestedImport[]): SiteNames {
  const slugs = new Map(sites.map(([{ slug }, imported]) => [imported, slug]))
  const stem = commonStem([...slugs.values()])
  const partOf = (slug: string) =>
    slug.startsWith(stem) ? slug.slice(stem.length).replace(/^-/, '') : ''
  const parts = new Map([...slugs].map(([site, slug]) => [site, partOf(slug)]))
  const isDistinct = new Set(parts.values()).size === parts.size
  if (stem === '' || !isDistinct || [...parts.values()].includes('')) {
    return { variable: { name: 'site', values: slugs }, stem: [] }
  }
  const name = stem.replace(/^.*-/, '')
  return { variable: { name, values: asNumbers(parts) }, stem: [stem] }
}
