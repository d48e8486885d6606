import { byCodeUnit } from '../model/collections.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { Change, PatchOperation } from '../model/plan.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { isEmpty, isList, isObject, member, type Value } from '../model/value.ts'
import { type Field, fieldAt, type Ranking } from '../schema/field.ts'
import { valuesBefore } from './impact.ts'

/**
 * The fields that a patch makes less safe than they were, sorted.
 *
 * | the field                        | is as safe as                                             |
 * |----------------------------------|-----------------------------------------------------------|
 * | has a value that the schema ranks | its rank says                                            |
 * | is absent or empty               | its default; the least safe value where it has none       |
 * | is a list of ranked values       | the least safe of them: what is on offer, can be had      |
 * | has no value that is ranked      | nobody knows: that is neither a downgrade nor the contrary |
 *
 * The elements of a list of objects are told apart by their key; a new one is held against the
 * defaults.
 */
export function downgradesOf(patch: readonly PatchOperation[]): readonly Pointer[] {
  const before = valuesBefore(patch)
  return patch
    .flatMap(operation => {
      const { op, path } = operation
      if (op === 'test') return []
      return weakened(
        fieldAt(path),
        before.get(path),
        op === 'remove' ? undefined : operation.value,
        path
      )
    })
    .sort(byCodeUnit)
}

function weakened(
  field: Field,
  before: Value | undefined,
  after: Value | undefined,
  at: Pointer
): Pointer[] {
  const ranking = field.safer ?? field.item().safer
  if (ranking !== undefined) {
    const [was, is] = [rankOf(before, field, ranking), rankOf(after, field, ranking)]
    return was !== undefined && is !== undefined && is < was ? [at] : []
  }
  if (isList(after)) {
    const named = byKey(before, field)
    return after.flatMap((element, place) => {
      const name = field.key === undefined ? undefined : memberOf(element, field.key)
      const was = name === undefined ? undefined : named.get(name)
      return weakened(field.item(), was, element, child(at, place))
    })
  }
  const names = [before, after].flatMap(value => (isObject(value) ? Object.keys(value) : []))
  return [...new Set(names)].flatMap(name =>
    weakened(field.member(name), memberOf(before, name), memberOf(after, name), child(at, name))
  )
}

/** How safe a value is, the higher the safer; undefined where nobody knows. */
function rankOf(value: Value | undefined, field: Field, ranking: Ranking): number | undefined {
  const values = new Set([isEmpty(value) ? (field.default ?? ranking[0]) : value].flat())
  const rank = ranking.findIndex(ranked => [ranked].flat().some(each => values.has(each)))
  return rank === -1 ? undefined : rank
}

/** The first element of a list for each key. */
function byKey(list: Value | undefined, { key }: Field): ReadonlyMap<Value, Value> {
  const named = new Map<Value, Value>()
  if (key === undefined || !isList(list)) return named
  for (const element of list) {
    const name = memberOf(element, key)
    if (name !== undefined && !named.has(name)) named.set(name, element)
  }
  return named
}

function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isObject(value) ? member(value, name) : undefined
}

/** More WLANs than this are counted, not named. */
const MOST_NAMED = 10

/** Why `apply` refuses changes that make WLANs less safe; undefined if none of them does. */
export function downgradeRefusal(changes: readonly Change[]): Finding | undefined {
  const wlans = changes.flatMap(({ address, downgrades }) =>
    downgrades === undefined ? [] : `${address} (${downgrades.join(', ')})`
  )
  if (wlans.length === 0) return undefined
  const named = wlans.slice(0, MOST_NAMED)
  return finding('DOWNGRADE_REFUSED', {}, named, wlans.length - named.length)
}
