import { fieldAt } from '../../fields/field.ts'
import { byCodeUnit } from '../../model/identity.ts'
import { overlap, type Pointer, steps } from '../../model/pointer.ts'
import { type Value, type ValueObject, valueAt } from '../../model/value.ts'
import { agrees } from '../../plan/agree.ts'
import { diff, moved } from '../../plan/diff.ts'
import { type Undo, withMember, withRestored } from './undo.ts'

/** The fields that are neither as the record left them nor as they were before, sorted. */
export function changedSince(undo: Undo, live: ValueObject): Pointer[] {
  const { fields } = undo
  const unsure = [...undo.sideEffects, ...undo.lostSecrets]
  return [...fields]
    .filter(([pointer, field]) => {
      if (diff(withRestored({}, pointer, field), live).patch.length === 0) return false
      const left = 'found' in field ? [field.after, field.found] : [field.after]
      return !left.some(value => isAsLeft(pointer, value, live, unsure))
    })
    .map(([pointer]) => pointer)
    .sort(byCodeUnit)
}

/** True if the live field is as it was left, but for what a record does not say. */
function isAsLeft(
  pointer: Pointer,
  value: Value | undefined,
  live: ValueObject,
  unsure: readonly Pointer[]
): boolean {
  const left = withMember(live, steps(pointer), value ?? null)
  const others = moved(left, live).filter(at => !unsure.some(pointer => overlap(pointer, at)))
  const field = fieldAt(pointer)
  const agreed = agrees(field, valueAt(live, pointer), value ?? null, '', { notCompared: [] })
  return agreed && others.length === 0
}
