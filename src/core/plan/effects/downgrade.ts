import { type DowngradeLevel, patchedPointers } from '../../model/plan.ts'
import type { Direction, Field, Ranking } from '../../schema/field.ts'
import { byCodeUnit, highest, lowest } from '../../values/collections.ts'
import { child, type Pointer } from '../../values/pointer.ts'
import { isEmpty, isList, type Value } from '../../values/value.ts'
import { activeMembers, hasDirection, isUncertain, type Step, stepAt } from './direction.ts'
import { elementsByKey, isActive, memberOf, type Transition } from './transition.ts'

export interface Downgrade {
  readonly pointer: Pointer
  readonly level: DowngradeLevel
}

/**
 * The fields whose security a patch weakens, sorted; none if the WLAN is off before and after.
 *
 * | the field                         | its security                                                   |
 * |-----------------------------------|----------------------------------------------------------------|
 * | has a value that the schema ranks | the rank                                                       |
 * | is absent or empty                | that of its default, or of the least secure value              |
 * | is a list of ranked values        | its worst and its best member: either may become weaker        |
 * | gets a value without a rank       | unknown: a downgrade                                           |
 * | had a value without a rank        | unknown: neither an upgrade nor a downgrade                    |
 * | has other weakenings (`weakens`)  | decided by those                                               |
 *
 * The fields of `exposed` are downgrades for reasons outside of the network; see `exposuresOf`.
 *
 * Elements of a list of objects are paired by their key; a new one is compared with the defaults.
 */
export function downgradesOf(
  transition: Transition,
  exposed: readonly Pointer[] = []
): readonly Downgrade[] {
  if (!transition.isEver('/enabled')) return []
  const found = patchedPointers(transition.patch).flatMap(path =>
    isActive(path, transition) ? weakened(stepAt(path, transition)) : []
  )
  const exposures = exposed.map((pointer): Downgrade => ({ pointer, level: 'high' }))
  const others = found.filter(({ pointer }) => !exposed.includes(pointer))
  const all = [...others, ...exposures, ...opened(transition)]
  return all.sort((a, b) => byCodeUnit(a.pointer, b.pointer))
}

function weakened(step: Step): Downgrade[] {
  if (isUncertain(step)) return []
  const { field, at: pointer, transition } = step
  const ranking = field.safer ?? field.item().safer
  if (ranking !== undefined) {
    if (field.saferIf !== undefined && !transition.isEver(field.saferIf)) return []
    return isWeaker(ranking, step) ? [{ pointer, level: field.level ?? 'high' }] : []
  }
  const level = levelOf(step)
  return [...(level === undefined ? [] : [{ pointer, level }]), ...weakenedBelow(step)]
}

function weakenedBelow(step: Step): Downgrade[] {
  const { field, at, before, after } = step
  if (!isList(after)) return activeMembers(step).flatMap(weakened)
  const named = elementsByKey(before, field)
  return after.flatMap((element, place) => {
    const name = field.key === undefined ? undefined : memberOf(element, field.key)
    const was = name === undefined ? undefined : named.get(name)
    const item = { field: field.item(), at: child(at, place), before: was, after: element }
    return weakened({ ...step, ...item })
  })
}

/** Compares the worst and the best rank separately; a value without a rank counts only if it is new. */
function isWeaker(ranking: Ranking, { field, before, after }: Step): boolean {
  const [were, are] = [valuesOf(before, field, ranking), valuesOf(after, field, ranking)]
  if (are.some(value => rankOf(value, ranking) === -1 && !were.includes(value))) return true
  const known = (values: readonly unknown[]) =>
    values.map(value => rankOf(value, ranking)).filter(rank => rank !== -1)
  const [was, is] = [known(were), known(are)]
  if (was.length === 0 || is.length === 0) return false
  return lowest(is) < lowest(was) || highest(is) < highest(was)
}

function valuesOf(value: Value | undefined, field: Field, ranking: Ranking): unknown[] {
  const usual = field.default ?? [ranking[0]].flat()[0]
  const values: unknown[] = [isEmpty(value) ? usual : value].flat()
  return values.filter(each => each !== null)
}

/** A higher rank is more secure; -1 without a rank. */
function rankOf(value: unknown, ranking: Ranking): number {
  return ranking.findIndex(ranked => [ranked].flat().some(each => each === value))
}

/** An open WLAN without login that is switched on; other fields that open it have ranks of their own. */
function opened(transition: Transition): Downgrade[] {
  if (transition.isBefore('/enabled') || !transition.isAfter('/enabled')) return []
  return transition.isAfter('unprotected') ? [{ pointer: '/enabled', level: 'high' }] : []
}

function levelOf(step: Step): DowngradeLevel | undefined {
  const kinds = Object.entries(step.field.weakens ?? {}) as [Direction, DowngradeLevel][]
  return kinds.find(([kind]) => hasDirection(kind, step))?.[1]
}
