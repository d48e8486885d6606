import { UniqueNames } from '../../../core/audit/slug.ts'
import { comparisonKey } from '../../../core/diff/agree.ts'
import { isMerged } from '../../../core/diff/overlay.ts'
import { fieldAt, wlanField } from '../../../core/schema/field.ts'
import { sortFields } from '../../../core/schema/field-order.ts'
import {
  byCodeUnit,
  groupsBy,
  isUsual,
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
import { overrideFor } from './overrides.ts'

/** The values of a field, or of a variable, by site. */
export type SiteValues = ReadonlyMap<RequestedImport, Value>

/** The profile of a family: the fields of most of its members. */
export interface ProfileDraft {
  readonly family: WlanFamily
  /** Fields with the most frequent value at each place. */
  readonly template: ValueObject
  /** The values of the places that vary from site to site. */
  readonly varying: ReadonlyMap<Pointer, SiteValues>
}

/**
 * The profile of a family. A place where nearly all sites have the value that most of their kind have does not vary; sites
 * without a kind are compared with each other.
 */
export function profileOf(
  family: WlanFamily,
  kindOf: ReadonlyMap<RequestedImport, unknown>
): ProfileDraft {
  const members = [...family.members.values()]
  const leaves = new Map(members.map(each => [each, leavesOf(each.wlans[0].fields)]))
  const varying = new Map<Pointer, SiteValues>()
  const alike = alikeMembers(members)
  const structure = [...alike].flatMap(([name, [example]]): [string, Value][] =>
    example ? [[name, example.wlans[0].fields[name] ?? null]] : []
  )
  const template = mapLeaves(fromEntries(sortFields(wlanField, structure)), (example, at) => {
    const field = fieldAt(at)
    const valueAt = (each: FamilyMember) => leaves.get(each)?.get(at) ?? null
    const keyAt = (each: FamilyMember) => comparisonKey(valueAt(each), field)
    // An override replaces a list as a whole, so each kind has the same values in it, apart from lists of another structure.
    const some = isInList(at) ? (alike.get(topLevelField(at)) ?? []) : members
    const having = some.filter(each => leaves.get(each)?.has(at))
    const groups = isInList(at) ? [having] : groupsBy(having, ({ site }) => kindOf.get(site))
    const agreeing = groups.flatMap(group => mostFrequent(group, keyAt))
    if (!isUsual(agreeing.length, having.length)) {
      varying.set(at, new Map(having.map(each => [each.site, valueAt(each)])))
    }
    // The most frequent notation of values that agree, such as 40 and "40".
    const spelled = mostFrequent(mostFrequent(having, keyAt), each => comparisonKey(valueAt(each)))
    return spelled[0] === undefined ? example : valueAt(spelled[0])
  })
  // A kind cannot unset what its profile has, so a profile has nothing that each of its sites would unset.
  const kinds = groupsBy(members, ({ site }) => kindOf.get(site))
  const unset = kinds.flatMap(some => {
    const isLacking = [...leavesOf(template).keys()].some(at =>
      isUsual(some.filter(each => !leaves.get(each)?.has(at)).length, some.length)
    )
    if (!isLacking || some.length <= kinds.length) return []
    const { $unset } = usualMembers(some.map(({ wlans: [wlan] }) => overrideFor(template, wlan)))
    return isList($unset) ? $unset.map(at => asPointer(String(at))) : []
  })
  const isConstant = (at: Pointer) => ![...varying.keys()].some(each => isAtOrBelow(each, at))
  return { family, template: unset.filter(isConstant).reduce(removeAt, template), varying }
}

/** For each field that more than half of the members have, those with the most frequent structure of it. */
function alikeMembers(members: readonly FamilyMember[]) {
  const names = new Set(members.flatMap(({ wlans: [{ fields }] }) => Object.keys(fields)))
  const alike = [...names].flatMap(name => {
    const having = members.filter(({ wlans: [{ fields }] }) => Object.hasOwn(fields, name))
    const shapeOf = ({ wlans: [{ fields }] }: FamilyMember) =>
      [...leavesOf({ [name]: fields[name] ?? null }).keys()].sort(byCodeUnit).join()
    const isCommon = 2 * having.length > members.length
    return isCommon ? [[name, mostFrequent(having, shapeOf)] as const] : []
  })
  return new Map(alike)
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
