import { UniqueNames } from '../../../core/audit/slug.ts'
import { nearest } from '../../../core/schema/nearest.ts'
import { byCodeUnit, groupBy, type NonEmpty } from '../../../core/values/collections.ts'
import { ssidPattern } from '../../../core/values/ssid.ts'
import { keySlug } from '../names.ts'
import type { ImportedWlan, RequestedImport } from '../site.ts'

/** The WLANs of a site with the same SSID. */
export interface FamilyMember {
  readonly site: RequestedImport
  readonly wlans: NonEmpty<ImportedWlan>
  /** True if its SSID, or a variable of it, identifies the WLAN on its site; else it needs its `id`. */
  readonly isUnique: boolean
}

/** Corresponding WLANs of several sites. */
export interface WlanFamily {
  /** The key of the WLAN on every site. */
  readonly key: string
  /** At most one for each site, in the order of the sites. */
  readonly members: ReadonlyMap<RequestedImport, FamilyMember>
}

/**
 * Finds the WLANs of several sites with the same SSID, those whose SSIDs differ only in numbers (`Store 017`), and those of
 * a single site whose SSID is a misspelt one that the site lacks.
 */
export function findFamilies(sites: readonly RequestedImport[]): WlanFamily[] {
  const members = sites.flatMap(membersOf)
  const sameSsid = groupBy(members, ssidOf)
  const alone = [...sameSsid.values()].flatMap(group => (group.length === 1 ? group : []))
  const samePattern = groupBy(alone, member => ssidPattern(ssidOf(member)))
  const names = new UniqueNames('-')
  const found = [...sameSsid, ...samePattern]
    .filter(([, group]) => group.length > 1 && isOncePerSite(group))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([ssid, group]) => ({
      key: names.take(keySlug(ssid.replaceAll('*', ' '))),
      ssid,
      members: new Map(group.map(member => [member.site, member]))
    }))
  const inFamily = new Set(found.flatMap(family => [...family.members.values()]))
  for (const member of members.filter(each => !inFamily.has(each))) {
    const [{ site }, written] = [member, ssidOf(member)]
    const lacking = found.filter(({ members }) => members.size >= MIN_SPELT && !members.has(site))
    const names = written.length < MIN_LENGTH ? [] : lacking.map(({ ssid }) => ssid)
    const meant = nearest(written, names)
    lacking.find(({ ssid }) => ssid === meant)?.members.set(site, member)
  }
  return found
}

/** The minimum number of letters of an SSID that may be misspelt, and of sites at which it is spelt correctly. */
const MIN_LENGTH = 4
const MIN_SPELT = 3

function membersOf(site: RequestedImport): FamilyMember[] {
  const inherited = new Set(site.inherited.map(({ ssid }) => ssid))
  return [...groupBy(site.wlans, ({ ssid }) => ssid)].flatMap(([ssid, wlans]) => {
    const isUnique = wlans.length === 1 && !inherited.has(ssid)
    return wlans[0].fields['ssid'] === ssid ? [{ site, wlans, isUnique }] : []
  })
}

function ssidOf({ wlans: [{ ssid }] }: FamilyMember): string {
  return ssid
}

function isOncePerSite(members: readonly FamilyMember[]): boolean {
  return new Set(members.map(({ site }) => site)).size === members.length
}
