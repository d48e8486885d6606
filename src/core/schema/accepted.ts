import { child, type Pointer, steps } from '../values/pointer.ts'
import { removeAt, type ValueObject } from '../values/value.ts'
import { type Field, wlanField } from './field.ts'
import { isRefusal, revealed, wlanErrors } from './validate.ts'

/**
 * The fields that the schema accepts, and the pointers of those that it rejects: the service has a value that
 * is not allowed, or the schema is wrong. Values that compare as a whole are removed completely.
 */
export function withoutInvalid(fields: ValueObject): {
  readonly fields: ValueObject
  readonly refused: readonly Pointer[]
} {
  const refused: Pointer[] = []
  let fit = fields
  for (;;) {
    const errors = wlanErrors(revealed(fit)).filter(isRefusal)
    if (errors.length === 0) return { fields: fit, refused }
    for (const at of new Set(errors.map(({ pointer }) => smallestRemovable(pointer)))) {
      refused.push(at)
      fit = removeAt(fit, at)
    }
  }
}

/** The list or map around a pointer that is compared as a whole, or else the pointer itself. */
function smallestRemovable(pointer: Pointer): Pointer {
  let field: Field = wlanField
  let at: Pointer = ''
  for (const step of steps(pointer)) {
    field = field.member(step)
    at = child(at, step)
    if (field.compare !== undefined || field.item().known) return at
  }
  return at
}
