import { append, byCodeUnit, groupBy, sortBy } from '../../../core/values/collections.ts'
import { matchesGlob } from '../../../core/values/glob.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { RequestedImport } from '../site-requests.ts'
import type { WlanFamily } from './families.ts'

/** A name for the sites whose names match the glob, or that share a value which does. */
export interface GroupName {
  readonly name: string
  readonly glob: string
}

/** True if the glob matches the names of all sites. */
export function matchesSites(sites: Iterable<RequestedImport>, { glob }: GroupName): boolean {
  return [...sites].every(({ name }) => matchesGlob(name, glob))
}

/** Sites with nearly the same WLANs, which share a file. */
export interface Kind {
  /** Names its file, and its group: `stores`; for a single site its own slug. */
  readonly name: string
  /** The WLANs that its sites have, sorted by key; a few sites lack one of them, or have others. */
  readonly families: readonly WlanFamily[]
  /** Sorted by name. */
  readonly sites: readonly RequestedImport[]
}

/** The maximum share of the sites of a kind that join it with other WLANs. */
const MAX_DIFFERENT = 0.25

interface Draft {
  readonly families: readonly WlanFamily[]
  readonly sites: RequestedImport[]
}

/**
 * Divides the sites into kinds by the WLANs that they share with other sites. A few sites that lack some of them, or have
 * others, join a kind whose sites have names like theirs. The first of the `requested` names that fits a kind names it.
 */
export function findKinds(
  sites: readonly RequestedImport[],
  families: readonly WlanFamily[],
  requested: readonly GroupName[]
): Kind[] {
  const familiesOf = (site: RequestedImport) => families.filter(({ members }) => members.has(site))
  const bySet = groupBy(sites, site => {
    const keys = familiesOf(site).map(({ key }) => key)
    return keys.length === 0 ? `site ${site.slug}` : keys.join('\n')
  })
  const bySize = [...bySet].sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
  const drafts: Draft[] = []
  for (const [, group] of bySize) {
    const shared = familiesOf(group[0])
    const kind =
      shared.length === 0 ? undefined : drafts.find(draft => isOfKind(draft, shared, group))
    if (kind === undefined) drafts.push({ families: shared, sites: [...group] })
    else append(kind.sites, group)
  }
  const names = new UniqueNames('-')
  const firsts = new Map<string, readonly WlanFamily[]>()
  return drafts.map(({ families: shared, sites: some }) => {
    const noun = nameOf(some)
    const similar = firsts.get(noun)
    if (similar === undefined) firsts.set(noun, shared)
    const suffix = similar === undefined ? '' : `-${difference(shared, similar)}`
    const wanted = requested.find(name => some.length > 1 && matchesSites(some, name))
    const sorted = sortBy(some, ({ name }) => name)
    return { name: names.take(wanted?.name ?? noun + suffix), families: shared, sites: sorted }
  })
}

function isOfKind(
  { families, sites }: Draft,
  wanted: readonly WlanFamily[],
  group: readonly RequestedImport[]
): boolean {
  const common = wanted.filter(family => families.includes(family)).length
  const different = families.length + wanted.length - 2 * common
  return (
    different <= common &&
    group.length <= sites.length * MAX_DIFFERENT &&
    nameOf([...sites, ...group]) === nameOf(sites)
  )
}

/** `without-guest` or `with-event`: the first WLAN in which a kind differs from another one. */
function difference(families: readonly WlanFamily[], others: readonly WlanFamily[]): string {
  const missing = others.find(family => !families.includes(family))
  if (missing !== undefined) return `without-${missing.key}`
  return `with-${families.find(family => !others.includes(family))?.key ?? 'others'}`
}

/** What the sites are called: `stores` for `store-001` and `store-002`; `sites` if their names have no common word. */
function nameOf(sites: readonly RequestedImport[]): string {
  const [first, ...others] = sites
  if (others.length === 0) return first?.slug ?? ''
  const stem = commonStem(sites.map(({ name }) => slugOf(name)))
  return stem === '' ? 'sites' : plural(stem)
}

function plural(noun: string): string {
  if (/s$/.test(noun)) return noun
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
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

/** The kind of each site. */
export function kindsBySite(kinds: readonly Kind[]): ReadonlyMap<RequestedImport, Kind> {
  return new Map(kinds.flatMap(kind => kind.sites.map(site => [site, kind] as const)))
}
