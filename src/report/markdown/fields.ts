import type { Change, PatchOperation } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { shownTime } from '../age.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  fieldsOf,
  isDowngrade,
  isSecretField,
  secretText
} from '../field-changes.ts'
import type { GroupedFindings } from '../group-findings.ts'
import { shown } from '../shown.ts'
import { few } from '../words.ts'
import { code, fieldCode } from './code.ts'
import { fold } from './where.ts'

/** Two values longer than this do not stand side by side. */
const BESIDE = 90

/** A list names so many of what goes or comes; a fold of one change shows so many fields. */
const PARTS = 8
const FIELDS = 40

/** The names in a summary. */
const NAMES = 3

/** How the fields are shown. */
export interface Look {
  /** Unfolded. */
  readonly open: boolean
  /** True if it is known since when fields differ: then the others differ as of now. */
  readonly aged: boolean
}

/** The fields of some equal changes, in a fold: each with what goes and what comes. */
export function fieldsCell(changes: GroupedFindings<Change>, { open, aged }: Look): string {
  const [change] = changes
  const fields = fieldsOf(change)
  const names = fields.map(({ path }) => fieldCode(path))
  const lines = [
    ...fields.slice(0, FIELDS).map(field => fieldLine(changes, field, aged)),
    ...(fields.length > FIELDS ? [`and ${plural(fields.length - FIELDS, 'more field')}`] : []),
    ...(change.not_compared ?? []).slice(0, PARTS).map(notCompared),
    ...declaredAt(changes)
  ]
  const summary = `${countOf(fields, changes.length > 1)}${open ? '' : `: ${few(names, NAMES)}`}`
  return fold(summary, lines.join('<br>'), open)
}

function countOf({ length }: readonly PatchOperation[], areSame: boolean): string {
  if (!areSame) return plural(length, 'field')
  return length === 1 ? 'the same field' : `the same ${plural(length, 'field')}`
}

function fieldLine(changes: GroupedFindings<Change>, field: PatchOperation, aged: boolean): string {
  const [change] = changes
  const bad = isDowngrade(change, field) ? ' **downgrade**' : ''
  return `${fieldCode(field.path)}: ${exchange(change, field)}${bad}${aged ? since(changes, field) : ''}`
}

function exchange(change: Change, field: PatchOperation): string {
  if (isSecretField(field)) {
    const { what, source } = secretText(field)
    return source === undefined ? what : `${what}, ${code(source)}`
  }
  const before = beforeOf(change, field)
  const after = shown(afterOf(field))
  if (before.length + after.length <= BESIDE) return `${value(before)} → ${code(after)}`
  const { gone, come, kept } = beforeAfterOf(change, field)
  const stay = kept === 1 ? 'other stays' : 'others stay'
  return [
    ...(gone.length === 0 ? [] : [`<br>− ${few(gone.map(code), PARTS)}`]),
    ...(come.length === 0 ? [] : [`<br>+ ${few(come.map(code), PARTS)}`]),
    ...(kept === 0 ? [] : [`<br>${kept} ${stay}`])
  ].join('')
}

/** What stands for no value is not from outside. */
function value(text: string): string {
  return text === '(unset)' || text === '(secret)' ? text : code(text)
}

/** The oldest evidence there is of that difference. */
function since(changes: GroupedFindings<Change>, { path }: PatchOperation): string {
  const times = changes.flatMap(({ first_seen = {} }) =>
    Object.hasOwn(first_seen, path) ? [first_seen[path] ?? ''] : []
  )
  const oldest = times.reduce((old, time) => (old === '' || time < old ? time : old), '')
  return oldest === '' ? ', **first seen now**' : `, since ${code(shownTime(oldest))}`
}

function notCompared(pointer: string): string {
  return `${fieldCode(pointer)} (secret) not compared`
}

/** Where they are declared, if that is one place. */
function declaredAt(changes: GroupedFindings<Change>): string[] {
  const places = new Set(changes.map(({ origin: { file, line } }) => `${file}:${line}`))
  const [place = ''] = places
  return places.size === 1 ? [`<sub>declared in ${code(place)}</sub>`] : []
}
