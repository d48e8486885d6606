import { type GroupName, matchesMost } from '../../../core/audit/kinds.ts'
import { slugOf, UniqueNames } from '../../../core/audit/slug.ts'
import {
  groupBy,
  groupsBy,
  isUsual,
  mostFrequent,
  type NonEmpty
} from '../../../core/values/collections.ts'
import { matchesGlob } from '../../../core/values/glob.ts'
import { isScalar, type Value } from '../../../core/values/value.ts'
import type { RequestedImport } from '../site.ts'
import type { SiteVariable } from './variables.ts'

/** Sites with a name for all of them. */
export interface SiteGroup {
  readonly name: string
  /** The most frequent values of some variables, by name; a site with another one sets the variable itself. */
  readonly vars: ReadonlyMap<string, Value>
  readonly sites: ReadonlySet<RequestedImport>
}

type UnnamedGroup = Omit<SiteGroup, 'name'>

/** The minimum average number of sites for a value, and the minimum number of variables of a group. */
const MIN_SITES = 3
const MIN_VARIABLES = 2

/** A variable with the sites of each of its values. */
interface Distribution {
  readonly variable: SiteVariable
  readonly sites: readonly (readonly RequestedImport[])[]
}

/**
 * Finds groups: several variables that change together between sites, such as a pair of RADIUS servers, and
 * have few different values. A site belongs to the group that has most of its values. `others` have their names already.
 */
export function findGroups(
  variables: Iterable<SiteVariable>,
  names: readonly GroupName[],
  others: readonly SiteGroup[]
): SiteGroup[] {
  const few = [...variables]
    .map(variable => {
      const { values } = variable
      return { variable, sites: groupsBy(values.keys(), site => values.get(site)) }
    })
    .filter(({ variable, sites }) => sites.length * MIN_SITES <= variable.values.size)
    // Others follow the variable with the most values: the servers of a city follow the city, not its country.
    .sort(
      (a, b) => b.sites.length - a.sites.length || b.variable.values.size - a.variable.values.size
    )
  const clusters: [Distribution, ...Distribution[]][] = []
  for (const each of few) {
    const joined = clusters.find(([leader]) => follows(each.variable, leader))
    if (joined === undefined) clusters.push([each])
    else joined.push(each)
  }
  const groups = clusters.flatMap(each => (each.length < MIN_VARIABLES ? [] : groupsOf(each)))
  const sites = new Set(groups.flatMap(group => [...group.sites]))
  const words = [...sites].flatMap(site => wordsOf(site).map(word => ({ word, site })))
  const byWord = groupBy(words, ({ word }) => word)
  const unique = new UniqueNames('-')
  for (const { name } of others) unique.take(name)
  return groups.map(group => {
    const requested = names.find(each => matchesGroup(group, each))
    // A word of all its sites, and of no others.
    const own = [...byWord].find(([, having]) => {
      return having.length === group.sites.size && having.every(each => group.sites.has(each.site))
    })
    const name = requested?.name ?? own?.[0] ?? nameOfValue([...group.vars])
    return { name: unique.take(name), ...group }
  })
}

/** The most frequent value of a variable among some sites, once for each of these. */
function usualValues({ values }: SiteVariable, some: readonly RequestedImport[]): readonly Value[] {
  const all = some.flatMap(site => {
    const value = values.get(site)
    return value === undefined ? [] : [value]
  })
  return mostFrequent(all, value => value)
}

/** True if sites with the same value of the leader have the same value of the other, apart from few of them. */
function follows(variable: SiteVariable, { variable: leader, sites }: Distribution): boolean {
  const agreeing = sites.reduce((sum, some) => sum + usualValues(variable, some).length, 0)
  return isUsual(agreeing, Math.max(variable.values.size, leader.values.size))
}

/** A group for each value of the first variable that several sites share. */
function groupsOf(cluster: NonEmpty<Distribution>): UnnamedGroup[] {
  const variables = cluster.map(({ variable }) => variable)
  const groups = cluster[0].sites
    .filter(({ length }) => length > 1)
    .map(some => ({
      vars: new Map(
        variables.flatMap(variable => {
          const [value] = usualValues(variable, some)
          return value === undefined ? [] : [[variable.name, value] as const]
        })
      ),
      sites: new Set<RequestedImport>()
    }))
  for (const site of new Set(variables.flatMap(({ values }) => [...values.keys()]))) {
    const fitting = variables.flatMap(each =>
      each.values.has(site)
        ? groups.filter(({ vars }) => vars.get(each.name) === each.values.get(site))
        : []
    )
    mostFrequent(fitting, group => group)[0]?.sites.add(site)
  }
  return groups.filter(group => group.sites.size > 0)
}

/** `radius-10-2-0-10` for `radius_1: 10.2.0.10`; the value of a secret is in no name. */
function nameOfValue(vars: readonly (readonly [string, Value])[]): string {
  const [variable, value = null] = vars.find(([, value]) => isScalar(value)) ?? vars[0] ?? []
  const noun = variable?.replace(/_\d+$/, '') ?? 'group'
  return slugOf(isScalar(value) ? `${noun} ${value}` : noun)
}

/** True if the glob matches one of the values, or the names of most sites. */
export function matchesGroup({ vars, sites }: UnnamedGroup, name: GroupName): boolean {
  const texts = [...vars.values()].filter(isScalar).map(String)
  return texts.some(text => matchesGlob(text, name.glob)) || matchesMost(sites, name)
}

/** The words of a site's name, without numbers and single letters. */
function wordsOf({ name }: RequestedImport): string[] {
  const words = slugOf(name).split(/[-\d]+/)
  return [...new Set(words.filter(word => word.length > 1))]
}
