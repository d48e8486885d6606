import type { DangerKind } from '../core/model/danger.ts'
import type { ShownChange } from '../core/model/plan.ts'
import { fieldsOf, isDowngrade } from './field-changes.ts'
import type { FieldChange } from './secret-fields.ts'

/** The dangers in words. */
export const dangerTexts: Readonly<Record<DangerKind, string>> = {
  off: 'off the air, though declared on',
  'partly-off': 'off the air at access points, bands or times that are declared on',
  open: 'open, though declared secured',
  'no-login': 'people get in without the declared login',
  elsewhere: 'names, logins or records do not go to the declared servers',
  'other-key': 'another key than declared',
  refused: 'keeps out clients that the declaration lets in',
  'weaker-encryption': 'weaker encryption than declared',
  'not-isolated': 'clients not isolated, though declared isolated',
  'less-secure': 'less secure than declared'
}

/** The worst danger of the live WLAN of a change; undefined if there is none. */
export function worstDanger({ dangers }: ShownChange): DangerKind | undefined {
  return dangers?.[0]?.kind
}

/**
 * The fields of a change for a list of about `most`: all in the order of the patch if they fit, otherwise
 * those that cause a danger, a downgrade or the impact first. It never omits a field of a danger, or the
 * first field of a downgrade or of the impact.
 */
export function leadingFields(
  change: ShownChange,
  most: number,
  fields: readonly FieldChange[] = fieldsOf(change)
): readonly FieldChange[] {
  if (fields.length <= most) return fields
  const downgraded = fields.filter(field => isDowngrade(change, field)).map(({ path }) => path)
  // A list may be shown by its secrets only; the first of them represents it.
  const byPath = new Map(fields.toReversed().map(field => [field.sentIn ?? field.path, field]))
  for (const field of fields) byPath.set(field.path, field)
  const impact = (change.impact_fields ?? []).filter(path => byPath.has(path))
  const dangers = (change.dangers ?? []).map(({ pointer }) => pointer)
  const leading = new Set([
    ...dangers.filter(path => byPath.has(path)),
    ...downgraded.slice(0, 1),
    ...impact.slice(0, 1)
  ])
  const count = Math.max(most, leading.size)
  const weighty = new Set([...leading, ...downgraded, ...impact])
  const ordered = new Set([...weighty].flatMap(path => byPath.get(path) ?? []))
  return [...ordered, ...fields.filter(field => !ordered.has(field))].slice(0, count)
}
