import { type Field, fieldAt } from '../fields/field.ts'
import type { Impact, Operation } from '../model/plan.ts'
import { isEmpty, isList, isObject, member, type Value } from '../model/value.ts'

/** What a patch does to the people on the air: the worst that one of its fields does. */
export function impactOf(patch: readonly Operation[]): Impact | undefined {
  const before = new Map(
    patch.flatMap(operation => (operation.op === 'test' ? [[operation.path, operation.value]] : []))
  )
  const impacts = patch.flatMap(operation =>
    operation.op === 'add' || operation.op === 'replace'
      ? impactsOf(fieldAt(operation.path), before.get(operation.path), operation.value)
      : []
  )
  return (['outage', 'reconnect'] as const).find(impact => impacts.includes(impact))
}

function impactsOf(field: Field, before: Value | undefined, after: Value): Impact[] {
  if (isObject(after) && field.compare !== 'whole') {
    return Object.entries(after).flatMap(([name, value]) =>
      impactsOf(field.member(name), isObject(before) ? member(before, name) : undefined, value)
    )
  }
  return field.impact !== undefined && hurts(field, before, after) ? [field.impact] : []
}

/** Some fields hurt in one direction only: switching off, or leaving somebody out. */
function hurts(field: Field, before: Value | undefined, after: Value): boolean {
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
function leavesOut(before: Value | undefined, after: Value): boolean {
  if (isEmpty(before)) return !isEmpty(after)
  if (isEmpty(after)) return false
  const kept = new Set(isList(after) ? after.map(String) : [])
  return isList(before) && before.some(element => !kept.has(String(element)))
}
