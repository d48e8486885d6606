import { groupBy } from '../model/collections.ts'
import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { fieldsOf, isSecretField, valueOfField } from './field-changes.ts'
import type { FieldChange } from './secret-fields.ts'

const CHANGED = 'changed in the files'
const DRIFT = 'drift, goes back with this change'
/** The reference of the secret is the same as at the base, and the files do not have its value. */
const SECRET_DRIFT = 'drift or a rotated secret, goes back with this change'

/** The cause of a changed field in words; undefined where the files were not compared with a base. */
export function causeText({ causes }: Change, field: FieldChange): string | undefined {
  const cause = valueOfField(causes, field)
  if (cause === undefined) return undefined
  if (cause === 'declaration') return CHANGED
  return isSecretField(field) ? SECRET_DRIFT : DRIFT
}

/** The fields of a change by cause, in words; empty where the files were not compared with a base. */
export function fieldCauses(
  change: Change
): readonly { readonly text: string; readonly pointers: readonly Pointer[] }[] {
  const byCause = groupBy(fieldsOf(change), field => causeText(change, field))
  return [CHANGED, DRIFT, SECRET_DRIFT].flatMap(text => {
    const pointers = (byCause.get(text) ?? []).map(({ path }) => path)
    return pointers.length === 0 ? [] : [{ text, pointers }]
  })
}
