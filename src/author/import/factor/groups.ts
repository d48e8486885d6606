import { type GroupName, matchesMost } from '../../../core/audit/kinds.ts'
import { slugOf, UniqueNames } from '../../../core/audit/slug.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { groupsBy, highest, isUsual, mostFrequent } from '../../../core/values/collections.ts'
import { matchesGlob } from '../../../core/values/glob.ts'
import type { Secret } from '../../../core/values/secret.ts'
import { isScalar, type Value } from '../../../core/values/value.ts'
import type { RequestedImport } from '../site.ts'
import type { SiteVariable } from './variables.ts'

/** The values of the variables that a site needs. */
export type SiteVars = ReadonlyMap<SiteVariable, Value>

/** Sites with a name for all of them. */
export interface SiteGroup {
  readonly name: string
  /** The most frequent values of some variables; a site with another one sets the variable itself. */
  readonly vars: SiteVars
  readonly sites: ReadonlySet<RequestedImport>
}

type UnnamedGroup = Omit<SiteGroup, 'name'>

/** The minimum average number of sites for a value, and the minimum number of variables of a group. */
const MIN_SITES = 3
const MIN_VARIABLES = 2

interface Distribution {
  readonly variable: SiteVariable
  /** The keys of the values. */
  readonly keys: ReadonlyMap<RequestedImport, unknown>
  /** The sites of each value that several sites share. */
  readonly shared: readonly (readonly RequestedImport[])[]
}

/**
 * Finds groups: several variables that change together between sites, such as a pair of RADIUS servers, and
 * have few different values. A site belongs to the group that has most of its values. `others` have their names already.
 */
export function findGroups(
  sites: ReadonlyMap<RequestedImport, SiteVars>,
  names: readonly GroupName[],
  others: readonly SiteGroup[]
): SiteGroup[] {
  const variables = new Set([...sites.values()].flatMap(vars => [...vars.keys()]))
  const distributions = [...variables]
    .map(variable => distributionOf(variable, sites))
    .filter(({ keys }) => new Set(keys.values()).size * MIN_SITES <= keys.size)
  // Others follow the variable with the most values: the servers of a city follow the city, not its country.
  distributions.sort((a, b) => b.shared.length - a.shared.length || b.keys.size - a.keys.size)
  const clusters: [Distribution, ...Distribution[]][] = []
  for (const each of distributions) {
    const joined = clusters.find(([leader]) => follows(each, leader))
    if (joined === undefined) clusters.push([each])
    else joined.push(each)
  }
  const groups = clusters
    .filter(({ length }) => length >= MIN_VARIABLES)
    .flatMap(cluster => groupsOf(cluster, sites))
  const unique = new UniqueNames('-')
  for (const { name } of others) unique.take(name)
  return groups.map(group => ({ name: unique.take(nameOf(group, groups, names)), ...group }))
}

function distributionOf(
  variable: SiteVariable,
  sites: ReadonlyMap<RequestedImport, SiteVars>
): Distribution {
  const keys = new Map<RequestedImport, unknown>()
  for (const [site, vars] of sites) {
    const value = vars.get(variable)
    if (value !== undefined) keys.set(site, comparisonKey(value))
  }
  const shared = groupsBy(keys.keys(), site => keys.get(site)).filter(({ length }) => length > 1)
  return { variable, keys, shared }
}

/** True if sites with the same value of the leader have the same value of the other, apart from few of them. */
function follows({ keys }: Distribution, leader: Distribution): boolean {
  const common = [...keys.keys()].filter(site => leader.keys.has(site))
  const usual = groupsBy(common, site => leader.keys.get(site)).map(of =>
    mostFrequent(of, site => keys.get(site))
  )
  const agreeing = usual.reduce((sum, { length }) => sum + length, 0)
  const shared = usual.flatMap(([first, second]) => (first && second ? [keys.get(first)] : []))
  const differing = new Set(shared).size > 1
  return differing && isUsual(agreeing, Math.max(keys.size, leader.keys.size))
}

/** The groups by the shared values of the first variable. */
function groupsOf(
  cluster: readonly [Distribution, ...Distribution[]],
  sites: ReadonlyMap<RequestedImport, SiteVars>
): UnnamedGroup[] {
  const groups = cluster[0].shared.map(some => ({
    vars: usualVars(cluster, some, sites),
    sites: new Set<RequestedImport>()
  }))
  for (const [site, vars] of sites) {
    const agreeing = groups.map(group => vars.size - ownVars(vars, [group]).size)
    const most = highest(agreeing)
    if (most > 0) groups[agreeing.indexOf(most)]?.sites.add(site)
  }
  return groups.filter(group => group.sites.size > 0)
}

function usualVars(
  cluster: readonly Distribution[],
  some: readonly RequestedImport[],
  sites: ReadonlyMap<RequestedImport, SiteVars>
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

/** The requested name, else a word of all its sites and of no others, else its first value. */
function nameOf(
  group: UnnamedGroup,
  groups: readonly UnnamedGroup[],
  names: readonly GroupName[]
): string {
  const requested = names.find(each => matchesGroup(group, each))
  if (requested !== undefined) return requested.name
  const [first = new Set<string>(), ...rest] = [...group.sites].map(wordsOf)
  const others = groups.filter(other => other !== group).flatMap(({ sites }) => [...sites])
  const elsewhere = new Set(others.flatMap(site => [...wordsOf(site)]))
  const common = [...first].find(
    word => !elsewhere.has(word) && rest.every(words => words.has(word))
  )
  return common ?? nameOfValue([...group.vars])
}

/** `radius-10-2-0-10` for `radius_1: 10.2.0.10`; the value of a secret is in no name. */
function nameOfValue(vars: readonly (readonly [SiteVariable, Value])[]): string {
  const shown = vars.find(([, value]) => isScalar(value)) ?? vars[0]
  const [variable, value = null] = shown ?? []
  const noun = variable?.name.replace(/_\d+$/, '') ?? 'group'
  return slugOf(isScalar(value) ? `${noun} ${value}` : noun)
}

/** True if the glob matches one of the values, or the names of most sites. */
export function matchesGroup({ vars, sites }: UnnamedGroup, name: GroupName): boolean {
  const texts = [...vars.values()].filter(isScalar).map(String)
  return texts.some(text => matchesGlob(text, name.glob)) || matchesMost(sites, name)
}

/** The words of a site's name, without numbers and single letters. */
function wordsOf({ name }: RequestedImport): Set<string> {
  const words = slugOf(name).split(/[-\d]+/)
  return new Set(words.filter(word => word.length > 1))
}

/** The variables that a site sets itself: those without the value of one of its groups. */
export function ownVars(vars: SiteVars, groups: readonly Pick<SiteGroup, 'vars'>[]): SiteVars {
  return new Map(
    [...vars].filter(([variable, value]) => {
      const key = comparisonKey(value)
      return !groups.some(group => keyOf(group.vars, variable) === key)
    })
  )
}

/** The name of the only group with a secret; undefined if no group or several have it. */
export function groupWith(secret: Secret, groups: readonly SiteGroup[]): string | undefined {
  const key = comparisonKey(secret)
  const having = groups.filter(({ vars }) =>
    [...vars.keys()].some(variable => keyOf(vars, variable) === key)
  )
  return having.length === 1 ? having[0]?.name : undefined
}

function keyOf(vars: SiteVars, variable: SiteVariable): unknown {
  const value = vars.get(variable)
  return value === undefined ? undefined : comparisonKey(value)
}
