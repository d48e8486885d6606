import { UniqueNames } from '../../../core/audit/slug.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { fieldAt, wlanField } from '../../../core/schema/field.ts'
import { sortFields } from '../../../core/schema/field-order.ts'
import {
  byCodeUnit,
  getOrInsert,
  groupsBy,
  mostFrequent,
  usual
} from '../../../core/values/collections.ts'
import {
  asPointer,
  isAtOrBelow,
  type Pointer,
  topLevelField
} from '../../../core/values/pointer.ts'
import {
  fromEntries,
  isList,
  member,
  removeAt,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'
import type { RequestedImport } from '../site.ts'
import type { Block } from '../site-files.ts'
import type { FamilyMember, WlanFamily } from './families.ts'
import { isInList, leavesOf, mapLeaves } from './leaves.ts'
import { isMerged, overrideFor } from './overrides.ts'

/** The profile of a family: the fields of most of its members. */
export interface Profile {
  readonly family: WlanFamily
  /** Fields with the most frequent value at each place. */
  readonly template: ValueObject
  /** The values by site, for the places that vary from site to site. */
  readonly varying: ReadonlyMap<Pointer, ReadonlyMap<RequestedImport, Value>>
}

/** The profile of a family. A place where nearly all sites, or nearly all of each kind, have the same value does not vary. */
export function profileOf(
  family: WlanFamily,
  kindOf: ReadonlyMap<RequestedImport, unknown>
): Profile {
  const members = [...family.members.values()]
  const leaves = new Map(members.map(each => [each, leavesOf(each.wlan.fields)]))
  const varying = new Map<Pointer, ReadonlyMap<RequestedImport, Value>>()
  const structure = structureOf(members)
  const likeTemplate = new Map<string, FamilyMember[]>()
  const membersLike = (name: string) =>
    getOrInsert(likeTemplate, name, () => {
      const shape = shapeOf(structure, name)
      return members.filter(({ wlan }) => shapeOf(wlan.fields, name) === shape)
    })
  const template = mapLeaves(structure, (example, at) => {
    const field = fieldAt(at)
    const valueAt = (each: FamilyMember) => leaves.get(each)?.get(at) ?? null
    const keyAt = (each: FamilyMember) => comparisonKey(valueAt(each), field)
    // An override replaces a list as a whole, so each kind has the same values in it, apart from lists of another structure.
    const alike = isInList(at) ? membersLike(topLevelField(at)) : members
    const having = alike.filter(each => leaves.get(each)?.has(at))
    const groups = isInList(at) ? [having] : groupsBy(having, ({ site }) => kindOf.get(site))
    const varies = groups.some(group => usual(group, keyAt).length === 0)
    if (varies && usual(having, keyAt).length === 0) {
      varying.set(at, new Map(having.map(each => [each.site, valueAt(each)])))
    }
    // The most frequent notation of values that agree, such as 40 and "40".
    const spelled = mostFrequent(mostFrequent(having, keyAt), each => comparisonKey(valueAt(each)))
    return spelled[0] === undefined ? example : valueAt(spelled[0])
  })
  // A kind cannot unset what its profile has, so a profile has nothing that each of its sites would unset.
  const kinds = groupsBy(members, ({ site }) => kindOf.get(site))
  const unset = kinds.flatMap(some => {
    const { $unset } = usualMembers(some.map(({ wlan }) => overrideFor(template, wlan)))
    return isList($unset) && some.length > kinds.length
      ? $unset.map(at => asPointer(String(at)))
      : []
  })
  const isConstant = (at: Pointer) => ![...varying.keys()].some(each => isAtOrBelow(each, at))
  return { family, template: unset.filter(isConstant).reduce(removeAt, template), varying }
}

/** The fields that more than half of the members have, each with the structure that most of them have. */
function structureOf(members: readonly FamilyMember[]): ValueObject {
  const fields = members.map(({ wlan }) => wlan.fields)
  const names = new Set(fields.flatMap(each => Object.keys(each)))
  const structure = [...names].flatMap((name): [string, Value][] => {
    const having = fields.filter(each => Object.hasOwn(each, name))
    const [example] = mostFrequent(having, each => shapeOf(each, name))
    return example !== undefined && 2 * having.length > members.length
      ? [[name, example[name] ?? null]]
      : []
  })
  return fromEntries(sortFields(wlanField, structure))
}

/** The places in a field, as a key. */
function shapeOf(fields: ValueObject, name: string): string {
  const places = leavesOf({ [name]: fields[name] ?? null }).keys()
  return [...places].sort(byCodeUnit).join()
}

/** The profiles of a file. */
export interface ProfileBlocks {
  /** The profile that all others extend, if they have something in common. */
  readonly base: Block | undefined
  /** Without the base, but over it. */
  readonly profiles: readonly Block[]
}

/** The minimum number of profiles, and of the fields that they have in common. */
const MIN_IN_COMMON = 3

/** The profiles, with the fields that all of them have, and most of them with the same value, in one that they extend. */
export function withBase(profiles: readonly Block[]): ProfileBlocks {
  const full = profiles.map(([, own]) => own)
  const { ssid: _, ...fields } = usualMembers(full, full.length)
  const least = Math.min(profiles.length, Object.keys(fields).length)
  if (least < MIN_IN_COMMON) return { base: undefined, profiles }
  const names = new UniqueNames('-')
  for (const [name] of profiles) names.take(name)
  const base: Block = [names.take('base'), fields]
  const over = profiles.map(([name, own]): Block => {
    return [name, { $extends: base[0], ...overrideFor(fields, { fields: own, record: {} }) }]
  })
  return { base, profiles: over }
}

/** The members that at least this number of objects have, and nearly all of these with the same value; of blocks, their members. */
export function usualMembers(
  objects: readonly ValueObject[],
  least = 0,
  field = wlanField
): ValueObject {
  const names = new Set(objects.flatMap(each => Object.keys(each)))
  return fromEntries(
    [...names].flatMap((name): [string, Value][] => {
      const inner = field.member(name)
      const values = objects.map(each => member(each, name))
      if (values.filter(value => value !== undefined).length < least) return []
      const blocks = values.flatMap(value => {
        if (value === undefined) return [{}]
        return isMerged(inner, value) ? [value] : []
      })
      if (blocks.length === values.length) {
        const common = usualMembers(blocks, least, inner)
        return Object.keys(common).length === 0 ? [] : [[name, common]]
      }
      const [value] = usual(values, each => each && comparisonKey(each))
      return value === undefined ? [] : [[name, value]]
    })
  )
}
