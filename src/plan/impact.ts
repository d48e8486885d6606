import { byCodeUnit } from '../model/collections.ts'
import type { Impact, PatchOperation } from '../model/plan.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { isEmpty, isList, isObject, member, type Value } from '../model/value.ts'
import { type Field, fieldAt, type Ranking } from '../schema/field.ts'

/** The effect of a patch on connected clients: the worst of its fields. */
export function impactOf(patch: readonly PatchOperation[]): Impact | undefined {
  const before = valuesBefore(patch)
  const impacts = patch.flatMap(operation => {
    if (operation.op === 'test') return []
    const after = operation.op === 'remove' ? undefined : operation.value
    return impactsOf(fieldAt(operation.path), before.get(operation.path), after)
  })
  return (['outage', 'reconnect'] as const).find(impact => impacts.includes(impact))
}

/** The values that a patch replaces; absent for secrets. */
export function valuesBefore(patch: readonly PatchOperation[]): ReadonlyMap<Pointer, Value> {
  return new Map(
    patch.flatMap(operation => (operation.op === 'test' ? [[operation.path, operation.value]] : []))
  )
}

/** An added or removed object has the impact of its members. */
function impactsOf(field: Field, before: Value | undefined, after: Value | undefined): Impact[] {
  const object = isObject(after) ? after : before
  if (isObject(object) && field.compare !== 'whole') {
    return Object.keys(object).flatMap(name =>
      impactsOf(field.member(name), memberOf(before, name), memberOf(after, name))
    )
  }
  return field.impact !== undefined && hasImpact(field, before, after) ? [field.impact] : []
}

/** Some fields have an impact in one direction only: switching off, or removing an element. */
function hasImpact(field: Field, before: Value | undefined, after: Value | undefined): boolean {
  switch (field.impactWhen ?? 'always') {
    case 'false':
      return after === false
    case 'removed':
      return removesElement(before, after)
    case 'always':
      return true
  }
}

/** An empty list means "all", so a list that starts to name some removes the others. */
function removesElement(before: Value | undefined, after: Value | undefined): boolean {
  if (isEmpty(before)) return !isEmpty(after)
  if (isEmpty(after)) return false
  const kept = new Set(isList(after) ? after.map(String) : [])
  return isList(before) && before.some(element => !kept.has(String(element)))
}

/**
 * The fields whose security a patch weakens, sorted.
 *
 * | the field                        | is as secure as                                           |
 * |----------------------------------|-----------------------------------------------------------|
 * | has a value that the schema ranks | its rank says                                            |
 * | is absent or empty               | its default; the least secure value where it has none     |
 * | is a list of ranked values       | the least secure of them: clients may choose it           |
 * | has no ranked value              | unknown: neither an upgrade nor a downgrade               |
 *
 * Elements of a list of objects are matched by their key; a new one is compared with the defaults.
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

/** The security rank of a value, higher is more secure; undefined where it has none. */
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
