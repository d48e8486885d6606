import { byCodeUnit } from '../../model/collections.ts'
import { keySlug, UniqueNames } from '../names.ts'
import type { Pause } from '../plain.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import { type Leaves, leavesOf } from './leaves.ts'

/** A WLAN with the site that it is on. */
export interface Member {
  readonly site: ImportedSite
  readonly wlan: ImportedWlan
  readonly leaves: Leaves
}

/** WLANs of one kind, at most one a site; each is found by its SSID. */
export interface WlanFamily {
  /** What the WLAN is called on every site. */
  readonly key: string
  /** In the order of the sites. */
  readonly members: readonly Member[]
}

/**
 * Finds the WLANs that are on several sites: those of one SSID, then those whose SSIDs differ in their
 * numbers alone (`Store 017`). A WLAN whose SSID does not tell it from others is in no family.
 */
export async function familiesOf(
  sites: readonly ImportedSite[],
  pause: Pause
): Promise<WlanFamily[]> {
  const members: Member[] = []
  for (const site of sites) {
    await pause()
    members.push(...foundBySsid(site).map(wlan => memberOf(site, wlan)))
  }
  const same = groups(members, ({ wlan }) => wlan.ssid)
  const alone = [...same.values()].flatMap(group => (group.length === 1 ? group : []))
  const alike = groups(alone, ({ wlan }) => patternOf(wlan.ssid))
  const names = new UniqueNames('-')
  return [...same, ...alike]
    .filter(([, group]) => group.length > 1 && isOncePerSite(group))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([ssid, group]) => ({
      key: names.take(keySlug(ssid.replaceAll('#', ' '))),
      members: group
    }))
}

function memberOf(site: ImportedSite, wlan: ImportedWlan): Member {
  return { site, wlan, leaves: leavesOf(wlan.fields) }
}

function foundBySsid({ wlans, inherited }: ImportedSite): ImportedWlan[] {
  const alike = groups([...wlans, ...inherited], ({ ssid }) => ssid)
  return wlans.filter(
    ({ ssid, fields }) => alike.get(ssid)?.length === 1 && fields['ssid'] === ssid
  )
}

function patternOf(ssid: string): string {
  return ssid.replace(/\d+/g, '#')
}

function isOncePerSite(members: readonly Member[]): boolean {
  return new Set(members.map(({ site }) => site)).size === members.length
}

/** The items by what they have in common, in the order of the first of each. */
export function groups<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key
): Map<Key, Item[]> {
  const made = new Map<Key, Item[]>()
  for (const item of items) {
    const group = made.get(keyOf(item))
    if (group === undefined) made.set(keyOf(item), [item])
    else group.push(item)
  }
  return made
}
