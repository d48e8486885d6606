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
  /** The fields that differ from the profile; empty if none do. */
  readonly overrides: ValueObject
  /** The values of the variables that it needs, on its site. */
  readonly vars: Vars
}

/** Placeholder for a variable without a value on a site; equals no other value. */
const NO_VALUE = new Secret({ $live: true }, undefined)

type Vars = ReadonlyMap<SiteVariable, Value>

/**
 * Finds the profile of each member of each family. A site has one value per variable: a WLAN that needs
 * another value overrides the field.
 */
export async function assignProfiles(
  families: readonly (readonly [WlanFamily, readonly ProfileCandidate[]])[],
  places: VariablePlaces,
  pause: Pause
): Promise<ProfileExtension[]> {
  const known = new Map<ImportedSite, Vars>()
  const all: ProfileExtension[] = []
  for (const [{ members }, candidates] of families) {
    for (const member of members) {
      await pause()
      const before = known.get(member.site) ?? new Map()
      const extension = bestExtension(member, candidates, places, before)
      if (extension === undefined) continue
      known.set(member.site, new Map([...before, ...extension.vars]))
      all.push(extension)
    }
  }
  return all
}

/**
 * The candidate that leaves the WLAN the fewest lines of overrides. Undefined if no candidate can become the
 * WLAN, or if the overrides take as many lines as the WLAN itself.
 */
function bestExtension(
  member: FamilyMember,
  candidates: readonly ProfileCandidate[],
  places: VariablePlaces,
  known: Vars
): ProfileExtension | undefined {
  const all = candidates.flatMap(profile => {
    return extensionOf(member, profile, places.get(profile) ?? new Map(), known) ?? []
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
  profile: ProfileCandidate,
  places: ReadonlyMap<Pointer, VariablePlace>,
  known: Vars
): ProfileExtension | undefined {
  const { site, leaves, wlan } = member
  const values = new Map(known)
  for (const [at, { variable, format }] of places) {
    if (values.has(variable)) continue
    const value = variable.values.get(site) ?? variableValueFrom(leaves.get(at), format, variable)
    if (value !== undefined) values.set(variable, value)
  }
  const base = mapLeaves(profile.template, (_, at) => {
    const place = places.get(at)
    const value = place === undefined ? profile.shared.get(at) : resolvePlace(place, values)
    return value === undefined ? NO_VALUE : value
  })
  const overrides = overridesFor(base, wlan.fields)
  if (overrides === undefined) return undefined
  const needed = [...places].filter(([at]) => !isOverridden(overrides, at))
  const vars = new Map(
    needed.flatMap(([, { variable }]) => {
      const value = values.get(variable)
      return value === undefined ? [] : [[variable, value] as const]
    })
  )
  return { member, profile, overrides, vars }
}

/** The value of a variable from a site's own value, of the same type as on the other sites. */
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

/** The value of a place of the profile on a site with these variables. */
function resolvePlace({ variable, format }: VariablePlace, values: Vars): Value | undefined {
  const value = values.get(variable)
  if (format === undefined || value === undefined) return value
  return `${format.prefix}${String(value)}${format.suffix}`
}

/** True if the overrides replace this place of the profile. */
function isOverridden(overrides: ValueObject, at: Pointer): boolean {
  let value: Value | undefined = overrides
  for (const step of steps(at)) {
    if (!isObject(value)) return true
    if (!Object.hasOwn(value, step)) return false
    value = value[step]
  }
  return true
}

/** True for a site whose WLANs all equal their profiles. */
export function hasNoOverrides(extensions: readonly ProfileExtension[]): boolean {
  return extensions.every(({ overrides }) => Object.keys(overrides).length === 0)
}

/** The variables that a site needs. */
export function siteVariables(extensions: readonly ProfileExtension[]): Vars {
  return new Map(extensions.flatMap(({ vars }) => [...vars]))
}

/** The place of a profile, and the lines it saves. */
export interface ProfileSummary {
  readonly name: string
  /** WLANs that extend it. */
  readonly wlans: number
  /** Fields that all of them inherit. */
  readonly fields: number
  /** The names of its variables, sorted. */
  readonly variables: readonly string[]
  /** WLANs with overrides. */
  readonly overridden: number
  /** Lines of these WLANs without the profile, minus their lines with it. */
  readonly saved: number
}

export function summarizeProfiles(
  candidates: readonly ProfileCandidate[],
  extensions: readonly ProfileExtension[],
  places: VariablePlaces
): ProfileSummary[] {
  return candidates.map(profile => {
    const own = extensions.filter(each => each.profile === profile)
    const lines = own.map(
      ({ member, overrides }) => linesOf(member.wlan.fields) - linesOf(overrides)
    )
    const variables = [...(places.get(profile)?.values() ?? [])].map(
      ({ variable }) => variable.name
    )
    return {
      name: profile.name,
      wlans: own.length,
      fields: profile.shared.size,
      variables: [...new Set(variables)].sort(byCodeUnit),
      overridden: own.filter(({ overrides }) => Object.keys(overrides).length > 0).length,
      saved: lines.reduce((sum, saved) => sum + saved, 0) - linesOf(profile.template)
    }
  })
}
