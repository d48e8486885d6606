import {
  append,
  byCodeUnit,
  groupBy,
  isUsual,
  MAX_EXCEPTIONS,
  sortBy,
  usual
} from '../values/collections.ts'
import { matchesGlob } from '../values/glob.ts'
import { commonStem, slugOf, UniqueNames } from './slug.ts'

/** A name for the sites whose names match the glob, or that share a value which does. */
export interface GroupName {
  readonly name: string
  readonly glob: string
}

interface Named {
  readonly name: string
}

/** Sites with nearly the same networks, such as the stores of a chain. */
export interface Kind<Site extends Named> {
  /** `stores`; for a single site its own slug. */
  readonly name: string
  /** The networks that its sites have; a few sites lack one of them, or have others. */
  readonly networks: readonly string[]
  readonly sites: readonly Site[]
}

/** With several networks that differ, this number of sites with the same networks is a kind of its own. */
const MIN_SITES = 3

/** The least size of a kind that a few sites with names like those of its sites join with whatever networks they have. */
const MIN_ALIKE = 10

interface Member<Site> {
  readonly site: Site
  readonly slug: string
  /** What tells its name from those of other kinds: `clinic` of `acme-clinic-07`; may be empty. */
  readonly word: string
  readonly networks: readonly string[]
}

interface Draft<Site> {
  readonly networks: readonly string[]
  readonly word: string | undefined
  readonly members: Member<Site>[]
}

/**
 * Divides sites into kinds by the networks that they share with other sites. A few sites that lack some of them, or have
 * others, join a kind if their names are like those of its sites. The first of the `requested` names that fits a kind
 * names it. A site that is like no other one is alone.
 */
export function findKinds<Site extends Named>(
  sites: readonly Site[],
  networksOf: (site: Site) => readonly string[],
  requested: readonly GroupName[] = []
): Kind<Site>[] {
  const members = membersOf(sites, networksOf)
  const bySet = groupBy(members, ({ networks, slug }) =>
    networks.length === 0 ? `site ${slug}` : JSON.stringify(networks)
  )
  const bySize = [...bySet].sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
  const drafts: Draft<Site>[] = []
  for (const [, group] of bySize) {
    const [{ networks }] = group
    const word = wordOfMost(group)
    const kind = drafts.find(draft => isOfKind(draft, { networks, word, members: [...group] }))
    if (kind === undefined) drafts.push({ networks, word, members: [...group] })
    else append(kind.members, group)
  }
  const names = new UniqueNames('-')
  const firsts = new Map<string, readonly string[]>()
  return byName(drafts).map(({ networks, members: all }) => {
    const noun = nounOf(all)
    const similar = firsts.get(noun)
    if (similar === undefined) firsts.set(noun, networks)
    const suffix = similar === undefined ? '' : `-${difference(networks, similar)}`
    const some = all.map(({ site }) => site)
    const wanted = requested.find(name => some.length > 1 && matchesMost(some, name))
    const sorted = sortBy(some, ({ name }) => name)
    return { name: names.take(wanted?.name ?? noun + suffix), networks, sites: sorted }
  })
}

function membersOf<Site extends Named>(
  sites: readonly Site[],
  networksOf: (site: Site) => readonly string[]
): Member<Site>[] {
  const slugs = sites.map(({ name }) => slugOf(name))
  const stem = commonStem(slugs)
  const all = sites.map(site => [...new Set(networksOf(site))])
  const byNetwork = groupBy(all.flat(), network => network)
  return sites.map((site, at) => {
    const [slug = '', own = []] = [slugs[at], all[at]]
    const [word = stem === '' ? slug : ''] =
      slug.slice(stem.length).match(/(?<=^[-\d]*)[a-z]{2,}/) ?? []
    const networks = own.filter(each => (byNetwork.get(each)?.length ?? 0) > 1).sort(byCodeUnit)
    return { site, slug, word, networks }
  })
}

function wordOfMost(members: readonly Member<unknown>[]): string | undefined {
  const [first, second] = usual(members, ({ word }) => word)
  return second && first?.word
}

/** True if the sites of the other draft are exceptions of this kind. */
function isOfKind<Site>(kind: Draft<Site>, other: Draft<Site>): boolean {
  const [most, some] = [kind.members.length, other.members.length]
  const isAlike = other.members.every(({ word }) => word === kind.word)
  return (
    most > 1 &&
    some <= Math.max(1, most * MAX_EXCEPTIONS) &&
    (some < MIN_SITES || differing(kind.networks, other.networks) === 1) &&
    (isAlike || kind.word === undefined) &&
    (isNear(kind.networks, other.networks) || (isAlike && most >= MIN_ALIKE))
  )
}

function differing(a: readonly string[], b: readonly string[]): number {
  return a.filter(each => !b.includes(each)).length + b.filter(each => !a.includes(each)).length
}

function isNear(a: readonly string[], b: readonly string[]): boolean {
  return differing(a, b) <= a.filter(each => b.includes(each)).length
}

/** Moves a site that by chance has the networks of another kind to the one whose sites have names like its own. */
function byName<Site>(drafts: readonly Draft<Site>[]): readonly Draft<Site>[] {
  const homeOf = ({ word, networks }: Member<Site>, draft: Draft<Site>) => {
    const isHome = (each: Draft<Site>) => each.word === word && isNear(each.networks, networks)
    return word === '' || word === draft.word ? draft : (drafts.find(isHome) ?? draft)
  }
  const moved = drafts.flatMap(draft =>
    draft.members.map(member => [homeOf(member, draft), member] as const)
  )
  const byDraft = groupBy(moved, ([draft]) => draft)
  return drafts.flatMap(draft => {
    const members = byDraft.get(draft)?.map(([, member]) => member)
    return members === undefined ? [] : [{ ...draft, members }]
  })
}

/** `without-guest` or `with-event`: the first network in which a kind differs from another one. */
function difference(networks: readonly string[], others: readonly string[]): string {
  const missing = others.find(each => !networks.includes(each))
  if (missing !== undefined) return `without-${slugOf(missing)}`
  return `with-${slugOf(networks.find(each => !others.includes(each)) ?? 'others')}`
}

/** What the sites are called: `stores` for `store-001` and `store-002`; `sites` if their names have no common word. */
function nounOf(members: readonly Member<unknown>[]): string {
  const [first, ...others] = members
  if (others.length === 0) return first?.slug ?? ''
  const stem = commonStem(members.map(({ slug }) => slug))
  return stem === '' ? 'sites' : plural(stem)
}

function plural(noun: string): string {
  if (/s$/.test(noun)) return noun
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** True if the glob matches the names of most of the sites. */
export function matchesMost(sites: Iterable<Named>, { glob }: GroupName): boolean {
  const all = [...sites]
  return isUsual(all.filter(({ name }) => matchesGlob(name, glob)).length, all.length)
}
