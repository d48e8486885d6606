import { append, byCodeUnit, groupBy } from '../../../core/values/collections.ts'
import { slugOf } from '../names.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import type { RequestedSite } from '../site-requests.ts'
import type { ProfileExtension } from './assign.ts'
import type { ProfileCandidate } from './families.ts'
import { commonStem } from './naming.ts'

/** A site with its WLANs, divided into those that extend profiles and the others. */
export interface FactoredSite {
  readonly imported: ImportedSite
  readonly requested: RequestedSite
  /** WLANs that are members of the profile's family. */
  readonly extensions: readonly ProfileExtension[]
  /** WLANs of a single site that extend the profile of others. */
  readonly variants: readonly ProfileExtension[]
  /** WLANs that extend no profile. */
  readonly own: readonly ImportedWlan[]
}

/** Sites that share the WLANs of a file. */
export interface SiteList {
  /** The name of the file, without its extension. */
  readonly name: string
  readonly profiles: readonly ProfileCandidate[]
  readonly sites: readonly FactoredSite[]
  /** True for the list that sets the variables of its sites; false for one with further WLANs of listed sites. */
  readonly isMain: boolean
}

/**
 * The maximum share of a list for which sites with further WLANs stay in it, with the further WLANs in another list.
 */
const MAX_ADDITION = 0.25

interface Draft {
  readonly profiles: ReadonlySet<ProfileCandidate>
  readonly sites: FactoredSite[]
  readonly additions: { profiles: ProfileCandidate[]; sites: readonly FactoredSite[] }[]
}

/**
 * Divides the sites into lists with the same WLANs. A few sites with additional WLANs and names of the same kind are in
 * the list, and in another one with the additional WLANs. A site that lacks a WLAN is in no list that declares it.
 */
export function listsOf(sites: readonly FactoredSite[]): SiteList[] {
  const extending = sites.filter(({ extensions }) => extensions.length > 0)
  const bySet = [...groupBy(extending, site => profileNames(site).join('\n'))]
  const sorted = bySet.sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
  const drafts: Draft[] = []
  for (const [, group] of sorted) {
    const profiles = (group[0]?.extensions ?? []).map(({ profile }) => profile)
    const base = drafts.find(draft => isAddition(draft, profiles, group))
    if (base === undefined) {
      drafts.push({ profiles: new Set(profiles), sites: [...group], additions: [] })
    } else {
      append(base.sites, group)
      const further = profiles.filter(profile => !base.profiles.has(profile))
      base.additions.push({ profiles: further, sites: group })
    }
  }
  return drafts.flatMap((draft, at) => listsFrom(draft, drafts.slice(0, at)))
}

function profileNames({ extensions }: FactoredSite): string[] {
  return extensions.map(({ profile }) => profile.name).sort(byCodeUnit)
}

function isAddition(
  { profiles, sites }: Draft,
  wanted: readonly ProfileCandidate[],
  group: readonly FactoredSite[]
): boolean {
  const shared = wanted.filter(profile => profiles.has(profile)).length
  const isSameKind = kindOf([...sites, ...group]) === kindOf(sites)
  return shared === profiles.size && group.length <= sites.length * MAX_ADDITION && isSameKind
}

function listsFrom(draft: Draft, before: readonly Draft[]): SiteList[] {
  const profiles = [...draft.profiles].sort((a, b) => byCodeUnit(a.name, b.name))
  const sites = sortedSites(draft.sites)
  const kind = kindOf(sites)
  const similar = before.find(other => kindOf(other.sites) === kind)
  const name = similar === undefined ? kind : `${kind}-${difference(draft, similar)}`
  const additions = draft.additions.map(({ profiles: further, sites: some }) => ({
    name: `${name}-with-${further.map(({ family }) => family.key).join('-')}`,
    profiles: further,
    sites: sortedSites(some),
    isMain: false
  }))
  return [{ name, profiles, sites, isMain: true }, ...additions]
}

/** `without-guest` or `with-event`: the first WLANs in which a list differs from another one of its kind. */
function difference({ profiles }: Draft, other: Draft): string {
  const keysOf = (some: Iterable<ProfileCandidate>) => [...some].map(({ family }) => family.key)
  const [keys, others] = [new Set(keysOf(profiles)), new Set(keysOf(other.profiles))]
  const missing = [...others].find(key => !keys.has(key))
  if (missing !== undefined) return `without-${missing}`
  const further = [...keys].find(key => !others.has(key))
  if (further !== undefined) return `with-${further}`
  const [profile] = [...profiles].filter(each => !other.profiles.has(each))
  return `with-${profile?.name ?? 'others'}`
}

function sortedSites(sites: readonly FactoredSite[]): FactoredSite[] {
  return [...sites].sort((a, b) => byCodeUnit(a.requested.name, b.requested.name))
}

/** What the sites are called: `stores` for `store-001` and `store-002`; `sites` if their names have no common word. */
function kindOf(sites: readonly FactoredSite[]): string {
  const names = sites.map(({ requested }) => slugOf(requested.name))
  if (names.length === 1) return names[0] ?? ''
  const stem = commonStem(names)
  return stem === '' ? 'sites' : plural(stem)
}

function plural(noun: string): string {
  if (/s$/.test(noun)) return noun
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}
