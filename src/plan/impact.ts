import type { Impact, PatchOperation } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { isEmpty, isList, isObject, member, type Value } from '../model/value.ts'
import { type Field, fieldAt } from '../schema/field.ts'

/** What a patch does to the people on the air: the worst that one of its fields does. */
export function impactOf(patch: readonly PatchOperation[]): Impact | undefined {
  const before = valuesBefore(patch)
  const impacts = patch.flatMap(operation => {
    if (operation.op === 'test') return []
    const after = operation.op === 'remove' ? undefined : operation.value
    return impactsOf(fieldAt(operation.path), before.get(operation.path), after)
  })
  return (['outage', 'reconnect'] as const).find(impact => impacts.includes(impact))
}

/** The values that a patch replaces; those of secrets it does not say. */
export function valuesBefore(patch: readonly PatchOperation[]): ReadonlyMap<Pointer, Value> {
  return new Map(
    patch.flatMap(operation => (operation.op === 'test' ? [[operation.path, operation.value]] : []))
  )
}

/** An object that comes or goes does what its members do. */
function impactsOf(field: Field, before: Value | undefined, after: Value | undefined): Impact[] {
  const object = isObject(after) ? after : before
  if (isObject(object) && field.compare !== 'whole') {
    const at = (value: Value | undefined, name: string) =>
      isObject(value) ? member(value, name) : undefined
    return Object.keys(object).flatMap(name =>
      impactsOf(field.member(name), at(before, name), at(after, name))
    )
  }
  return field.impact !== undefined && hurts(field, before, after) ? [field.impact] : []
}

/** Some fields hurt in one direction only: switching off, or leaving somebody out. */
function hurts(field: Field, before: Value | undefined, after: Value | undefined): boolean {
  switch (field.impactWhen ?? 'always') {
    case 'false':
      return after === false
    case 'removed':
      return leavesOut(before, after)
    case 'always':
      return true
  }
}

/** An empty list means "all of them", so a list that begins to name some leaves out the others. */
function leavesOut(before: Value | undefined, after: Value | undefined): boolean {
  if (isEmpty(before)) return !isEmpty(after)
  if (isEmpty(after)) return false
  const kept = new Set(isList(after) ? after.map(String) : [])
  return isList(before) && before.some(element => !kept.has(String(element)))
}
