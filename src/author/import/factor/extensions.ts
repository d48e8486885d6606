import type { Kind } from '../../../core/audit/kinds.ts'
import { groupBy } from '../../../core/values/collections.ts'
import { Secret } from '../../../core/values/secret.ts'
import type { ValueObject } from '../../../core/values/value.ts'
import type { ImportedWlan, RequestedImport } from '../site.ts'
import type { Pause } from '../site-files.ts'
import type { FamilyMember } from './families.ts'
import { leavesOf, mapLeaves } from './leaves.ts'
import { isOverridden, merged, overrideFor } from './overrides.ts'
import { usualMembers } from './profiles.ts'
import type { Profile, SiteVariable } from './variables.ts'

/** Sites with nearly the same WLANs, by the keys of these, which share a file and a group. */
export type SiteKind = Kind<RequestedImport>

/** A WLAN that extends a profile. */
export interface Extension {
  readonly member: FamilyMember
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
  pause: Pause
): Promise<ExtendedKind[]> {
  const extended: ExtendedKind[] = []
  for (const kind of kinds) {
    const blocks = new Map<Profile, ValueObject>()
    const extensions: Extension[] = []
    for (const profile of profiles) {
      const isShared = kind.sites.length > 1 && kind.networks.includes(profile.family.key)
      const alone: Extension[][] = []
      for (const member of kind.sites.flatMap(site => profile.family.members.get(site) ?? [])) {
        await pause()
        const all = member.wlans.map(wlan => extensionOf(member, wlan, profile))
        alone.push(all.sort((a, b) => leavesOf(a.override).size - leavesOf(b.override).size))
      }
      const usual = isShared ? alone.map(([first]) => first?.override ?? {}) : []
      const { $unset: _, ...block } = usualMembers(usual)
      if (isShared) blocks.set(profile, block)
      const isSame = Object.keys(block).length === 0
      for (const [first, ...copies] of alone) {
        await pause()
        if (first === undefined) continue
        const own = isSame ? first : extensionOf(first.member, first.wlan, profile, block)
        if (isShared || isExtending(own)) extensions.push(own)
        for (const copy of copies.filter(isExtending)) extensions.push({ ...copy, isCopy: true })
      }
    }
    extended.push({ kind, blocks, extensions: groupBy(extensions, ({ member }) => member.site) })
  }
  return extended
}

/** `$unset` is for overrides. */
function isExtending({ override }: Extension): boolean {
  return !Object.hasOwn(override, '$unset')
}

/** Placeholder for a variable without a value on a site; equals no other value. */
const NO_VALUE = new Secret({ $live: true }, undefined)

function extensionOf(
  member: FamilyMember,
  wlan: ImportedWlan,
  profile: Profile,
  block: ValueObject = {}
): Extension {
  const { template, places } = profile
  const resolved = mapLeaves(template, (value, at) => {
    const place = places.get(at)
    return place === undefined ? value : (place.values.get(member.site) ?? NO_VALUE)
  })
  const fields = overrideFor(merged(resolved, block), wlan)
  const override = member.isUnique ? fields : { id: wlan.id, ...fields }
  const read = [...places].filter(([at]) => !isOverridden(override, at) && !isOverridden(block, at))
  const variables = new Set(read.flatMap(([, { variable }]) => variable ?? []))
  return { member, wlan, profile, isCopy: false, override, variables }
}
