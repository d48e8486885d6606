import type { Finding } from '../../core/model/finding.ts'
import type { FieldOutcome } from '../../core/model/outcome.ts'
import type { Change, ElementChanges, PatchOperation } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { dangerTexts, leadingFields } from '../danger.ts'
import { causeText, effectNotes, levelText, severityNouns } from '../effects.ts'
import { escapeJson } from '../escape.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  fieldStates,
  fieldsOf,
  isDowngrade,
  isSecretField,
  placesOfField,
  secretText,
  valueOfField
} from '../field-changes.ts'
import { formatField, formatValue } from '../format-value.ts'
import { type ElementLine, elementLines, elementsAt, orderText } from '../list-elements.ts'
import { elementPointer, type FieldChange } from '../secret-fields.ts'
import type { Cell } from './cells.ts'
import { dataTable, factsList, formatClockTime, inlineCode, moreLine } from './components.ts'
import { findingItem } from './findings.ts'
import type { ViewMode } from './page-data.ts'
import { type Child, h, type VElement } from './vdom.ts'

export interface CardOptions {
  readonly mode: ViewMode
  readonly hidden: readonly Pointer[]
  /** True if the plan contains the times since which fields differ. */
  readonly dated: boolean
}

/** The limits of one card; a line contains the number of omitted items. */
const LIMITS = { fields: 200, parts: 1000, lines: 2000, findings: 200, pointers: 20 } as const

/** If two values are longer than this, one is shown above the other. */
const ONE_LINE = 60

/** The details of a WLAN without its name: fields, secrets, timeline and findings. */
export function cardBody(cell: Cell, findings: readonly Finding[], options: CardOptions): Child[] {
  const { change, outcome, uncompared } = cell
  return [
    outcome?.reason !== undefined && h('p', { class: 'reason' }, outcome.reason),
    outcome?.fields && outcomeFields(outcome.fields),
    change && effectNotes(change).map(note => h('p', { class: 'note' }, note)),
    change && changeFields(change, options),
    pointersNote(
      'Not compared',
      change?.not_compared?.map(at => elementPointer(change.request.body, at)) ?? uncompared,
      'secrets that are unavailable, or hidden by the service'
    ),
    pointersNote('Side effects', outcome?.side_effects, 'undeclared fields that changed as well'),
    pointersNote(
      'Not verifiable',
      outcome?.not_verifiable,
      'secrets that were sent and cannot be read back'
    ),
    pointersNote('Not restored', outcome?.not_restored, PREVIOUS_SECRETS),
    pointersNote('Cannot be reverted', outcome?.lostSecrets, PREVIOUS_SECRETS),
    eventTable(outcome?.events ?? []),
    findings.length > 0 && [
      h(
        'ul',
        { class: 'findings' },
        findings.slice(0, LIMITS.findings).map(finding => findingItem(finding, true))
      ),
      moreLine(findings.length - LIMITS.findings, 'finding', '; see the JSON report')
    ]
  ]
}

const PREVIOUS_SECRETS = 'the previous secrets are unknown'

/** The ids of a WLAN and its location in the files. */
export function cardFacts({
  change,
  unmanagedSsid,
  network,
  template,
  linkId,
  status,
  owner,
  danger
}: Cell): VElement {
  const facts: (readonly [string, Child])[] =
    change === undefined
      ? [
          ['SSID', unmanagedSsid !== undefined && formatValue(unmanagedSsid)],
          ['WLAN id', unmanagedSsid !== undefined && inlineCode(linkId)],
          ['Network', network],
          ['Template', template !== undefined && inlineCode(template)],
          ['Owner', owner]
        ]
      : [
          ['Live SSID', formatValue(change.wlan.ssid)],
          ['Declared in', inlineCode(locationOf(change))],
          ['Owner', change.owner],
          ['Live now', danger && dangerTexts[danger]],
          ['Last modified', change.modified !== undefined && formatTime(change.modified)],
          ['Impact', change.impact !== status && change.impact && severityNouns[change.impact]],
          ['WLAN id', inlineCode(change.wlan.id)],
          ['Site id', inlineCode(change.site.id)]
        ]
  return factsList(facts.filter(([, text]) => text !== undefined && text !== false))
}

function locationOf({ origin: { file, line, column } }: Change): string {
  return `${file}:${line}:${column}`
}

/** The request; secrets are shown by reference. */
export function requestDetails({ request }: Change, isOpen = false): VElement {
  const { method, path, body } = request
  const lines = escapeJson(JSON.stringify(body, null, 2)).split('\n')
  return h(
    'details',
    { class: 'request', open: isOpen },
    h('summary', {}, `${method} request`),
    h(
      'pre',
      { tabindex: 0, 'aria-label': 'Request' },
      h('span', { class: 'line' }, `${method} ${path}`),
      lines.slice(0, LIMITS.lines).map(line => h('span', { class: 'line' }, line))
    ),
    moreLine(lines.length - LIMITS.lines, 'line', '; see the JSON report')
  )
}

function changeFields(change: Change, options: CardOptions): VElement {
  const { mode, hidden } = options
  const fields = fieldsOf(change)
  const visible = fields.filter(({ path }) => !hidden.includes(path))
  const before = mode === 'drift' || mode === 'plan' ? 'Live now' : 'Before'
  const rows = leadingFields(change, LIMITS.fields, visible).map(field =>
    fieldRow(change, field, options)
  )
  const hiddenCount = fields.length - visible.length
  return h(
    'div',
    { class: 'fields' },
    rows.length > 0 && dataTable('Fields', ['Field', before, 'Declared', 'Hide'], rows),
    moreLine(visible.length - rows.length, 'field', '; see the JSON report'),
    hiddenCount > 0 && h('p', { class: 'faint' }, plural(hiddenCount, 'hidden field'))
  )
}

function fieldRow(change: Change, field: PatchOperation, { dated }: CardOptions): Child[] {
  const name = formatField(field.path)
  const cause = causeText(change, field)
  const places = placesOfField(change, field)
  const heading = h(
    'span',
    {},
    places.length === 0 ? inlineCode(name) : placesFold(name, places),
    isDowngrade(change, field) &&
      h(
        'strong',
        { class: 'less' },
        ` less secure${levelText(change, field.path).slice('downgrade'.length)}`
      ),
    cause !== undefined && h('div', { class: 'faint' }, cause),
    dated && h('div', { class: 'faint' }, firstSeen(change, field))
  )
  const hide = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'data-action': 'hide',
      'data-value': field.path,
      'aria-label': `Hide the field ${name} everywhere`
    },
    'hide'
  )
  return [heading, ...valueCells(change, field), hide]
}

/** The name of a field; a click shows the declarations of its value. */
function placesFold(name: string, places: readonly string[]): VElement {
  return h(
    'details',
    { class: 'places' },
    h('summary', {}, inlineCode(name)),
    h(
      'ol',
      {},
      places.map(place => h('li', {}, inlineCode(place)))
    )
  )
}

function firstSeen({ first_seen }: Change, field: FieldChange): string {
  const time = valueOfField(first_seen, field)
  return time === undefined ? 'first seen now' : `since ${formatTime(time)}`
}

/** The values before and after a change. */
function valueCells(change: Change, field: PatchOperation): readonly [Child, Child] {
  if (isSecretField(field)) {
    const { text: what, source } = secretText(field)
    return [
      h('span', { class: 'faint' }, field.op === 'add' ? '(unset)' : '(secret)'),
      source === undefined ? what : `${what}, ${source}`
    ]
  }
  const elements = elementsAt(change, field.path)
  if (elements !== undefined) return elementCells(elements)
  const [before, after] = [beforeOf(change, field), formatValue(afterOf(field))]
  if (before.length + after.length <= ONE_LINE)
    return [
      h('del', {}, before),
      h('ins', isDowngrade(change, field) ? { class: 'less' } : {}, after)
    ]
  const { removed, added, kept } = beforeAfterOf(change, field)
  return [
    h('div', {}, partLines('del', removed)),
    h(
      'div',
      {},
      partLines('ins', added),
      kept > 0 && h('div', { class: 'faint' }, `${kept} unchanged`)
    )
  ]
}

/** The elements of a list that differ: live and declared, in the same order. */
function elementCells(elements: ElementChanges): readonly [Child, Child] {
  const all = elementLines(elements)
  const lines = all.slice(0, LIMITS.parts)
  const rest = all.length - lines.length
  const more = rest > 0 && h('div', { class: 'faint' }, `and ${plural(rest, 'more line')}`)
  return [
    h('div', {}, lines.flatMap(elementBefore)),
    h('div', {}, lines.flatMap(elementAfter), more)
  ]
}

function elementBefore(line: ElementLine): VElement[] {
  if (line.kind === 'removed') return [h('del', {}, line.element)]
  if (line.kind !== 'changed') return []
  return line.fields.map(({ name, before }) => h('del', {}, `${line.element} ${name} ${before}`))
}

function elementAfter(line: ElementLine): VElement[] {
  switch (line.kind) {
    case 'added': {
      const place = line.before !== undefined && `before ${line.before}`
      const text = line.value === undefined ? line.element : `${line.element} ${line.value}`
      return [h('ins', {}, text), ...(place ? [h('div', { class: 'faint' }, place)] : [])]
    }
    case 'removed':
      return []
    case 'changed':
      return line.fields.map(({ name, after }) => h('ins', {}, `${line.element} ${name} ${after}`))
    case 'order':
      return [h('div', { class: 'faint' }, `(order) ${orderText(line.elements)}`)]
  }
}

/** Each part of a value on its own line; the number of omitted parts is not marked as deleted or inserted. */
function partLines(tag: 'del' | 'ins', parts: readonly string[]): Child[] {
  const rest = parts.length - LIMITS.parts
  return [
    parts.slice(0, LIMITS.parts).map(part => h(tag, {}, part)),
    rest > 0 && h('div', { class: 'faint' }, `and ${plural(rest, 'more line')}`)
  ]
}

function outcomeFields(fields: readonly FieldOutcome[]): Child[] {
  const rows = fields
    .slice(0, LIMITS.fields)
    .map(field => [
      inlineCode(formatField(field.pointer)),
      ...fieldStates(field).map(({ text }) => text)
    ])
  const columns = ['Field', 'Before', 'Wanted', 'Found']
  return [
    dataTable('Fields that are not as declared', columns, rows),
    moreLine(fields.length - LIMITS.fields, 'field', '; see the JSON report')
  ]
}

function pointersNote(
  title: string,
  pointers: readonly Pointer[] = [],
  explanation: string
): VElement | undefined {
  if (pointers.length === 0) return undefined
  return h(
    'p',
    { class: 'note' },
    h('strong', {}, `${title}: `),
    listFirst(pointers.map(formatField), LIMITS.pointers),
    h('span', { class: 'faint' }, ` (${explanation})`)
  )
}

const stepLabels: Readonly<Record<TimelineEvent['step'], string>> = {
  sending: 'sent',
  answered: 'response',
  read: 'read back',
  outcome: 'outcome',
  held: 'read after the hold',
  reverting: 'put back'
}

/** The steps of an update by time. */
export function eventTable(events: readonly TimelineEvent[]): VElement | undefined {
  if (events.length === 0) return undefined
  const rows = events.map(({ at, step, note = '' }) => [
    h('time', { datetime: at }, formatClockTime(at)),
    stepLabels[step],
    note
  ])
  return dataTable('Timeline', ['Time (UTC)', 'Step', 'Note'], rows)
}
