import type { Kind } from '../../../core/audit/kinds.ts'
import { groupBy } from '../../../core/values/collections.ts'
import type { Pointer } from '../../../core/values/pointer.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { ValueObject } from '../../../core/values/value.ts'
import type { ImportedWlan, RequestedImport } from '../site.ts'
import type { Pause } from '../site-files.ts'
import { leavesOf, mapLeaves } from './leaves.ts'
import { isOverridden, merged, overrideFor } from './overrides.ts'
import { type Profile, usualMembers } from './profiles.ts'
import type { SiteVariable, VariablePlace, VariablePlaces } from './variables.ts'

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
  readonly override: ValueObject
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
      const isOfKind = kind.networks.includes(profile.family.key)
      const isOverridable = isOfKind && kind.sites.length > 1
      const members = kind.sites.flatMap(site => profile.family.members.get(site) ?? [])
      const extend = (wlan: Pick<Extension, 'site' | 'wlan'>, block: ValueObject = {}) =>
        extensionOf({ ...wlan, profile }, places.get(profile) ?? new Map(), block)
      const alone: Extension[][] = []
      for (const { site, wlan, copies } of members) {
        await pause()
        const all = [wlan, ...copies].map(each => extend({ site, wlan: each }))
        alone.push(all.sort((a, b) => leavesOf(a.override).size - leavesOf(b.override).size))
      }
      const usual = alone.map(([first]) => first?.override ?? {})
      const { $unset: _, ...block } = isOverridable ? usualMembers(usual) : {}
      if (isOfKind) blocks.set(profile, block)
      for (const [at, [first, ...copies]] of alone.entries()) {
        await pause()
        if (first === undefined) continue
        const own = Object.keys(block).length === 0 ? first : extend(first, block)
        if (isOverridable || isExtending(own)) {
          extensions.push(members[at]?.isUnique ? own : withId(own))
        }
        for (const copy of copies.filter(isExtending)) {
          extensions.push({ ...withId(copy), isCopy: true })
        }
      }
    }
    extended.push({ kind, blocks, extensions: groupBy(extensions, ({ site }) => site) })
  }
  return extended
}

/** `$unset` is for overrides. */
function isExtending({ override }: Extension): boolean {
  return !Object.hasOwn(override, '$unset')
}

function withId(extension: Extension): Extension {
  return { ...extension, override: { id: extension.wlan.id, ...extension.override } }
}

/** Placeholder for a variable without a value on a site; equals no other value. */
const NO_VALUE = new Secret({ $live: true }, undefined)

function extensionOf(
  { site, wlan, profile }: Pick<Extension, 'site' | 'wlan' | 'profile'>,
  places: ReadonlyMap<Pointer, VariablePlace>,
  block: ValueObject
): Extension {
  const resolved = mapLeaves(profile.template, (value, at) => {
    const place = places.get(at)
    return place === undefined ? value : (place.valueOn(site) ?? NO_VALUE)
  })
  const override = overrideFor(merged(resolved, block), wlan)
  const read = [...places].filter(([at]) => !isOverridden(override, at) && !isOverridden(block, at))
  const variables = new Set(read.flatMap(([, { variable }]) => variable ?? []))
  return { site, wlan, profile, isCopy: false, override, variables }
}
