import type { DangerKind } from '../../core/model/danger.ts'
import type { ValueSource } from '../../core/model/desired.ts'
import type { Location } from '../../core/model/finding.ts'
import type { PatchOperation, ShownChange } from '../../core/model/plan.ts'
import { overlap, type Pointer } from '../../core/values/pointer.ts'
import { isList, isObject, type Value } from '../../core/values/value.ts'
import { escapeInside } from '../escape.ts'
import {
  formatParts,
  formatValue,
  isSecret,
  MAX_VALUE_LENGTH,
  partExcerpts,
  secretSource
} from './format-value.ts'
import { type FieldChange, withSecretFields } from './secret-fields.ts'

/** The changed fields of a change for reports: see `withSecretFields`. */
export function fieldsOf(change: ShownChange): readonly FieldChange[] {
  const known = fieldIndex.get(change)
  if (known !== undefined) return known
  const fields = withSecretFields(change)
  fieldIndex.set(change, fields)
  return fields
}

/** Cache of the fields by change; weak keys bound it. */
const fieldIndex = new WeakMap<ShownChange, readonly FieldChange[]>()

/** The entry of a plan about a field, by pointer; a secret within a field has the entry of that field. */
export function valueOfField<T>(
  values: Readonly<Record<Pointer, T>> | undefined,
  { path, sentIn = path }: Pick<FieldChange, 'path' | 'sentIn'>
): T | undefined {
  return values !== undefined && Object.hasOwn(values, sentIn) ? values[sentIn] : undefined
}

/** True for a field that is, contains or is inside a downgrade. */
export function isDowngrade({ downgrades = [] }: ShownChange, { path }: PatchOperation): boolean {
  return downgrades.some(each => overlap(each, path))
}

/** The line of a field's value, if all of these equal changes share it. */
export function commonPlace(
  changes: readonly ShownChange[],
  field: FieldChange
): Location | undefined {
  const places = changes.map(change => valueOfField(change.places, field))
  return new Set(places.map(place => place && lineText(place))).size === 1 ? places[0] : undefined
}

/**
 * The declarations of a field's value in descending precedence: `stores.yaml:69  8000, override of the site`.
 * A single declaration is only `profiles.yaml:8`; empty if the place is unknown.
 */
export function placesOfField(change: ShownChange, field: FieldChange): readonly string[] {
  const sources = valueOfField(change.sources, field)
  const place = valueOfField(change.places, field)
  if (sources === undefined) return place === undefined ? [] : [lineText(place)]
  return sources.map(source => {
    const value = source.value === undefined ? '' : `${formatValue(source.value)}, `
    const isHidden = source.role === 'hidden' ? ' (hidden)' : ''
    return `${lineText(source.place)}  ${value}${nameOfSource(source)}${isHidden}`
  })
}

/** `sites/hq.yaml:14`. */
export function lineText({ file, line }: Location): string {
  return `${file}:${line}`
}

export function nameOfSource({ kind, name = '', variable = '' }: ValueSource): string {
  switch (kind) {
    case 'override':
      return 'override of the site'
    case 'WLAN':
      return 'WLAN'
    case 'profile':
      return `profile ${quoted(name)}`
    case 'site':
      return `variable ${quoted(variable)} of the site`
    case 'group':
      return `variable ${quoted(variable)} of the group ${quoted(name)}`
    case 'default':
      return 'default of the variable'
    case 'unset':
      return '`$unset` of the override'
  }
}

function quoted(text: string): string {
  return `"${escapeInside(text)}"`
}

export function isSecretField(field: PatchOperation): boolean {
  return isSecret(afterOf(field))
}

/** The text for a secret: its source, never its value or anything derived from it. */
export function secretText(field: FieldChange) {
  const { rotation, state = field.op === 'add' ? 'set' : 'changed' } = field
  const source = rotation?.names ? undefined : secretSource(afterOf(field))
  return { text: rotation?.text ?? `(secret) ${state}`, source }
}

export function afterOf(field: PatchOperation): Value {
  return 'value' in field ? field.value : null
}

export function afterText(field: PatchOperation): string {
  return field.op === 'remove' ? '(unset)' : formatValue(afterOf(field))
}

/** The former value on one line; a patch does not contain that of a secret. */
export function beforeOf(field: FieldChange): string {
  if (field.before !== undefined) return formatValue(field.before)
  return field.op === 'add' ? '(unset)' : '(secret)'
}

/** The removed and added parts of a value, each on one line, and the number of the others. */
export function beforeAfterOf(field: FieldChange) {
  const { before: old } = field
  const absent = field.op === 'add' ? [] : [beforeOf(field)]
  const before = old === undefined ? absent : formatParts(old)
  const after = formatParts(afterOf(field))
  const inParts = haveParts(old, afterOf(field))
  const [less, more] = inParts ? [without(before, after), without(after, before)] : [before, after]
  // If no part is removed or added, only the order differs, so all parts are shown.
  const [removed, added] = less.length + more.length === 0 ? [before, after] : [less, more]
  return {
    ...partExcerpts(removed, added, MAX_VALUE_LENGTH),
    kept: after.length - added.length
  }
}

function haveParts(a: Value | undefined, b: Value): boolean {
  return (isList(a) && isList(b)) || (isObject(a) && isObject(b))
}

/** The strings of a list that another list lacks; duplicates count. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const remaining = new Map<string, number>()
  for (const other of others) remaining.set(other, (remaining.get(other) ?? 0) + 1)
  return texts.filter(text => {
    const count = remaining.get(text) ?? 0
    remaining.set(text, count - 1)
    return count <= 0
  })
}

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
  const first = [...dangers, ...downgraded.slice(0, 1), ...impact.slice(0, 1)]
  const paths = [...first, ...downgraded, ...impact]
  return [...new Set([...paths.flatMap(path => byPath.get(path) ?? []), ...fields])]
}
