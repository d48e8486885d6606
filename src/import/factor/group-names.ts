import { matchesGlob } from '../../model/glob.ts'
import { Secret } from '../../model/secret.ts'
import { isList, isObject } from '../../model/value.ts'
import { slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite } from '../site.ts'
import type { SiteGroup, SiteVars, UnnamedGroup } from './groups.ts'

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
