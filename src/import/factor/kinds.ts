import { byCodeUnit } from '../../model/collections.ts'
import { type Pointer, topLevelField } from '../../model/pointer.ts'
import type { Value, ValueObject } from '../../model/value.ts'
import { slug, type UniqueNames } from '../names.ts'
import { groups, type Member, type WlanFamily } from './families.ts'
import { identity } from './leaves.ts'

/** Members of a family that have the same fields: they get one profile. */
export interface Kind {
  /** Of the profile. */
  readonly name: string
  readonly family: WlanFamily
  /** One of the WLANs; its leaves are those of the profile where they are the same on each site. */
  readonly model: ValueObject
  /** The values that most sites share; where a site differs, it says so itself. */
  readonly shared: ReadonlyMap<Pointer, Value>
  /** The places whose values differ from site to site, each with those of the members. */
  readonly varying: ReadonlyMap<Pointer, ReadonlyMap<Member, Value>>
}

/** The share of a family that is worth a profile of its own. */
const KIND_SHARE = 0.1

/** With so many members, a few that differ are exceptions, and not what a variable is for. */
const MANY = 10
const EXCEPTIONS_OF_FIELD = 0.1
const EXCEPTIONS_OF_KIND = 0.15

/** The kinds of a family, the most frequent first; a WLAN that is like few others is of none. */
export function kindsOf(family: WlanFamily, names: UniqueNames): Kind[] {
  const { members } = family
  const shapes = [
    ...groups(members, ({ leaves }) => [...leaves.keys()].sort(byCodeUnit).join('\n'))
  ]
  const frequent = shapes
    .filter(([, group]) => group.length > 1 && group.length >= members.length * KIND_SHARE)
    .sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
  const first = frequent[0]?.[1]
  return frequent.map(([, group]) => {
    const differing = group === first ? undefined : distinction(group, first ?? [])
    const name = names.take(differing === undefined ? family.key : `${family.key}-${differing}`)
    return kindOf(name, family, group)
  })
}

/** What a kind has that the most frequent one has not, as part of a name. */
function distinction([member]: readonly Member[], [usual]: readonly Member[]): string {
  const places = [...(member?.leaves.keys() ?? [])].filter(at => !usual?.leaves.has(at))
  const [place] = places.sort(byCodeUnit)
  return place === undefined ? 'basic' : slug(topLevelField(place))
}

function kindOf(name: string, family: WlanFamily, members: readonly Member[]): Kind {
  const shared = new Map<Pointer, Value>()
  const varying = new Map<Pointer, ReadonlyMap<Member, Value>>()
  const exceptions = new Set<Member>()
  const model = members[0]?.wlan.fields ?? {}
  for (const tally of talliesOf(members)) {
    const odd = new Set([...exceptions, ...tally.odd])
    const isShared =
      tally.odd.length === 0 ||
      (members.length >= MANY &&
        tally.odd.length <= members.length * EXCEPTIONS_OF_FIELD &&
        odd.size <= members.length * EXCEPTIONS_OF_KIND)
    if (isShared) {
      shared.set(tally.at, tally.usual)
      for (const member of tally.odd) exceptions.add(member)
    } else varying.set(tally.at, tally.values)
  }
  return { name, family, model, shared, varying }
}

/** How often the values of a place occur. */
interface Tally {
  readonly at: Pointer
  readonly values: ReadonlyMap<Member, Value>
  /** The most frequent value, and the members that have another one. */
  readonly usual: Value
  readonly odd: readonly Member[]
}

/** The places of these members, those with the fewest exceptions first. */
function talliesOf(members: readonly Member[]): Tally[] {
  const places = [...(members[0]?.leaves.keys() ?? [])]
  return places.map(at => tallyOf(at, members)).sort((a, b) => a.odd.length - b.odd.length)
}

function tallyOf(at: Pointer, members: readonly Member[]): Tally {
  const values = new Map(members.map(member => [member, member.leaves.get(at) ?? null]))
  const classes = groups(members, member => identity(values.get(member) ?? null))
  const [usual = []] = [...classes.values()].sort((a, b) => b.length - a.length)
  const has = new Set(usual)
  return {
    at,
    values,
    usual: values.get(usual[0] as Member) ?? null,
    odd: members.filter(member => !has.has(member))
  }
}
