import type { Finding } from '../../model/finding.ts'
import type { Change, PatchOperation } from '../../model/plan.ts'
import type { Pointer } from '../../model/pointer.ts'
import { listFirst } from '../../model/text.ts'
import { formatTime } from '../../model/time.ts'
import { escapeJson } from '../escape.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  fieldsOf,
  isDowngrade,
  isSecretField,
  secretText
} from '../field-changes.ts'
import { formatField, formatValue } from '../format-value.ts'
import { momentsPart, outcomeParts } from './card-outcome.ts'
import type { Cell } from './cells.ts'
import type { Mode } from './data.ts'
import { findingItem } from './findings.ts'
import { code, table } from './pieces.ts'
import { type Element, h, type Tree } from './tree.ts'

/** How a card is to look. */
export interface CardLook {
  readonly mode: Mode
  readonly hidden: readonly Pointer[]
  /** True if it is known since when fields differ. */
  readonly dated: boolean
}

/** Two values longer than this do not stand beside each other. */
const BESIDE = 60

/** All that is to be said of a WLAN, but for its name: fields, secrets, findings, place, body. */
export function cardBody(cell: Cell, findings: readonly Finding[], look: CardLook): Element[] {
  const { change, outcome } = cell
  return [
    ...(outcome === undefined ? [] : outcomeParts(outcome)),
    ...(change === undefined ? [] : [changeFields(change, look)]),
    ...note(
      'Not compared',
      change?.not_compared ?? cell.uncompared ?? [],
      'secrets that are not at hand, or that the service hides'
    ),
    ...note('Also moved', outcome?.side_effects ?? [], 'nobody declared these'),
    ...note(
      'Not verifiable',
      outcome?.not_verifiable ?? [],
      'secrets that were sent, and that the service does not show'
    ),
    ...note('Not restored', outcome?.not_restored ?? [], 'secrets cannot be brought back'),
    ...note('Cannot be reverted', outcome?.lost ?? [], 'nobody has the secrets that were there'),
    ...momentsPart(outcome?.moments ?? []),
    ...(findings.length === 0
      ? []
      : [h('ul', { class: 'findings' }, ...findings.map(found => findingItem(found, true)))])
  ]
}

/** Which WLAN it is, and where it is declared. */
export function cardFacts({ change, unmanaged, handle, status, owner }: Cell): Element {
  const facts: (readonly [string, Tree])[] =
    change === undefined
      ? [
          ...(unmanaged === undefined
            ? []
            : ([
                ['SSID', formatValue(unmanaged)],
                ['WLAN id', code(handle)]
              ] as const)),
          ...(owner === undefined ? [] : ([['Owner', owner]] as const))
        ]
      : [
          ['SSID now', formatValue(change.wlan.ssid)],
          [
            'Declared in',
            code(`${change.origin.file}:${change.origin.line}:${change.origin.column}`)
          ],
          ...(change.owner === undefined ? [] : ([['Owner', change.owner]] as const)),
          ...(change.impact === undefined || change.impact === status
            ? []
            : ([['Impact', change.impact]] as const)),
          ['WLAN id', code(change.wlan.id)],
          ['Site id', code(change.site.id)]
        ]
  return h(
    'dl',
    { class: 'facts' },
    ...facts.map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, text)))
  )
}

/** The request, to the letter; secrets by their reference. */
export function requestPart({ request }: Change, isOpen = false): Element {
  const { method, path, body } = request
  const lines = escapeJson(JSON.stringify(body, null, 2)).split('\n')
  return h(
    'details',
    { class: 'request', open: isOpen },
    h('summary', {}, `The exact ${method} body`),
    h(
      'pre',
      { tabindex: 0, 'aria-label': 'Request' },
      h('span', { class: 'line' }, `${method} ${path}`),
      ...lines.map(line => h('span', { class: 'line' }, line))
    )
  )
}

function changeFields(change: Change, look: CardLook): Element {
  const { mode, hidden } = look
  const fields = fieldsOf(change)
  const seen = fields.filter(({ path }) => !hidden.includes(path))
  const columns =
    mode === 'drift' || mode === 'plan'
      ? ['Field', 'Live now', 'Declared', 'Hide']
      : ['Field', 'Before', 'Declared', 'Hide']
  const rows = seen.map(field => fieldRow(change, field, look))
  const left = fields.length - seen.length
  return h(
    'div',
    { class: 'fields' },
    ...(rows.length === 0 ? [] : [table('Fields', columns, rows)]),
    ...(left === 0 ? [] : [h('p', { class: 'faint' }, `${left} hidden`)])
  )
}

function fieldRow(change: Change, field: PatchOperation, { dated }: CardLook): Tree[] {
  const name = formatField(field.path)
  const less = isDowngrade(change, field) ? [h('strong', { class: 'less' }, ' less safe')] : []
  const since = dated ? [h('div', { class: 'faint' }, sinceText(change, field))] : []
  const first = h('span', {}, code(name), ...less, ...since)
  const hide = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'data-act': 'hide',
      'data-value': field.path,
      'aria-label': `Hide the field ${name} everywhere`
    },
    'hide'
  )
  return [first, ...valuesOf(change, field), hide]
}

function sinceText({ first_seen = {} }: Change, { path }: PatchOperation): string {
  const time = Object.hasOwn(first_seen, path) ? first_seen[path] : undefined
  return time === undefined ? 'first seen now' : `since ${formatTime(time)}`
}

function valuesOf(change: Change, field: PatchOperation): readonly [Tree, Tree] {
  if (isSecretField(field)) {
    const { text: what, source } = secretText(field)
    const told = source === undefined ? what : `${what}, ${source}`
    return [h('span', { class: 'faint' }, field.op === 'add' ? '(unset)' : '(secret)'), told]
  }
  const [before, after] = [beforeOf(change, field), formatValue(afterOf(field))]
  if (before.length + after.length <= BESIDE) {
    return [h('del', {}, before), h('ins', {}, after)]
  }
  const { removed: gone, added: come, kept } = beforeAfterOf(change, field)
  const stay =
    kept === 0
      ? []
      : [h('div', { class: 'faint' }, kept === 1 ? '1 other stays' : `${kept} others stay`)]
  return [
    h('div', {}, ...firstOf(gone).map(text => h('del', {}, text))),
    h('div', {}, ...firstOf(come).map(text => h('ins', {}, text)), ...stay)
  ]
}

function note(title: string, pointers: readonly Pointer[], why: string): Element[] {
  if (pointers.length === 0) return []
  const names = listFirst(pointers.map(formatField), 20)
  return [
    h(
      'p',
      { class: 'note' },
      h('strong', {}, `${title}: `),
      names,
      h('span', { class: 'faint' }, ` (${why})`)
    )
  ]
}

/** Of a list a card shows so many parts. */
const PARTS = 1000

function firstOf(texts: readonly string[]): string[] {
  const rest = texts.length - PARTS
  return rest > 0 ? [...texts.slice(0, PARTS), `and ${rest} more`] : [...texts]
}
