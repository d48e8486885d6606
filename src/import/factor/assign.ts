import { byCodeUnit } from '../../model/collections.ts'
import { type Pointer, steps } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import { isObject, type Value, type ValueObject } from '../../model/value.ts'
import { mapLines } from '../../yaml-edit/write.ts'
import type { ImportedSite } from '../site.ts'
import type { Pause } from '../site-files.ts'
import type { FamilyMember, ProfileCandidate, WlanFamily } from './families.ts'
import { mapLeaves, overridesFor } from './leaves.ts'
import {
  type SiteVariable,
  stripAffixes,
  type VariablePlace,
  type VariablePlaces
} from './variables.ts'

/** A WLAN that extends a profile. */
export interface ProfileExtension {
  readonly member: FamilyMember
  readonly profile: ProfileCandidate
  /** What it says otherwise; empty for one that is as the profile has it. */
  readonly overrides: ValueObject
  /** What its site gives the variables that it needs. */
  readonly vars: Vars
}

/** Stands where a site gives no value: like no other. */
const NO_VALUE = new Secret({ $live: true }, undefined)

type Vars = ReadonlyMap<SiteVariable, Value>

/**
 * Finds the profile of each member of each family. What a site gives a variable for one WLAN holds for its
 * others, too: where they would need another value, they say theirs themselves.
 */
export async function assignProfiles(
  families: readonly (readonly [WlanFamily, readonly ProfileCandidate[]])[],
  uses: VariablePlaces,
  pause: Pause
): Promise<ProfileExtension[]> {
  const given = new Map<ImportedSite, Vars>()
  const all: ProfileExtension[] = []
  for (const [{ members }, kinds] of families) {
    for (const member of members) {
      await pause()
      const before = given.get(member.site) ?? new Map()
      const assigned = bestExtension(member, kinds, uses, before)
      if (assigned === undefined) continue
      given.set(member.site, new Map([...before, ...assigned.vars]))
      all.push(assigned)
    }
  }
  return all
}

/**
 * The profile that a WLAN extends, the one of these over which it has the least to say. Undefined if
 * none can become the WLAN, or if that would take as many lines as the WLAN itself.
 */
function bestExtension(
  member: FamilyMember,
  kinds: readonly ProfileCandidate[],
  uses: VariablePlaces,
  given: Vars
): ProfileExtension | undefined {
  const all = kinds.flatMap(kind => {
    return extensionOf(member, kind, uses.get(kind) ?? new Map(), given) ?? []
  })
  const [best] = all.sort((a, b) => linesOf(a.overrides) - linesOf(b.overrides))
  if (best === undefined) return undefined
  return linesOf(best.overrides) < linesOf(member.wlan.fields) ? best : undefined
}

function linesOf(fields: ValueObject): number {
  return mapLines(fields, 0).length
}

function extensionOf(
  member: FamilyMember,
  kind: ProfileCandidate,
  uses: ReadonlyMap<Pointer, VariablePlace>,
  given: Vars
): ProfileExtension | undefined {
  const { site, leaves, wlan } = member
  const values = new Map(given)
  for (const [at, { variable, format }] of uses) {
    if (values.has(variable)) continue
    const value = variable.values.get(site) ?? variableValueFrom(leaves.get(at), format, variable)
    if (value !== undefined) values.set(variable, value)
  }
  const base = mapLeaves(kind.template, (_, at) => {
    const use = uses.get(at)
    return (use === undefined ? kind.shared.get(at) : resolvePlace(use, values)) ?? NO_VALUE
  })
  const over = overridesFor(base, wlan.fields)
  if (over === undefined) return undefined
  const needed = [...uses].filter(([at]) => !isOverridden(over, at))
  const vars = new Map(
    needed.flatMap(([, { variable }]) => {
      const value = values.get(variable)
      return value === undefined ? [] : [[variable, value] as const]
    })
  )
  return { member, profile: kind, overrides: over, vars }
}

/** What a site's own value makes of the variable; of the same type as on the other sites. */
function variableValueFrom(
  leaf: Value | undefined,
  format: VariablePlace['format'],
  { values }: SiteVariable
): Value | undefined {
  if (format === undefined) return leaf
  const middle = stripAffixes(leaf, format.prefix, format.suffix)
  const [other] = values.values()
  if (middle === undefined || typeof other !== 'number') return middle
  return String(Number(middle)) === middle ? Number(middle) : undefined
}

/** The value that a place of the profile has on a site with these variables. */
function resolvePlace({ variable, format }: VariablePlace, values: Vars): Value | undefined {
  const value = values.get(variable)
  if (format === undefined || value === undefined) return value
  return `${format.prefix}${String(value)}${format.suffix}`
}

/** True if what is laid over the profile replaces this place. */
function isOverridden(over: ValueObject, at: Pointer): boolean {
  let value: Value | undefined = over
  for (const step of steps(at)) {
    if (!isObject(value)) return true
    if (!Object.hasOwn(value, step)) return false
    value = value[step]
  }
  return true
}

/** True for a site whose WLANs are all as their profiles have them. */
export function hasNoOverrides(assigned: readonly ProfileExtension[]): boolean {
  return assigned.every(({ overrides: over }) => Object.keys(over).length === 0)
}

/** The variables that a site needs, each once. */
export function siteVariables(assigned: readonly ProfileExtension[]): Vars {
  return new Map(assigned.flatMap(({ vars }) => [...vars]))
}

/** Why a profile exists, and what it saves. */
export interface ProfileSummary {
  readonly name: string
  /** WLANs that extend it. */
  readonly wlans: number
  /** Fields that all of them have from it. */
  readonly fields: number
  /** The variables that it takes from the site, by name. */
  readonly variables: readonly string[]
  /** WLANs that say something otherwise. */
  readonly overridden: number
  /** Lines that these WLANs would take without it, less those that they take with it. */
  readonly saved: number
}

export function summarizeProfiles(
  kinds: readonly ProfileCandidate[],
  assigned: readonly ProfileExtension[],
  uses: VariablePlaces
): ProfileSummary[] {
  return kinds.map(kind => {
    const mine = assigned.filter(each => each.profile === kind)
    const lines = mine.map(
      ({ member, overrides: over }) => linesIn(member.wlan.fields) - linesIn(over)
    )
    const variables = [...(uses.get(kind)?.values() ?? [])].map(({ variable }) => variable.name)
    return {
      name: kind.name,
      wlans: mine.length,
      fields: kind.shared.size,
      variables: [...new Set(variables)].sort(byCodeUnit),
      overridden: mine.filter(({ overrides: over }) => Object.keys(over).length > 0).length,
      saved: lines.reduce((sum, saved) => sum + saved, 0) - linesIn(kind.template)
    }
  })
}

function linesIn(fields: ValueObject): number {
  return mapLines(fields, 0).length
}
