import { matchesGlob } from '../../../core/values/glob.ts'
import { Secret } from '../../../core/values/secret.ts'
import { isList, isObject } from '../../../core/values/value.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite } from '../site.ts'
import type { RequestedImport } from '../site-requests.ts'
import type { SiteGroup, SiteVars, UnnamedGroup } from './groups.ts'
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

/** The variable that distinguishes the sites, and the words before it in the names of their secrets. */
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

/** A name for the groups of which a value, or the name of every site, matches the glob. */
export interface GroupName {
  readonly name: string
  readonly glob: string
}

/**
 * Names groups: as requested, else by a word that the names of all their sites have and those of no other group
 * (`berlin` for `berlin-1` and `berlin-2`), else `group-1`.
 */
export function nameGroups(
  groups: readonly UnnamedGroup[],
  requested: readonly GroupName[]
): SiteGroup[] {
  const unique = new UniqueNames('-')
  const names = groups.map(group => {
    const name = requested.find(({ glob }) => matchesGroup(group, glob))?.name
    return name ?? commonWord(group, groups)
  })
  return groups.map((group, at) => ({
    name: unique.take(names[at] ?? `group-${at + 1}`),
    ...group
  }))
}

/** True if the glob matches one of the values, or the names of all sites. */
export function matchesGroup({ vars, sites }: UnnamedGroup, glob: string): boolean {
  return (
    plainValues(vars).some(text => matchesGlob(text, glob)) ||
    [...sites].every(({ site }) => matchesGlob(site.name, glob))
  )
}

function plainValues(vars: SiteVars): string[] {
  return [...vars.values()].flatMap(value =>
    value instanceof Secret || isList(value) || isObject(value) ? [] : String(value)
  )
}

function commonWord(group: UnnamedGroup, groups: readonly UnnamedGroup[]): string | undefined {
  const [first = new Set<string>(), ...rest] = [...group.sites].map(wordsOf)
  const others = groups.filter(other => other !== group).flatMap(({ sites }) => [...sites])
  const taken = new Set(others.flatMap(site => [...wordsOf(site)]))
  return [...first].find(word => !taken.has(word) && rest.every(words => words.has(word)))
}

/** The words of a site's name, without numbers and single letters. */
function wordsOf({ site }: ImportedSite): Set<string> {
  return new Set(
    slugOf(site.name)
      .split(/[-\d]+/)
      .filter(word => word.length > 1)
  )
}
