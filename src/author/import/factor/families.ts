import { comparisonKey } from '../../../core/diff/agree.ts'
import { fieldAt } from '../../../core/schema/field.ts'
import { append, byCodeUnit, groupBy, groupsBy } from '../../../core/values/collections.ts'
import { type Pointer, topLevelField } from '../../../core/values/pointer.ts'
import type { Value, ValueObject } from '../../../core/values/value.ts'
import { mapLines } from '../../yaml-edit/write.ts'
import { keySlug, slugOf, UniqueNames } from '../names.ts'
import type { ImportedSite, ImportedWlan } from '../site.ts'
import type { Pause } from '../site-files.ts'
import { type Leaves, leavesOf, MAX_EXCEPTIONS, mostFrequent } from './leaves.ts'

/** A WLAN with its site. */
export interface FamilyMember {
  readonly site: ImportedSite
  readonly wlan: ImportedWlan
  /** True if no other live WLAN of the site has its SSID; else it needs its `id`. */
  readonly isUnique: boolean
  readonly leaves: Leaves
  /** The number of lines of its fields in a file without profiles. */
  readonly lines: number
}

/** Corresponding WLANs of several sites, at most one per site, each identified by its SSID. */
export interface WlanFamily {
  /** The key of the WLAN on every site. */
  readonly key: string
  /** In the order of the sites. */
  readonly members: readonly FamilyMember[]
  /** By site: the WLANs of one site that share the SSID of the members. */
  readonly copies: readonly (readonly FamilyMember[])[]
}

/** The WLANs of some sites. */
export interface Families {
  readonly families: readonly WlanFamily[]
  /** The WLANs in no family. */
  readonly single: readonly FamilyMember[]
}

/** Finds the WLANs of several sites with the same SSID, then those whose SSIDs differ only in numbers (`Store 017`). */
export async function findFamilies(
  sites: readonly ImportedSite[],
  pause: Pause
): Promise<Families> {
  const members: FamilyMember[] = []
  for (const site of sites) {
    await pause()
    append(members, membersOf(site))
  }
  const unique = members.filter(({ isUnique }) => isUnique)
  const copies = members.filter(({ isUnique }) => !isUnique)
  const sameSsid = groupBy(unique, ({ wlan }) => wlan.ssid)
  const alone = [...sameSsid.values()].flatMap(group => (group.length === 1 ? group : []))
  const samePattern = groupBy(alone, ({ wlan }) => wlan.ssid.replace(/\d+/g, '#'))
  const names = new UniqueNames('-')
  const families = [...sameSsid, ...samePattern]
    .filter(([, group]) => group.length > 1 && isOncePerSite(group))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([ssid, group]) => ({
      key: names.take(keySlug(ssid.replaceAll('#', ' '))),
      members: group,
      copies: copiesOf(group, copies)
    }))
  const inFamily = new Set(families.flatMap(family => [...family.members, ...family.copies.flat()]))
  return { families, single: members.filter(member => !inFamily.has(member)) }
}

/** The number of lines of some fields in a file. */
export function linesOf(fields: ValueObject): number {
  return mapLines(fields, 0).length
}

function membersOf(site: ImportedSite): FamilyMember[] {
  const bySsid = groupBy([...site.wlans, ...site.inherited], ({ ssid }) => ssid)
  return site.wlans
    .filter(({ ssid, fields }) => fields['ssid'] === ssid)
    .map(wlan => ({
      site,
      wlan,
      isUnique: bySsid.get(wlan.ssid)?.length === 1,
      leaves: leavesOf(wlan.fields),
      lines: linesOf(wlan.fields)
    }))
}

/** The copies with the SSID of all of these members, by site. */
function copiesOf(
  members: readonly FamilyMember[],
  copies: readonly FamilyMember[]
): FamilyMember[][] {
  const ssids = new Set(members.map(({ wlan }) => wlan.ssid))
  const same = ssids.size === 1 ? copies.filter(({ wlan }) => ssids.has(wlan.ssid)) : []
  return groupsBy(same, ({ site }) => site)
}

function isOncePerSite(members: readonly FamilyMember[]): boolean {
  return new Set(members.map(({ site }) => site)).size === members.length
}

/** Members of a family with the same fields, which may share a profile. */
export interface ProfileCandidate {
  readonly name: string
  readonly family: WlanFamily
  /** The fields of one member; the profile replaces their leaves. */
  readonly template: ValueObject
  /** The most frequent values; other sites override them. */
  readonly shared: ReadonlyMap<Pointer, Value>
  /** The values by member for the places that differ by site. */
  readonly varying: ReadonlyMap<Pointer, ReadonlyMap<FamilyMember, Value>>
}

const MIN_PROFILE_SHARE = 0.1

/** The maximum number of fields in only one of two shapes for which overrides are used instead of another profile. */
const MAX_SHAPE_DIFFERENCE = 4

/** The profile candidates of a family, sorted by frequency; rare shapes and similar ones have none. */
export function profileCandidates(family: WlanFamily, names: UniqueNames): ProfileCandidate[] {
  const { members } = family
  const shapes = [...groupBy(members, shapeOf())]
  const sorted = shapes
    .filter(([, group]) => group.length > 1 && group.length >= members.length * MIN_PROFILE_SHARE)
    .sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
  const first = sorted[0]?.[1]
  const frequent = sorted.filter(([, group]) => group === first || !isSimilar(group, first ?? []))
  return frequent.map(([, group]) => {
    const differing = group === first ? undefined : nameSuffix(group, first ?? [])
    const name = names.take(differing === undefined ? family.key : `${family.key}-${differing}`)
    return candidateFrom(name, family, group)
  })
}

/** Returns a function that makes equal texts for members with the same fields; sorts each order of them once. */
function shapeOf(): (member: FamilyMember) => string {
  const shapes = new Map<string, string>()
  return ({ leaves }) => {
    const pointers = [...leaves.keys()]
    const unsorted = pointers.join('\n')
    const shape = shapes.get(unsorted) ?? pointers.sort(byCodeUnit).join('\n')
    shapes.set(unsorted, shape)
    return shape
  }
}

/** True if few fields are in only one of the two shapes. */
function isSimilar([a]: readonly FamilyMember[], [b]: readonly FamilyMember[]): boolean {
  const [one = [], other = []] = [a, b].map(each => [...(each?.leaves.keys() ?? [])])
  const [inOne, inOther] = [new Set(one), new Set(other)]
  const different = [...one.filter(at => !inOther.has(at)), ...other.filter(at => !inOne.has(at))]
  return different.length <= MAX_SHAPE_DIFFERENCE
}

/** The first field that the most frequent candidate lacks, as a suffix of the name. */
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
  const [first] = members
  for (const at of first?.leaves.keys() ?? []) {
    const valueAt = ({ leaves }: FamilyMember) => leaves.get(at) ?? null
    const field = fieldAt(at)
    const usual = mostFrequent(members, member => comparisonKey(valueAt(member), field))
    if (usual.length >= members.length * (1 - MAX_EXCEPTIONS)) {
      // The most frequent notation of values that agree, such as 40 and "40".
      const [spelled] = mostFrequent(usual, member => comparisonKey(valueAt(member)))
      shared.set(at, spelled === undefined ? null : valueAt(spelled))
    } else varying.set(at, new Map(members.map(member => [member, valueAt(member)])))
  }
  return { name, family, template: first?.wlan.fields ?? {}, shared, varying }
}
