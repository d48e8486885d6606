import { compact } from '../model/collections.ts'
import { type Impact, impacts } from '../model/impact.ts'
import type { Change, PatchOperation } from '../model/plan.ts'
import { child, type Pointer } from '../model/pointer.ts'
import {
  holdsSecret,
  isEmpty,
  isList,
  isObject,
  type Value,
  type ValueObject
} from '../model/value.ts'
import { type Direction, type Field, fieldAt } from '../schema/field.ts'
import { agrees } from './agree.ts'
import { downgradesOf } from './downgrade.ts'
import { elementsOf } from './elements.ts'
import {
  activeMembers,
  elementsByKey,
  isActive,
  memberNamesOf,
  memberOf,
  Transition
} from './transition.ts'

/** The effects of a change on clients and security, and the changes to its lists by element. */
export type Effects = Pick<
  Change,
  | 'impact'
  | 'impact_fields'
  | 'resets_radio'
  | 'authentication_risk'
  | 'downgrades'
  | 'downgrade_levels'
  | 'context'
  | 'elements'
>

/** The effects of a patch on a live record; `context` contains the other live values that they depend on. */
export function effectsOf(
  patch: readonly PatchOperation[],
  live: ValueObject,
  secrets?: Change['secrets']
): Effects {
  const transition = new Transition(patch, live, secrets)
  const effect = impactOf(transition)
  const found = downgradesOf(transition)
  const blocking = found.filter(({ level }) => level !== 'notice').map(({ pointer }) => pointer)
  const levels = Object.fromEntries(found.map(({ pointer, level }) => [pointer, level]))
  return {
    ...effect,
    ...compact({
      downgrades: blocking.length === 0 ? undefined : blocking,
      downgrade_levels: found.length === 0 ? undefined : levels,
      context: transition.context(),
      elements: elementsOf(patch)
    })
  }
}

/** The effect of a patch on clients. */
export interface Effect {
  /** The worst impact of the changed fields; absent if clients notice nothing. */
  readonly impact?: Impact
  /**
   * The fields that cause the impact, sorted, so that a shortened list of fields can keep them. Absent if all
   * fields cause it, or if there is no impact.
   */
  readonly impact_fields?: readonly Pointer[]
  /** True if other WLANs of the access points are interrupted for seconds, too. */
  readonly resets_radio?: true
  /** True if all clients may be locked out. */
  readonly authentication_risk?: true
}

/** The effect of one field. */
interface FieldEffect {
  readonly impact: Impact | 'none'
  readonly resetsRadio?: boolean
  readonly isRisk?: boolean
}

/**
 * The effect of a patch on clients. A WLAN that is off has no clients, so there is no impact. Members of a
 * block that is switched off, and fields whose switch is off, have no effect.
 */
export function impactOf(transition: Transition): Effect {
  const [wasOn, isOn] = transition.of('/enabled')
  if (wasOn === false) return isOn === false ? {} : { resets_radio: true }
  const paths = transition.patch.flatMap(({ op, path }) => (op === 'test' ? [] : path))
  const fields = paths.map(path => ({ path, effects: effectsAt(path, transition) }))
  const effects = fields.flatMap(field => field.effects)
  const worst = Math.max(0, ...effects.map(effect => impacts.indexOf(effect.impact)))
  const impact = impacts[worst]
  const decisive = fields.filter(field => field.effects.some(effect => effect.impact === impact))
  return {
    ...(impact === undefined || impact === 'none' ? {} : { impact }),
    ...(worst > 0 &&
      decisive.length < fields.length && { impact_fields: decisive.map(({ path }) => path) }),
    ...(effects.some(({ resetsRadio }) => resetsRadio) && { resets_radio: true }),
    ...(effects.some(({ isRisk }) => isRisk) && { authentication_risk: true })
  }
}

function effectsAt(path: Pointer, transition: Transition): FieldEffect[] {
  if (!isActive(path, transition)) return []
  const [before, after] = transition.valuesAt(path)
  return fieldEffects(fieldAt(path), before, after, path, transition)
}

/** An added or removed object has the effects of its members. */
function fieldEffects(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer,
  transition: Transition
): FieldEffect[] {
  if ((isObject(before) || isObject(after)) && field.compare !== 'whole') {
    return activeMembers(before, after, at, transition).flatMap(({ name, was, is, below }) =>
      fieldEffects(field.member(name), was, is, below, transition)
    )
  }
  if (field.key !== undefined) return listEffects(field, before, after, at, transition)
  const [was, is] = [withDefault(before, field), withDefault(after, field)]
  if (!field.secret && !isDifferent(field, was, is)) return []
  return effectOf(field, was, is)
}

function effectOf(
  field: Field,
  before: Value | undefined,
  after: Value | undefined
): FieldEffect[] {
  const { impactWhen, resetsRadioWhen } = field
  const goes = (direction: Direction) => hasDirection(direction, field, before, after)
  const hurts = impactWhen === undefined || [impactWhen].flat().some(goes)
  const impact = hurts ? (field.impact ?? 'none') : 'none'
  const isRisk = hurts && field.authenticationRisk === true
  return [{ impact, isRisk, resetsRadio: resetsRadioWhen !== undefined && goes(resetsRadioWhen) }]
}

/**
 * Pairs elements by their key. A different order, an unknown key, or a change in secrets only has the effect
 * of the list.
 */
function listEffects(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer,
  transition: Transition
): FieldEffect[] {
  if (isEmpty(before) && isEmpty(after)) return []
  if (at === '/auth_servers' && isEmpty(after)) return emptiedServers(transition)
  const named = elementsByKey(before, field)
  const keys = (list: Value | undefined) =>
    isList(list) ? list.map(element => memberOf(element, field.key ?? '')) : []
  const [were, are] = [keys(before), keys(after)]
  if (were.length !== are.length || were.some((key, place) => key !== are[place])) {
    return effectOf(field, before, after)
  }
  const below = (isList(after) ? after : []).flatMap((element, place) => {
    const partner = named.get(are[place] ?? '')
    return memberNamesOf(partner, element).flatMap(name => {
      const member = field.item().member(name)
      const [was, is] = [memberOf(partner, name), memberOf(element, name)].map(value =>
        withDefault(value, member)
      )
      if (!member.secret) return isDifferent(member, was, is) ? effectOf(member, was, is) : []
      const isSent = transition.sendsSecret(child(child(at, place), name))
      return isSent ? effectOf(field, before, after) : []
    })
  })
  return below.length === 0 && holdsSecret(after ?? null) ? effectOf(field, before, after) : below
}

/** The effect of removing all servers that clients need. */
function emptiedServers(transition: Transition): FieldEffect[] {
  const isNeeded =
    transition.isAfter({ '/auth/type': ['eap', 'eap192'] }) ||
    transition.isAfter('/auth/enable_mac_auth') ||
    (transition.isAfter('/dynamic_psk/enabled') &&
      transition.isAfter({ '/dynamic_psk/source': ['radius'] }))
  const isReplaced =
    transition.isAfter('/mist_nac/enabled') || transition.isAfter('/radsec/enabled')
  return isNeeded && !isReplaced ? [{ impact: 'outage' }] : []
}

function withDefault(value: Value | undefined, { default: usual }: Field): Value | undefined {
  return isEmpty(value) ? (usual as Value | undefined) : value
}

function isDifferent(field: Field, a: Value | undefined, b: Value | undefined): boolean {
  return !agrees(field, a, b ?? null, '', { notCompared: [] })
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
      return sizeOf(after, field) < sizeOf(before, field)
    case 'raised':
      return sizeOf(after, field) > sizeOf(before, field)
    case 'shrunk':
      return loses(before, after)
    case 'grown':
      return loses(after, before)
    case 'removed':
      return losesAny(before, after)
    case 'added':
      return losesAny(after, before)
    default:
      return after === direction.slice('to '.length)
  }
}

function sizeOf(value: Value | undefined, { noLimit }: Field): number {
  const number = isEmpty(value) ? noLimit : Number(value)
  return number === noLimit ? Number.POSITIVE_INFINITY : (number ?? 0)
}

/** An empty list means "all", so adding the first entry removes all others. */
function losesAny(before: Value | undefined, after: Value | undefined): boolean {
  if (isEmpty(before)) return !isEmpty(after)
  return !isEmpty(after) && loses(before, after)
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

/** The range of hours such as `09:00-17:00` in minutes; an empty one is the whole day. */
function hoursOf(value: Value | undefined): readonly [from: number, until: number] {
  const found = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(typeof value === 'string' ? value : '')
  if (found === null) return [0, DAY]
  const [fromHour = 0, from = 0, untilHour = 0, until = 0] = found.slice(1).map(Number)
  return [fromHour * 60 + from, untilHour * 60 + until]
}

/** Hours that end before they start continue after midnight. */
function isWithin(minute: number, [from, until]: readonly [number, number]): boolean {
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until
}
