import type { DangerKind } from '../../core/model/danger.ts'
import type { ShownChange } from '../../core/model/plan.ts'
import { fieldsOf, isDowngrade } from '../fields/field-changes.ts'
import type { FieldChange } from '../fields/secret-fields.ts'

/** The worst danger of the live WLAN of a change; undefined if there is none. */
export function worstDanger({ dangers }: ShownChange): DangerKind | undefined {
  return dangers?.[0]?.kind
}

/** The fields of a change: first those that cause a danger, a downgrade or the impact, then the others in the order of the patch. */
export function leadingFields(change: ShownChange): readonly FieldChange[] {
  const fields = fieldsOf(change)
  const downgraded = fields.filter(field => isDowngrade(change, field)).map(({ path }) => path)
  const impact = change.impact_fields ?? []
  const dangers = (change.dangers ?? []).map(({ pointer }) => pointer)
  // A list may be shown by its secrets only; the first of them represents it.
  const byPath = new Map(fields.toReversed().map(field => [field.sentIn ?? field.path, field]))
  for (const field of fields) byPath.set(field.path, field)
  // One of each comes first.
  const paths = [
    ...dangers,
    ...downgraded.slice(0, 1),
    ...impact.slice(0, 1),
    ...downgraded,
    ...impact
  ]
  return [...new Set([...paths.flatMap(path => byPath.get(path) ?? []), ...fields])]
}
