import { groupBy, sortBy } from '../../model/collections.ts'
import { Secret } from '../../model/secret.ts'
import { fromEntries, isList, isObject, type Value, type ValueObject } from '../../model/value.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite } from '../site.ts'
import { comparisonKey } from './leaves.ts'
import type { SiteVariable } from './variables.ts'

/** The values of the variables that a site needs. */
export type SiteVars = ReadonlyMap<SiteVariable, Value>

/** Sites with the same values for several variables. */
export interface SiteGroup {
  readonly name: string
  readonly vars: SiteVars
  readonly sites: ReadonlySet<ImportedSite>
}

/** The minimum average number of sites and of variables in a group. */
const MIN_SITES = 3
const MIN_VARIABLES = 2

/** Variables with the same values at the same sites. */
interface Cluster {
  readonly variables: SiteVariable[]
  /** The class of each site; sites in a class agree in all variables. */
  readonly classes: Map<ImportedSite, number>
}

/**
 * Finds groups: several variables that always change together between sites, such as a pair of RADIUS
 * servers, and have few different values.
 */
export function findGroups(sites: ReadonlyMap<ImportedSite, SiteVars>): SiteGroup[] {
  const clusters: Cluster[] = []
  for (const variable of new Set([...sites.values()].flatMap(vars => [...vars.keys()]))) {
    const classes = classesOf(variable, sites)
    if (new Set(classes.values()).size * MIN_SITES > classes.size) continue
    const joined = clusters.find(cluster => isSamePartition(cluster.classes, classes))
    if (joined === undefined) clusters.push({ variables: [variable], classes })
    else joined.variables.push(variable)
  }
  const names = new UniqueNames('-')
  return clusters
    .filter(({ variables }) => variables.length >= MIN_VARIABLES)
    .flatMap(cluster => groupsOf(cluster, sites, names))
}

/** The variables that a site sets itself, without those of its groups. */
export function ownVars(vars: SiteVars, groups: readonly SiteGroup[]): SiteVars {
  return new Map([...vars].filter(([variable]) => !groups.some(group => group.vars.has(variable))))
}

function classesOf(
  variable: SiteVariable,
  sites: ReadonlyMap<ImportedSite, SiteVars>
): Map<ImportedSite, number> {
  const numbers = new Map<unknown, number>()
  const classes = new Map<ImportedSite, number>()
  for (const [site, vars] of sites) {
    const value = vars.get(variable)
    if (value === undefined) continue
    const key = comparisonKey(value)
    numbers.set(key, numbers.get(key) ?? numbers.size)
    classes.set(site, numbers.get(key) ?? 0)
  }
  return classes
}

/** True if both partition the same sites in the same way; classes are numbered in the order of the sites. */
function isSamePartition(
  a: ReadonlyMap<ImportedSite, number>,
  b: ReadonlyMap<ImportedSite, number>
): boolean {
  return a.size === b.size && [...a].every(([site, of]) => b.get(site) === of)
}

function groupsOf(
  { variables, classes }: Cluster,
  sites: ReadonlyMap<ImportedSite, SiteVars>,
  names: UniqueNames
): SiteGroup[] {
  const byClass = groupBy(classes, ([, of]) => of)
  return [...byClass.values()].map(entries => {
    const members = entries.map(([site]) => site)
    const [first] = members
    const of = (first && sites.get(first)) ?? new Map<SiteVariable, Value>()
    const vars = new Map(variables.map(variable => [variable, of.get(variable) ?? null] as const))
    return { name: names.take(groupName(vars)), vars, sites: new Set(members) }
  })
}

/** `radius-10-2-0-10`: a variable without its number, and a value that is not secret. */
function groupName(vars: SiteVars): string {
  const plain = [...vars].find(([, value]) => {
    return !(value instanceof Secret || isList(value) || isObject(value))
  })
  if (plain === undefined) return 'group'
  const [{ name }, value] = plain
  return slugOf(`${name.replace(/_\d+$/, '')} ${String(value)}`) || 'group'
}

/** The variables as members of a map, sorted by name. */
export function varsBlock(vars: SiteVars, show: (value: Value) => Value): ValueObject {
  const members = [...vars].map(([{ name }, value]) => [name, show(value)] as const)
  return fromEntries(sortBy(members, ([name]) => name))
}
