import type { FieldOutcome } from '../../model/outcome.ts'
import type { TimelineEvent } from '../../model/record.ts'
import { fieldStates } from '../field-changes.ts'
import { formatField } from '../format-value.ts'
import type { Told } from './data.ts'
import { code, table } from './pieces.ts'
import { type Element, h } from './tree.ts'
import { clockTime } from './words.ts'

/** Why a change did not end well, and the fields that are not as declared. */
export function outcomeParts({ reason, fields }: Told): Element[] {
  return [
    ...(reason === undefined ? [] : [h('p', { class: 'reason' }, reason)]),
    ...(fields === undefined ? [] : [outcomeFields(fields)])
  ]
}

/** What was sent and verified when. */
export function momentsPart(moments: readonly TimelineEvent[]): Element[] {
  if (moments.length === 0) return []
  const rows = moments.map(({ at, step, note: said = '' }) => [
    h('time', { datetime: at }, clockTime(at)),
    stepNames[step],
    said
  ])
  return [table('When', ['Time (UTC)', 'Step', 'Note'], rows)]
}

const stepNames: Readonly<Record<TimelineEvent['step'], string>> = {
  sending: 'sent',
  answered: 'answered',
  read: 'read back',
  outcome: 'settled'
}

function outcomeFields(fields: readonly FieldOutcome[]): Element {
  const rows = fields.map(field => [
    code(formatField(field.pointer)),
    ...fieldStates(field).map(({ text }) => text)
  ])
  return table('Fields that are not as declared', ['Field', 'Before', 'Wanted', 'Found'], rows)
}
