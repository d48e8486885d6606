import type { Kind } from '../../../core/audit/kinds.ts'
import { append, groupBy, usual } from '../../../core/values/collections.ts'
import { Secret, secretIdentity } from '../../../core/values/secret.ts'
import {
  fromEntries,
  mapValue,
  secretsIn,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'
import type { ImportedWlan, RequestedImport } from '../site.ts'
import type { Pause } from '../site-files.ts'
import type { FamilyMember } from './families.ts'
import { mapLeaves } from './leaves.ts'
import {
  isOverridden,
  linesIn,
  merged,
  type Override,
  overrideBlock,
  overrideFor
} from './overrides.ts'
import type { Profile } from './profiles.ts'
import { type SiteVariable, type VariablePlaces, valueOn } from './variables.ts'

/** Sites with nearly the same WLANs, by the keys of these, which share a file and a group. */
export type SiteKind = Kind<RequestedImport>

/** A WLAN that extends a profile. */
export interface Extension {
  readonly site: RequestedImport
  readonly wlan: ImportedWlan
  readonly profile: Profile
  /** True for a further WLAN with the SSID of another one of its site. */
  readonly isCopy: boolean
  /** The differences from the profile, and from the block of the kind, if that declares the WLAN. */
  readonly override: Override
  /** The variables that it needs. */
  readonly variables: ReadonlySet<SiteVariable>
}

/** The WLANs of a kind that extend profiles. */
export interface ExtendedKind {
  readonly kind: SiteKind
  /** What nearly all of its sites change in the profile of each WLAN of the kind. */
  readonly blocks: ReadonlyMap<Profile, ValueObject>
  readonly extensions: ReadonlyMap<RequestedImport, readonly Extension[]>
}

/** The extensions of each kind. Of the WLANs of a site with the same SSID, the one most like the profile is that of the kind. */
export async function extendProfiles(
  kinds: readonly SiteKind[],
  profiles: readonly Profile[],
  places: VariablePlaces,
  pause: Pause
): Promise<ExtendedKind[]> {
  const extended: ExtendedKind[] = []
  for (const kind of kinds) {
    const blocks = new Map<Profile, ValueObject>()
    const extensions: Extension[] = []
    for (const profile of profiles) {
      const extend = (site: RequestedImport, wlan: ImportedWlan, block: ValueObject = {}) =>
        extensionOf({ site, wlan, profile }, places.get(profile) ?? new Map(), block)
      const alone: (readonly [FamilyMember, Extension[]])[] = []
      for (const site of kind.sites) {
        await pause()
        const member = profile.family.members.get(site)
        if (member === undefined) continue
        const all = [member.wlan, ...member.copies].map(each => extend(site, each))
        alone.push([member, all.sort((a, b) => linesOf(a) - linesOf(b))])
      }
      const isOfKind = kind.networks.includes(profile.family.key)
      const isOverridable = isOfKind && kind.sites.length > 1
      const usualOf = alone.map(([, [first]]) => first?.override.fields ?? {})
      const block = isOverridable ? commonFields(usualOf) : {}
      const isBlockEmpty = Object.keys(block).length === 0
      if (isOfKind) blocks.set(profile, block)
      for (const [{ site, isUnique }, [first, ...copies]] of alone) {
        await pause()
        if (first === undefined) continue
        const own = isBlockEmpty ? first : extend(site, first.wlan, block)
        // `$unset` is for overrides.
        const isExtending = ({ override }: Extension) => override.unset.length === 0
        if (isOverridable || isExtending(own)) extensions.push(isUnique ? own : withId(own, false))
        const others = copies.filter(isExtending)
        append(
          extensions,
          others.map(copy => withId(copy, true))
        )
      }
    }
    extended.push({ kind, blocks, extensions: groupBy(extensions, ({ site }) => site) })
  }
  return extended
}

function linesOf({ override }: Extension): number {
  return linesIn([overrideBlock(override)])
}

function withId({ override, ...extension }: Extension, isCopy: boolean): Extension {
  const fields = { id: extension.wlan.id, ...override.fields }
  return { ...extension, isCopy, override: { ...override, fields } }
}

/** Placeholder for a variable without a value on a site; equals no other value. */
const NO_VALUE = new Secret({ $live: true }, undefined)

type Places = ReturnType<VariablePlaces['get']>

function extensionOf(
  { site, wlan, profile }: Pick<Extension, 'site' | 'wlan' | 'profile'>,
  places: NonNullable<Places>,
  block: ValueObject
): Extension {
  const resolved = mapLeaves(profile.template, (value, at) => {
    const place = places.get(at)
    return place === undefined ? value : (valueOn(site, place) ?? NO_VALUE)
  })
  const override = overrideFor(merged(resolved, block), wlan)
  const read = [...places].filter(
    ([at]) => !isOverridden(override, at) && !isOverridden({ fields: block, unset: [] }, at)
  )
  const variables = new Set(read.map(([, { variable }]) => variable))
  return { site, wlan, profile, isCopy: false, override, variables }
}

/** The fields that nearly all of these have with the same value. */
function commonFields(all: readonly ValueObject[]): ValueObject {
  const names = new Set(all.flatMap(each => Object.keys(each)))
  return fromEntries(
    [...names].flatMap((name): [string, Value][] => {
      const [most] = usual(all, each => keyOf(each[name]))
      const value = most?.[name]
      return value === undefined ? [] : [[name, value]]
    })
  )
}

/** A key that is equal for equal values with equal secrets; a value with an unknown secret equals only itself. */
function keyOf(value: Value | undefined): unknown {
  if (value === undefined || [...secretsIn(value)].some(({ known }) => !known)) return value
  return JSON.stringify(
    mapValue(value, inner => (inner instanceof Secret ? secretIdentity(inner) : undefined))
  )
}
