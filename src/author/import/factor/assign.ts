import { append, groupBy } from '../../../core/values/collections.ts'
import { isAtOrBelow, type Pointer, steps } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import { isObject, type Value } from '../../../core/values/value.ts'
import type { ImportedSite } from '../site.ts'
import type { Pause } from '../site-files.ts'
import { type FamilyMember, linesOf, type ProfileCandidate, type WlanFamily } from './families.ts'
import { withImplied } from './implied.ts'
import { mapLeaves, type Override, overrideBlock, overrideFor } from './leaves.ts'
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
  /** True for a WLAN of a single site that extends the profile of others. */
  readonly isVariant: boolean
  /** The differences from the profile. */
  readonly override: Override
  /** The values of the variables that it needs, on its site. */
  readonly vars: Vars
}

/** Placeholder for a variable without a value on a site; equals no other value. */
const NO_VALUE = new Secret({ $live: true }, undefined)

type Vars = ReadonlyMap<SiteVariable, Value>

/**
 * Assigns a profile to each member of each family, then to the other WLANs that are similar to one. Of the
 * copies of a WLAN on a site, the one with the shortest override is the member. A site has one value per
 * variable: a WLAN that needs another value overrides the field.
 */
export async function assignProfiles(
  families: readonly (readonly [WlanFamily, readonly ProfileCandidate[]])[],
  single: readonly FamilyMember[],
  places: VariablePlaces,
  pause: Pause
): Promise<ProfileExtension[]> {
  const known = new Map<ImportedSite, Vars>()
  const all: ProfileExtension[] = []
  const others = [...single]
  for (const [{ members, copies }, candidates] of families) {
    for (const same of [...members.map(member => [member]), ...copies]) {
      await pause()
      const site = same[0]?.site as ImportedSite
      const before = known.get(site) ?? new Map()
      const found = bestExtension(same, candidates, places, before)
      const extension = found !== undefined && isWorthwhile(found) ? found : undefined
      append(
        others,
        same.filter(each => !each.isUnique && each !== extension?.member)
      )
      if (extension === undefined) continue
      known.set(site, new Map([...before, ...extension.vars]))
      all.push(extension)
    }
  }
  const shared = sharedProfiles(all)
  const kept = groupBy(
    all.filter(({ profile }) => shared.includes(profile)),
    ({ member }) => member.site
  )
  const varsOf = (site: ImportedSite) => siteVariables(kept.get(site) ?? [])
  return [...all, ...(await variantsOf(others, shared, places, varsOf, pause))]
}

/** The profiles that more than one WLAN extends. */
export function sharedProfiles(extensions: readonly ProfileExtension[]): ProfileCandidate[] {
  const byProfile = groupBy(extensions, ({ profile }) => profile)
  return [...byProfile].flatMap(([profile, { length }]) => (length > 1 ? [profile] : []))
}

/** The maximum number of override lines for a WLAN that extends a profile of WLANs with another SSID. */
const MAX_VARIANT_LINES = 4

async function variantsOf(
  others: readonly FamilyMember[],
  profiles: readonly ProfileCandidate[],
  places: VariablePlaces,
  varsOf: (site: ImportedSite) => Vars,
  pause: Pause
): Promise<ProfileExtension[]> {
  const variants: ProfileExtension[] = []
  for (const member of others) {
    await pause()
    const vars = varsOf(member.site)
    const best = bestExtension([member], profiles, places, vars, true)
    if (best === undefined || best.override.unset.length > 0) continue
    // It gets no variables of its own, because those of the site belong to the WLAN that the profile is made
    // for.
    const needsMore = [...best.vars.keys()].some(variable => !vars.has(variable))
    const isCopy = best.profile.shared.get('/ssid') === member.wlan.ssid
    const isSimilar = isCopy ? isWorthwhile(best) : overrideLines(best) <= MAX_VARIANT_LINES
    if (!needsMore && isSimilar) variants.push(best)
  }
  return variants
}

/** The extension with the fewest override lines of one of the WLANs; undefined without candidates. */
function bestExtension(
  members: readonly FamilyMember[],
  candidates: readonly ProfileCandidate[],
  places: VariablePlaces,
  known: Vars,
  isVariant = false
): ProfileExtension | undefined {
  const all = members.flatMap(member =>
    candidates.map(profile =>
      extensionOf(member, profile, places.get(profile) ?? new Map(), known, isVariant)
    )
  )
  return all.sort((a, b) => overrideLines(a) - overrideLines(b))[0]
}

/** True if the override has at most half of the lines of the WLAN. */
function isWorthwhile(extension: ProfileExtension): boolean {
  return 2 * overrideLines(extension) <= extension.member.lines
}

export function overrideLines({ override }: ProfileExtension): number {
  return linesOf(overrideBlock(override))
}

function extensionOf(
  member: FamilyMember,
  profile: ProfileCandidate,
  places: ReadonlyMap<Pointer, VariablePlace>,
  known: Vars,
  isVariant: boolean
): ProfileExtension {
  const { site, leaves, wlan, isUnique } = member
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
  const { fields, unset } = overrideFor(
    base,
    // A variant cannot unset a block of its profile.
    withImplied(base, wlan.fields, wlan.record, { blocks: isVariant })
  )
  const override = { fields: isUnique ? fields : { id: wlan.id, ...fields }, unset }
  const needed = [...places].filter(([at]) => !isOverridden(override, at))
  const vars = new Map(
    needed.flatMap(([, { variable }]) => {
      const value = values.get(variable)
      return value === undefined ? [] : [[variable, value] as const]
    })
  )
  return { member, profile, isVariant, override, vars }
}

/** The value of a variable for the value of a site, of the same type as on the other sites. */
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

/** The value in the profile on a site with these variables. */
function resolvePlace({ variable, format }: VariablePlace, values: Vars): Value | undefined {
  const value = values.get(variable)
  if (format === undefined || value === undefined) return value
  return `${format.prefix}${String(value)}${format.suffix}`
}

/** True if the override replaces or unsets this place of the profile. */
export function isOverridden({ fields, unset }: Override, at: Pointer): boolean {
  if (unset.some(above => isAtOrBelow(at, above))) return true
  let value: Value | undefined = fields
  for (const step of steps(at)) {
    if (!isObject(value)) return true
    if (!Object.hasOwn(value, step)) return false
    value = value[step]
  }
  return true
}

/** True for a WLAN that differs from its profile. */
export function hasOverride({ override }: ProfileExtension): boolean {
  return Object.keys(overrideBlock(override)).length > 0
}

/** The variables that a site needs. */
export function siteVariables(extensions: readonly ProfileExtension[]): Vars {
  return new Map(extensions.flatMap(({ vars }) => [...vars]))
}
