import type { Change, PatchOperation } from '../../model/plan.ts'
import { listFirst, plural } from '../../model/text.ts'
import { formatTime } from '../../model/time.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  fieldsOf,
  isDowngrade,
  isSecretField,
  secretText
} from '../field-changes.ts'
import { formatValue } from '../format-value.ts'
import type { GroupedFindings } from '../group-findings.ts'
import { codeSpan, fieldSpan, fold } from './cells.ts'

/** The longest that two values on one line can be. */
const MAX_LINE = 90

/** The most parts of a list shown as removed, and as added; the most fields shown of a change. */
const MAX_PARTS = 8
const MAX_FIELDS = 40

/** The most field names in a summary. */
const MAX_NAMES = 3

export interface FieldsOptions {
  /** The fold is open. */
  readonly open: boolean
  /** The plan was compared with an earlier report: fields show since when they differ. */
  readonly dated: boolean
}

/** The fields of equal changes in a fold, each before → after. */
export function fieldsCell(
  changes: GroupedFindings<Change>,
  { open, dated }: FieldsOptions
): string {
  const [change] = changes
  const fields = fieldsOf(change)
  const names = fields.map(({ path }) => fieldSpan(path))
  const lines = [
    ...fields.slice(0, MAX_FIELDS).map(field => fieldLine(changes, field, dated)),
    ...(fields.length > MAX_FIELDS
      ? [`and ${plural(fields.length - MAX_FIELDS, 'more field')}`]
      : []),
    ...(change.not_compared ?? []).slice(0, MAX_PARTS).map(notCompared),
    ...declaredAt(changes)
  ]
  const summary = `${countOf(fields, changes.length > 1)}${open ? '' : `: ${listFirst(names, MAX_NAMES)}`}`
  return fold(summary, lines.join('<br>'), open)
}

function countOf({ length }: readonly PatchOperation[], isGroup: boolean): string {
  if (!isGroup) return plural(length, 'field')
  return length === 1 ? 'the same field' : `the same ${plural(length, 'field')}`
}

function fieldLine(
  changes: GroupedFindings<Change>,
  field: PatchOperation,
  dated: boolean
): string {
  const [change] = changes
  const bad = isDowngrade(change, field) ? ' **downgrade**' : ''
  return `${fieldSpan(field.path)}: ${beforeAfter(change, field)}${bad}${dated ? since(changes, field) : ''}`
}

function beforeAfter(change: Change, field: PatchOperation): string {
  if (isSecretField(field)) {
    const { text, source } = secretText(field)
    return source === undefined ? text : `${text}, ${codeSpan(source)}`
  }
  const before = beforeOf(change, field)
  const after = formatValue(afterOf(field))
  if (before.length + after.length <= MAX_LINE) return `${valueSpan(before)} → ${codeSpan(after)}`
  const { removed, added, kept } = beforeAfterOf(change, field)
  return [
    ...(removed.length === 0 ? [] : [`<br>− ${listFirst(removed.map(codeSpan), MAX_PARTS)}`]),
    ...(added.length === 0 ? [] : [`<br>+ ${listFirst(added.map(codeSpan), MAX_PARTS)}`]),
    ...(kept === 0 ? [] : [`<br>${plural(kept, 'other')} unchanged`])
  ].join('')
}

/** The placeholders for no value and for a secret are not from outside. */
function valueSpan(text: string): string {
  return text === '(unset)' || text === '(secret)' ? text : codeSpan(text)
}

/** The earliest report of that difference in any of the changes. */
function since(changes: GroupedFindings<Change>, { path }: PatchOperation): string {
  const times = changes.flatMap(({ first_seen = {} }) =>
    Object.hasOwn(first_seen, path) ? [first_seen[path] ?? ''] : []
  )
  const oldest = times.reduce((old, time) => (old === '' || time < old ? time : old), '')
  return oldest === '' ? ', **first seen now**' : `, since ${codeSpan(formatTime(oldest))}`
}

function notCompared(pointer: string): string {
  return `${fieldSpan(pointer)} (secret) not compared`
}

/** Where the changes are declared, if that is one line. */
function declaredAt(changes: GroupedFindings<Change>): string[] {
  const places = new Set(changes.map(({ origin: { file, line } }) => `${file}:${line}`))
  const [place = ''] = places
  return places.size === 1 ? [`<sub>declared in ${codeSpan(place)}</sub>`] : []
}
