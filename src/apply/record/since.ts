import { byCodeUnit } from '../../model/collections.ts'
import { type Pointer, steps } from '../../model/pointer.ts'
import { Secret } from '../../model/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  type Value,
  type ValueObject,
  valueAt
} from '../../model/value.ts'
import { agrees } from '../../plan/agree.ts'
import { diff, moved } from '../../plan/diff.ts'
import { type Field, fieldAt } from '../../schema/field.ts'
import { type Undo, withMember, withRestored } from './undo.ts'

/** The fields that are neither as the record left them nor as they were before, sorted. */
export function changedSince(undo: Undo, live: ValueObject): Pointer[] {
  const { fields } = undo
  return [...fields]
    .filter(([pointer, field]) => {
      if (diff(withRestored({}, pointer, field), live).patch.length === 0) return false
      const left = 'found' in field ? [field.after, field.found] : [field.after]
      const unsure = movedAlong(pointer, field.before, undo.sideEffects)
      return !left.some(value => isAsLeft(pointer, value, live, unsure))
    })
    .map(([pointer]) => pointer)
    .sort(byCodeUnit)
}

/**
 * The side effects within a field that do not matter to it: the service filled in what was not there
 * before, and nothing would be put back in its place. A record is a claim, so any other counts.
 */
function movedAlong(
  pointer: Pointer,
  before: Value | undefined,
  sideEffects: readonly Pointer[]
): Pointer[] {
  return sideEffects.filter(
    at =>
      at.startsWith(`${pointer}/`) &&
      (before === undefined || valueAt(before, at.slice(pointer.length)) === undefined)
  )
}

/** True if the live field is as it was left, secrets aside: a record has none. */
function isAsLeft(
  pointer: Pointer,
  value: Value | undefined,
  live: ValueObject,
  unsure: readonly Pointer[]
): boolean {
  const field = fieldAt(pointer)
  const left = withoutSecrets(field, value)
  const found = withoutSecrets(field, valueAt(live, pointer))
  const holding = (each: Value | undefined) => withMember({}, steps(pointer), each ?? null)
  const others = moved(holding(left), holding(found)).filter(
    at => !unsure.some(each => at === each || at.startsWith(`${each}/`))
  )
  return agrees(field, found, left ?? null, '', { notCompared: [] }) && others.length === 0
}

/** The value without what is secret in it, be it known, hidden or a reference. */
function withoutSecrets(field: Field, value: Value | undefined): Value | undefined {
  if (value instanceof Secret) return undefined
  if (isList(value)) {
    if (field.item().secret) return undefined
    return value.map(element => withoutSecrets(field.item(), element) ?? null)
  }
  if (!isObject(value)) return field.secret ? undefined : value
  return fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const kept = withoutSecrets(field.member(name), member)
      return kept === undefined ? [] : [[name, kept] as const]
    })
  )
}
