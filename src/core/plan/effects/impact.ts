import { agrees } from '../../diff/agree.ts'
import { type Impact, type ImpactClass, impacts } from '../../model/impact.ts'
import { type Change, patchedPointers } from '../../model/plan.ts'
import type { Direction, Field, ImpactRule } from '../../schema/field.ts'
import { compact } from '../../values/collections.ts'
import { child, type Pointer } from '../../values/pointer.ts'
import { isEmpty, isList, isObject, type Value } from '../../values/value.ts'
import { activeMembers, hasDirection, isUncertain, type Step, stepAt } from './direction.ts'
import { isActive, memberNamesOf, memberOf, type Transition } from './transition.ts'

type Effect = Pick<
  Change,
  'impact' | 'impacts' | 'impact_fields' | 'switches_off' | 'resets_radio' | 'authentication_risk'
>

/**
 * The effect of a patch on clients. A WLAN that is off has no clients, so there is no impact. Members of a
 * block that is switched off, and fields that are not in use, have no effect.
 */
export function impactOf(transition: Transition): Effect {
  if (!transition.isBefore('/enabled'))
    return transition.isAfter('/enabled') ? { resets_radio: true } : {}
  const paths = patchedPointers(transition.patch)
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
    ...(rules.some(rule => rule.danger === 'off') && { switches_off: true }),
    ...(rules.some(rule => rule.resetsRadio) && { resets_radio: true }),
    ...(rules.some(rule => rule.authenticationRisk) && { authentication_risk: true })
  }
}

export function rulesAt(path: Pointer, transition: Transition): readonly ImpactRule[] {
  return isActive(path, transition) ? rulesOf(stepAt(path, transition)) : []
}

/** An added or removed object has the effects of its members. */
function rulesOf(step: Step): readonly ImpactRule[] {
  if (isUncertain(step)) return []
  const { field } = step
  const isBlock = isObject(step.before) || isObject(step.after)
  if (isBlock && field.compare !== 'whole') return activeMembers(step).flatMap(rulesOf)
  if (field.key !== undefined) return listRules(step)
  const [before, after] = [withDefault(step.before, field), withDefault(step.after, field)]
  if (!field.secret && !isDifferent(field, before, after)) return []
  return matching(step, direction => hasDirection(direction, { ...step, before, after }))
}

function matching(
  { field: { impact = [] }, transition }: Pick<Step, 'field' | 'transition'>,
  goes: (direction: Direction) => boolean
): readonly ImpactRule[] {
  return impact.filter(
    ({ when, inUse }) =>
      (when === undefined || [when].flat().some(goes)) &&
      (inUse === undefined || transition.isAfter(inUse))
  )
}

/** Pairs elements by their key. Elements behind the others have no effect. */
function listRules(list: Step): readonly ImpactRule[] {
  const { field, before, after, at, transition } = list
  if (isEmpty(before) && isEmpty(after)) return []
  const rulesFor = (direction: Direction) => matching(list, each => each === direction)
  if (isEmpty(after)) return rulesFor('emptied')
  const [were, are] = [before, after].map(value => (isList(value) ? value : []))
  const keyOf = (element: Value | undefined) => memberOf(element, field.key ?? '')
  const isKept = (element: Value, place: number) => keyOf(are?.[place]) === keyOf(element)
  if (isEmpty(before) || !were?.every(isKept)) return rulesFor('changed')
  const item = field.item()
  return were.flatMap((was, place) => {
    const is = are?.[place]
    return memberNamesOf(was, is).flatMap(name => {
      const member = item.member(name)
      const below = child(child(at, place), name)
      const [before, after] = [was, is].map(value => withDefault(memberOf(value, name), member))
      const isChanged = member.secret
        ? transition.sendsSecret(below)
        : isDifferent(member, before, after)
      if (!isChanged) return []
      if (member.impact === undefined) return rulesFor('changed')
      const step = { field: member, at: below, before, after, transition }
      return matching(step, each => hasDirection(each, step))
    })
  })
}

function withDefault(value: Value | undefined, { default: usual }: Field): Value | undefined {
  return isEmpty(value) ? (usual ?? value) : value
}

function isDifferent(field: Field, a: Value | undefined, b: Value | undefined): boolean {
  return !agrees(field, a, b ?? null)
}
