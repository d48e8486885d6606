import type { Location } from '../../core/model/finding.ts'
import type { Change, ElementChanges, PatchOperation } from '../../core/model/plan.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { formatNumber, listFirst, plural, truncate } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { leadingFields } from '../danger.ts'
import { causeText } from '../effects.ts'
import { escapeCode } from '../escape.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  commonPlace,
  fieldsOf,
  isDowngrade,
  isSecretField,
  lineText,
  secretText,
  valueOfField
} from '../field-changes.ts'
import { formatValue } from '../format-value.ts'
import type { AddressParts, GroupedFindings } from '../group-findings.ts'
import { type ElementLine, elementLines, elementsAt, orderText } from '../list-elements.ts'
import { elementPointer, type FieldChange } from '../secret-fields.ts'

/** Longer texts are truncated; the full report shows them completely. */
const MAX_SPAN_LENGTH = 200

/**
 * Untrusted text as a code span, the only place for it in Markdown: inside it, Markdown, HTML, mentions,
 * links and images have no effect. Pipes are escaped, because they would end the span in a table cell (GitHub
 * Flavored Markdown, example 200).
 */
export function codeSpan(text: string): string {
  // Escaping never shortens a text, so it is truncated first.
  const inside = truncate(
    escapeCode(text.slice(0, MAX_SPAN_LENGTH + 2)),
    MAX_SPAN_LENGTH
  ).replaceAll('|', '\\|')
  if (inside === '') return '_empty_'
  const fence = '`'.repeat(longestRun(inside) + 1)
  // Markdown strips one space from both ends, unless the span contains only spaces.
  const pad = /^`|`$|^ .*[^ ].* $/.test(inside) ? ' ' : ''
  return fence + pad + inside + pad + fence
}

/** Code in a message: between backticks, which are not within a quoted text. */
const CODE = /(?<quoted>"(?:[^"\\]|\\.)*")|`(?<code>[^`\n]+)`/g

/**
 * A message as one code span, without the backticks around its commands and fields: a reader would see them. All of it
 * is code, since it may contain external text anywhere.
 */
export function messageSpan(text: string): string {
  return codeSpan(text.replace(CODE, '$<quoted>$<code>'))
}

/** Longer paths are not linked, nor are paths that cannot be part of an address. */
const MAX_PATH_LENGTH = 300
const UNLINKED = /^\/|(?:^|\/)\.\.(?:\/|$)|\p{Surrogate}/u

/**
 * A place in a file as a code span, linked to its line if the address of the files is known. A place in
 * another revision is not linked.
 *
 *     [`sites/hq.yaml:12:5`](https://github.com/acme/wifi/blob/SHA/sites/hq.yaml#L12)
 */
export function placeLink(
  text: string,
  { file, line, revision }: Pick<Location, 'file' | 'line' | 'revision'>,
  source: string | undefined
): string {
  const isKnown = source !== undefined && revision === undefined
  if (!isKnown || file.length > MAX_PATH_LENGTH || UNLINKED.test(file)) return codeSpan(text)
  const path = file.split('/').map(encodeURIComponent).join('/')
  const encoded = path.replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16)}`)
  return `[${codeSpan(text)}](${source}/${encoded}#L${line})`
}

/** A pointer as a field name in a code span. */
export function fieldSpan(pointer: Pointer): string {
  return codeSpan(steps(pointer).join('.'))
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}

/** A fold lists at most this many names. */
const MAX_FOLDED = 20

/** The name of the site, or the number of sites with a fold of their names. */
export function siteCell(places: readonly AddressParts[], note = ''): string {
  return manyCell(
    places.map(({ site }) => site),
    'site',
    note
  )
}

/** The key of a WLAN; empty if it is unknown. */
export function wlanCell({ key }: AddressParts): string {
  return key === '' ? '' : codeSpan(key)
}

/** A single name, or the number of names with a fold of them. */
export function manyCell(names: readonly string[], noun: string, note = ''): string {
  const [name = '', ...others] = names
  if (others.length === 0) return codeSpan(name) + note
  const summary = `<b>${plural(names.length, noun)}</b>${note}`
  return fold(summary, listFirst(names.map(codeSpan), MAX_FOLDED))
}

/** Markdown of one line in a fold for a table cell. */
export function fold(summary: string, inside: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>${inside}</details>`
}

/** The maximum total length of two values on one line. */
const MAX_LINE = 90

/** The maximum number of removed and of added parts of a list, and of fields of a change. */
const MAX_PARTS = 8
const MAX_FIELDS = 40

/** A summary lists at most this many field names. */
const MAX_NAMES = 3

export interface FieldsOptions {
  /** True if the fold is open. */
  readonly open: boolean
  /** True if the plan was compared with an earlier report: fields show since when they differ. */
  readonly dated: boolean
  /** True to show the time of the live WLAN's last modification. */
  readonly isDrift?: boolean
  /** As in `RenderOptions`. */
  readonly source?: string
}

/** The fields of equal changes in a fold, each as before → after. */
export function fieldsCell(
  changes: GroupedFindings<Change>,
  { open, dated, isDrift, source }: FieldsOptions
): string {
  const [change] = changes
  const fields = fieldsOf(change)
  const names = leadingFields(change, MAX_NAMES).map(({ path }) => fieldSpan(path))
  const unnamed = fields.length - names.length
  const shown = leadingFields(change, MAX_FIELDS)
  const rest = fields.length - shown.length
  const lines = [
    ...shown.map(field => fieldLine(changes, field, dated)),
    ...(rest > 0 ? [`and ${plural(rest, 'more field')}`] : []),
    ...(change.not_compared ?? [])
      .slice(0, MAX_PARTS)
      .map(pointer => notCompared(elementPointer(change.request.body, pointer))),
    ...(isDrift ? modifiedAt(changes) : []),
    ...declaredAt(changes, source)
  ]
  const list = names.join(', ') + (unnamed > 0 ? ` and ${formatNumber(unnamed)} more` : '')
  const summary = `${countOf(fields, changes.length > 1)}${open ? '' : `: ${list}`}`
  return fold(summary, lines.join('<br>'), open)
}

function countOf({ length }: readonly PatchOperation[], isGroup: boolean): string {
  if (!isGroup) return plural(length, 'field')
  return length === 1 ? 'the same field' : `the same ${plural(length, 'field')}`
}

function fieldLine(changes: GroupedFindings<Change>, field: FieldChange, dated: boolean): string {
  const [change] = changes
  const bad = isDowngrade(change, field) ? ' **downgrade**' : ''
  const cause = causeText(change, field)
  return [
    `${fieldSpan(field.path)}: ${beforeAfter(change, field)}${bad}`,
    ...(cause === undefined ? [] : [` <sub>${cause}</sub>`]),
    dated ? since(changes, field) : '',
    valuePlace(changes, field)
  ].join('')
}

function valuePlace(changes: GroupedFindings<Change>, field: FieldChange): string {
  const place = commonPlace(changes, field)
  return place === undefined ? '' : ` <sub>${codeSpan(lineText(place))}</sub>`
}

function beforeAfter(change: Change, field: FieldChange): string {
  if (isSecretField(field)) {
    const { text, source } = secretText(field)
    if (field.rotation?.names) return codeSpan(text)
    return source === undefined ? text : `${text}, ${codeSpan(source)}`
  }
  const elements = elementsAt(change, field.path)
  if (elements !== undefined) return elementList(elements)
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

/** The differences of a list, each on its own line if there are several. */
function elementList(elements: ElementChanges): string {
  const lines = elementLines(elements).map(elementMarkdown)
  if (lines.length === 1) return lines.join('')
  const rest = lines.length - MAX_PARTS
  const more = rest > 0 ? [`and ${formatNumber(rest)} more`] : []
  return [...lines.slice(0, MAX_PARTS), ...more].map(line => `<br>${line}`).join('')
}

function elementMarkdown(line: ElementLine): string {
  switch (line.kind) {
    case 'added': {
      const value = line.value === undefined ? '' : ` ${codeSpan(line.value)}`
      const place = line.before === undefined ? '' : `, before ${codeSpan(line.before)}`
      return `+ ${codeSpan(line.element)}${value}${place}`
    }
    case 'removed':
      return `− ${codeSpan(line.element)}`
    case 'changed': {
      const fields = line.fields.map(({ name, before, after }) => {
        const title = name === '' ? '' : `${codeSpan(name)} `
        return `${title}${valueSpan(before)} → ${valueSpan(after)}`
      })
      return `${codeSpan(line.element)}: ${listFirst(fields, MAX_PARTS)}`
    }
    case 'order':
      return `(order) ${codeSpan(orderText(line.elements))}`
  }
}

/** A code span, except for the placeholders for no value and for a secret. */
function valueSpan(text: string): string {
  return text === '(unset)' || text === '(secret)' ? text : codeSpan(text)
}

/** The earliest report of the difference in any of the changes. */
function since(changes: GroupedFindings<Change>, field: FieldChange): string {
  const times = changes.flatMap(({ first_seen }) => valueOfField(first_seen, field) ?? [])
  const oldest = times.reduce((old, time) => (old === '' || time < old ? time : old), '')
  return oldest === '' ? ', **first seen now**' : `, since ${codeSpan(formatTime(oldest))}`
}

function notCompared(pointer: string): string {
  return `${fieldSpan(pointer)} (secret) not compared`
}

/** The time of the live WLAN's last modification; the latest one of several WLANs. */
function modifiedAt(changes: GroupedFindings<Change>): string[] {
  const last = changes
    .flatMap(({ modified }) => modified ?? [])
    .sort(byCodeUnit)
    .at(-1)
  return last === undefined ? [] : [`<sub>last modified ${codeSpan(formatTime(last))}</sub>`]
}

/** The place at which the changes are declared, if they share it. */
function declaredAt(changes: GroupedFindings<Change>, source: string | undefined): string[] {
  const places = new Set(changes.map(({ origin: { file, line } }) => `${file}:${line}`))
  const [place = ''] = places
  if (places.size > 1) return []
  return [`<sub>declared in ${placeLink(place, changes[0].origin, source)}</sub>`]
}
