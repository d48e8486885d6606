import { comparisonKey } from '../../../core/diff/agree.ts'
import { groupBy, groupsBy, highest, sortBy } from '../../../core/values/collections.ts'
import type { Secret } from '../../../core/values/secret.ts'
import { fromEntries, type Value, type ValueObject } from '../../../core/values/value.ts'
import type { ImportedSite } from '../site.ts'
import { MAX_EXCEPTIONS, mostFrequent } from './leaves.ts'
import type { SiteVariable, VariablePlaces } from './variables.ts'

/** The values of the variables that a site needs. */
export type SiteVars = ReadonlyMap<SiteVariable, Value>

/** Sites that agree in most of several variables. */
export interface SiteGroup {
  readonly name: string
  /** The most frequent values; a site with another one sets the variable itself. */
  readonly vars: SiteVars
  readonly sites: ReadonlySet<ImportedSite>
}

export type UnnamedGroup = Omit<SiteGroup, 'name'>

/** What differs between the sites of a factored fleet. */
export interface SiteDifferences {
  readonly places: VariablePlaces
  readonly vars: ReadonlyMap<ImportedSite, SiteVars>
  readonly groups: readonly SiteGroup[]
}

/** The minimum average number of sites for a value, and the minimum number of variables of a group. */
const MIN_SITES = 3
const MIN_VARIABLES = 2

interface Distribution {
  readonly variable: SiteVariable
  readonly keys: ReadonlyMap<ImportedSite, unknown>
  /** The number of values that several sites share. */
  readonly frequent: number
}

/**
 * Finds groups: several variables that change together between sites, such as a pair of RADIUS servers, and
 * have few different values. A site belongs to the group that has most of its values.
 */
export function findGroups(sites: ReadonlyMap<ImportedSite, SiteVars>): UnnamedGroup[] {
  const variables = new Set([...sites.values()].flatMap(vars => [...vars.keys()]))
  const distributions = [...variables]
    .map(variable => distributionOf(variable, sites))
    .filter(({ keys }) => new Set(keys.values()).size * MIN_SITES <= keys.size)
  // Others follow the variable with the most values: the servers of a city follow the city, not its country.
  distributions.sort((a, b) => b.frequent - a.frequent || b.keys.size - a.keys.size)
  const clusters: Distribution[][] = []
  for (const each of distributions) {
    const joined = clusters.find(([leader]) => leader !== undefined && follows(each, leader))
    if (joined === undefined) clusters.push([each])
    else joined.push(each)
  }
  return clusters
    .filter(({ length }) => length >= MIN_VARIABLES)
    .flatMap(cluster => groupsOf(cluster, sites))
}

/** The variables that a site sets itself: those without the value of one of its groups. */
export function ownVars(vars: SiteVars, groups: readonly SiteGroup[]): SiteVars {
  return new Map(
    [...vars].filter(([variable, value]) => {
      return !groups.some(group => hasValue(group.vars, variable, comparisonKey(value)))
    })
  )
}

/** The name of the only group with a secret; undefined if no group or several have it. */
export function groupWith(secret: Secret, groups: readonly SiteGroup[]): string | undefined {
  const key = comparisonKey(secret)
  const having = groups.filter(({ vars }) =>
    [...vars.keys()].some(variable => hasValue(vars, variable, key))
  )
  return having.length === 1 ? having[0]?.name : undefined
}

function hasValue(vars: SiteVars, variable: SiteVariable, key: unknown): boolean {
  const value = vars.get(variable)
  return value !== undefined && comparisonKey(value) === key
}

function distributionOf(
  variable: SiteVariable,
  sites: ReadonlyMap<ImportedSite, SiteVars>
): Distribution {
  const keys = new Map<ImportedSite, unknown>()
  for (const [site, vars] of sites) {
    const value = vars.get(variable)
    if (value !== undefined) keys.set(site, comparisonKey(value))
  }
  const byKey = groupBy(keys.values(), key => key)
  const frequent = [...byKey.values()].filter(({ length }) => length > 1).length
  return { variable, keys, frequent }
}

/** True if sites with the same value of the leader have the same value of the other, apart from few of them. */
function follows({ keys }: Distribution, leader: Distribution): boolean {
  const common = [...keys].filter(([site]) => leader.keys.has(site))
  const usual = groupsBy(common, ([site]) => leader.keys.get(site)).map(of =>
    mostFrequent(of, ([, key]) => key)
  )
  const agreeing = usual.reduce((sum, { length }) => sum + length, 0)
  const shared = usual.flatMap(([first, second]) => (second === undefined ? [] : [first?.[1]]))
  const differing = new Set(shared).size > 1
  return differing && agreeing >= Math.max(keys.size, leader.keys.size) * (1 - MAX_EXCEPTIONS)
}

/** The groups by the values of the first variable, without those of a single site. */
function groupsOf(
  cluster: readonly Distribution[],
  sites: ReadonlyMap<ImportedSite, SiteVars>
): UnnamedGroup[] {
  const [leader] = cluster
  const byValue = groupsBy(leader?.keys ?? [], ([, key]) => key)
  const drafts = byValue
    .filter(({ length }) => length > 1)
    .map(entries =>
      usualVars(
        cluster,
        entries.map(([site]) => site),
        sites
      )
    )
  const members = drafts.map(() => new Set<ImportedSite>())
  for (const [site, vars] of sites) {
    const agreeing = drafts.map(draft => {
      return [...vars].filter(([variable, value]) =>
        hasValue(draft, variable, comparisonKey(value))
      ).length
    })
    const most = highest([0, ...agreeing])
    const needed = cluster.filter(({ keys }) => keys.has(site)).length
    if (most > 0 && 2 * most >= needed) members[agreeing.indexOf(most)]?.add(site)
  }
  const groups = drafts.map((vars, at) => ({ vars, sites: members[at] ?? new Set() }))
  return groups.filter(group => group.sites.size > 0)
}

function usualVars(
  cluster: readonly Distribution[],
  some: readonly ImportedSite[],
  sites: ReadonlyMap<ImportedSite, SiteVars>
): SiteVars {
  return new Map(
    cluster.flatMap(({ variable, keys }) => {
      const having = some.filter(site => keys.has(site))
      const [example] = mostFrequent(having, site => keys.get(site))
      const value = example && sites.get(example)?.get(variable)
      return value === undefined ? [] : [[variable, value] as const]
    })
  )
}

/** The variables as members of a map, sorted by name. */
export function varsBlock(vars: SiteVars, show: (value: Value) => Value): ValueObject {
  const members = [...vars].map(([{ name }, value]) => [name, show(value)] as const)
  return fromEntries(sortBy(members, ([name]) => name))
}
