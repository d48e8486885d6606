import type { RequestedImport } from '../site-requests.ts'
import { commonStem } from './kinds.ts'
import type { SiteVariable } from './variables.ts'

/** The variable that distinguishes the sites, and the words before it in the names of their secrets. */
export interface SiteNames {
  readonly variable: SiteVariable
  readonly stem: readonly string[]
}

/** `store: 1` for `store-1` among stores; `site: store-1` if the sites have no common word. */
export function siteNames(sites: readonly RequestedImport[]): SiteNames {
  const slugs = new Map(sites.map(site => [site, site.slug]))
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

/** The texts as numbers, if all of them are canonical integers. */
function asNumbers(parts: ReadonlyMap<RequestedImport, string>): SiteVariable['values'] {
  const isNumber = (text: string) => /^(?:0|[1-9]\d{0,8})$/.test(text)
  if (![...parts.values()].every(isNumber)) return parts
  return new Map([...parts].map(([site, text]) => [site, Number(text)]))
}
