import { byCodeUnit } from '../../model/collections.ts'
import { type Pointer, topLevelField } from '../../model/pointer.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import { keySlug, slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import type { Pause } from '../site-files.ts'
import { comparisonKey, type Leaves, leavesOf } from './leaves.ts'

/** A WLAN with the site that it is on. */
export interface FamilyMember {
  readonly site: ImportedSite
  readonly wlan: ImportedWlan
  readonly leaves: Leaves
}

/** WLANs of one kind, at most one a site; each is found by its SSID. */
export interface WlanFamily {
  /** What the WLAN is called on every site. */
  readonly key: string
  /** In the order of the sites. */
  readonly members: readonly FamilyMember[]
}

/**
 * Finds the WLANs that are on several sites: those of one SSID, then those whose SSIDs differ in their
 * numbers alone (`Store 017`). A WLAN whose SSID does not tell it from others is in no family.
 */
export async function findFamilies(
  sites: readonly ImportedSite[],
  pause: Pause
): Promise<WlanFamily[]> {
  const members: FamilyMember[] = []
  for (const site of sites) {
    await pause()
    members.push(...uniqueBySsid(site).map(wlan => familyMember(site, wlan)))
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

function familyMember(site: ImportedSite, wlan: ImportedWlan): FamilyMember {
  return { site, wlan, leaves: leavesOf(wlan.fields) }
}

function uniqueBySsid({ wlans, inherited }: ImportedSite): ImportedWlan[] {
  const alike = groups([...wlans, ...inherited], ({ ssid }) => ssid)
  return wlans.filter(
    ({ ssid, fields }) => alike.get(ssid)?.length === 1 && fields['ssid'] === ssid
  )
}

function patternOf(ssid: string): string {
  return ssid.replace(/\d+/g, '#')
}

function isOncePerSite(members: readonly FamilyMember[]): boolean {
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

/** Members of a family that have the same fields: they get one profile. */
export interface ProfileCandidate {
  /** Of the profile. */
  readonly name: string
  readonly family: WlanFamily
  /** One of the WLANs; its leaves are those of the profile where they are the same on each site. */
  readonly template: ValueObject
  /** The values that most sites share; where a site differs, it says so itself. */
  readonly shared: ReadonlyMap<Pointer, Value>
  /** The places whose values differ from site to site, each with those of the members. */
  readonly varying: ReadonlyMap<Pointer, ReadonlyMap<FamilyMember, Value>>
}

/** The share of a family that is worth a profile of its own. */
const MIN_PROFILE_SHARE = 0.1

/** With so many members, a few that differ are exceptions, and not what a variable is for. */
const MIN_MEMBERS_FOR_EXCEPTIONS = 10
const MAX_FIELD_EXCEPTIONS = 0.1
const MAX_PROFILE_EXCEPTIONS = 0.15

/** The kinds of a family, the most frequent first; a WLAN that is like few others is of none. */
export function profileCandidates(family: WlanFamily, names: UniqueNames): ProfileCandidate[] {
  const { members } = family
  const shapes = [
    ...groups(members, ({ leaves }) => [...leaves.keys()].sort(byCodeUnit).join('\n'))
  ]
  const frequent = shapes
    .filter(([, group]) => group.length > 1 && group.length >= members.length * MIN_PROFILE_SHARE)
    .sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
  const first = frequent[0]?.[1]
  return frequent.map(([, group]) => {
    const differing = group === first ? undefined : nameSuffix(group, first ?? [])
    const name = names.take(differing === undefined ? family.key : `${family.key}-${differing}`)
    return candidateFrom(name, family, group)
  })
}

/** What a kind has that the most frequent one has not, as part of a name. */
function nameSuffix([member]: readonly FamilyMember[], [usual]: readonly FamilyMember[]): string {
  const places = [...(member?.leaves.keys() ?? [])].filter(at => !usual?.leaves.has(at))
  const [place] = places.sort(byCodeUnit)
  return place === undefined ? 'basic' : slugOf(topLevelField(place))
}

function candidateFrom(
  name: string,
  family: WlanFamily,
  members: readonly FamilyMember[]
): ProfileCandidate {
  const shared = new Map<Pointer, Value>()
  const varying = new Map<Pointer, ReadonlyMap<FamilyMember, Value>>()
  const exceptions = new Set<FamilyMember>()
  const model = members[0]?.wlan.fields ?? {}
  for (const tally of tallyAll(members)) {
    const odd = new Set([...exceptions, ...tally.exceptions])
    const isShared =
      tally.exceptions.length === 0 ||
      (members.length >= MIN_MEMBERS_FOR_EXCEPTIONS &&
        tally.exceptions.length <= members.length * MAX_FIELD_EXCEPTIONS &&
        odd.size <= members.length * MAX_PROFILE_EXCEPTIONS)
    if (isShared) {
      shared.set(tally.at, tally.mostFrequent)
      for (const member of tally.exceptions) exceptions.add(member)
    } else varying.set(tally.at, tally.values)
  }
  return { name, family, template: model, shared, varying }
}

/** How often the values of a place occur. */
interface Tally {
  readonly at: Pointer
  readonly values: ReadonlyMap<FamilyMember, Value>
  /** The most frequent value, and the members that have another one. */
  readonly mostFrequent: Value
  readonly exceptions: readonly FamilyMember[]
}

/** The places of these members, those with the fewest exceptions first. */
function tallyAll(members: readonly FamilyMember[]): Tally[] {
  const places = [...(members[0]?.leaves.keys() ?? [])]
  return places
    .map(at => tallyPlace(at, members))
    .sort((a, b) => a.exceptions.length - b.exceptions.length)
}

function tallyPlace(at: Pointer, members: readonly FamilyMember[]): Tally {
  const values = new Map(members.map(member => [member, member.leaves.get(at) ?? null]))
  const classes = groups(members, member => comparisonKey(values.get(member) ?? null))
  const [usual = []] = [...classes.values()].sort((a, b) => b.length - a.length)
  const has = new Set(usual)
  return {
    at,
    values,
    mostFrequent: values.get(usual[0] as FamilyMember) ?? null,
    exceptions: members.filter(member => !has.has(member))
  }
}
