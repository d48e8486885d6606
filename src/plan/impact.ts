import { compact } from '../model/collections.ts'
import { type Impact, type ImpactClass, impacts } from '../model/impact.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { isEmpty, isList, isObject, type Value } from '../model/value.ts'
import { type Direction, type Field, fieldAt, type ImpactRule } from '../schema/field.ts'
import { agrees } from './agree.ts'
import { activeMembers, isActive, memberNamesOf, memberOf, type Transition } from './transition.ts'

/** The effect of a patch on clients. */
export interface Effect {
  /** The worst impact of the changed fields; absent if clients notice nothing. */
  readonly impact?: Impact
  /** All impacts, ascending; absent unless there are several. */
  readonly impacts?: readonly Impact[]
  /**
   * The fields that cause the impact, sorted, so that a shortened list of fields can keep them. Absent if all
   * fields cause it, or if there is no impact.
   */
  readonly impact_fields?: readonly Pointer[]
  /** True if other WLANs of the access points are interrupted for seconds, too. */
  readonly resets_radio?: true
  /** True if a server decides anew, and may refuse everybody. */
  readonly authentication_risk?: true
}

/**
 * The effect of a patch on clients. A WLAN that is off has no clients, so there is no impact. Members of a
 * block that is switched off, and fields that are not in use, have no effect.
 */
export function impactOf(transition: Transition): Effect {
  if (!transition.isBefore('/enabled'))
    return transition.isAfter('/enabled') ? { resets_radio: true } : {}
  const paths = transition.patch.flatMap(({ op, path }) => (op === 'test' ? [] : path))
  const fields = paths.map(path => ({ path, rules: rulesAt(path, transition) }))
  const rules = fields.flatMap(field => field.rules)
  const classes = new Set<ImpactClass>(rules.map(rule => rule.class))
  const found = impacts.filter((each): each is Impact => each !== 'none' && classes.has(each))
  const impact = found.at(-1)
  const decisive = fields.filter(field => field.rules.some(rule => rule.class === impact))
  return {
    ...compact({ impact, impacts: found.length > 1 ? found : undefined }),
    ...(impact !== undefined &&
      decisive.length < fields.length && { impact_fields: decisive.map(({ path }) => path) }),
    ...(rules.some(rule => rule.resetsRadio) && { resets_radio: true }),
    ...(rules.some(rule => rule.authenticationRisk) && { authentication_risk: true })
  }
}

/** The effects of the change of a field on clients. */
export function rulesAt(path: Pointer, transition: Transition): readonly ImpactRule[] {
  if (!isActive(path, transition)) return []
  const [before, after] = transition.valuesAt(path)
  return rulesOf(fieldAt(path), before, after, path, transition)
}

/** An added or removed object has the effects of its members. */
function rulesOf(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer,
  transition: Transition
): readonly ImpactRule[] {
  if ((isObject(before) || isObject(after)) && field.compare !== 'whole') {
    return activeMembers(before, after, at, transition).flatMap(({ name, was, is, below }) =>
      rulesOf(field.member(name), was, is, below, transition)
    )
  }
  if (field.key !== undefined) return listRules(field, before, after, at, transition)
  const [was, is] = [withDefault(before, field), withDefault(after, field)]
  if (!field.secret && !isDifferent(field, was, is)) return []
  return matching(field, direction => hasDirection(direction, field, was, is), transition)
}

/** The rules of a field that apply to a change with these directions. */
function matching(
  { impact = [] }: Field,
  goes: (direction: Direction) => boolean,
  transition: Transition
): readonly ImpactRule[] {
  return impact.filter(
    ({ when, inUse }) =>
      (when === undefined || [when].flat().some(goes)) &&
      (inUse === undefined || transition.isAfter(inUse))
  )
}

/** Pairs elements by their key. Elements behind the others have no effect. */
function listRules(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer,
  transition: Transition
): readonly ImpactRule[] {
  if (isEmpty(before) && isEmpty(after)) return []
  const rulesFor = (direction: Direction) => matching(field, each => each === direction, transition)
  if (isEmpty(after)) return rulesFor('emptied')
  const [were, are] = [before, after].map(list => (isList(list) ? list : []))
  const keyOf = (element: Value | undefined) => memberOf(element, field.key ?? '')
  const isKept = (element: Value, place: number) => keyOf(are?.[place]) === keyOf(element)
  if (isEmpty(before) || !were?.every(isKept)) return rulesFor('changed')
  const item = field.item()
  return were.flatMap((was, place) => {
    const is = are?.[place]
    return memberNamesOf(was, is).flatMap(name => {
      const member = item.member(name)
      const values = [was, is].map(value => withDefault(memberOf(value, name), member))
      const isChanged = member.secret
        ? transition.sendsSecret(child(child(at, place), name))
        : isDifferent(member, values[0], values[1])
      if (!isChanged) return []
      if (member.impact === undefined) return rulesFor('changed')
      return matching(member, each => hasDirection(each, member, values[0], values[1]), transition)
    })
  })
}

function withDefault(value: Value | undefined, { default: usual }: Field): Value | undefined {
  return isEmpty(value) ? (usual ?? value) : value
}

function isDifferent(field: Field, a: Value | undefined, b: Value | undefined): boolean {
  return !agrees(field, a, b ?? null)
}

/** True if a change has this direction. Absent values have their defaults. */
function hasDirection(
  direction: Direction,
  field: Field,
  before: Value | undefined,
  after: Value | undefined
): boolean {
  switch (direction) {
    case 'true':
      return after === true
    case 'false':
      return isEmpty(after) || after === false
    case 'lowered':
      return sizeOf(after, field, Infinity) < sizeOf(before, field, Infinity)
    case 'raised':
      return sizeOf(after, field, -Infinity) > sizeOf(before, field, -Infinity)
    case 'shrunk':
      return loses(before, after)
    case 'grown':
      return loses(after, before)
    case 'emptied':
    case 'changed':
      return false
    default:
      return after === direction.slice('to '.length)
  }
}

function sizeOf(value: Value | undefined, { noLimit }: Field, unlimited: number): number {
  const number = isEmpty(value) ? noLimit : Number(value)
  return number === noLimit ? unlimited : (number ?? 0)
}

/** True if a list entry, or a minute of the schedule of a day, is in `before` but not in `after`. */
function loses(before: Value | undefined, after: Value | undefined): boolean {
  if (!isList(before) && !isList(after)) return losesHours(before, after)
  const kept = new Set(isList(after) ? after.map(String) : [])
  return isList(before) && before.some(element => !kept.has(String(element)))
}

const DAY = 24 * 60

function losesHours(before: Value | undefined, after: Value | undefined): boolean {
  const [was, is] = [hoursOf(before), hoursOf(after)]
  return Array.from({ length: DAY }, (_, minute) => minute).some(
    minute => isWithin(minute, was) && !isWithin(minute, is)
  )
}

/** The range of hours such as `09:00-17:00` in minutes: none for an empty text, and the whole day for a day without any. */
function hoursOf(value: Value | undefined): readonly [from: number, until: number] {
  const found = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(typeof value === 'string' ? value : '')
  if (found === null) return [0, value === '' ? 0 : DAY]
  const [fromHour = 0, from = 0, untilHour = 0, until = 0] = found.slice(1).map(Number)
  return [fromHour * 60 + from, untilHour * 60 + until]
}

/** Hours that end before they start continue after midnight. */
function isWithin(minute: number, [from, until]: readonly [number, number]): boolean {
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until
}
