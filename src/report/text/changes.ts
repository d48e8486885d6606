import type { Change, ElementChanges, PatchOperation } from '../../core/model/plan.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatSpan, formatTime } from '../../core/values/time.ts'
import { effectNotes, fieldCauses, levelText, severityNouns } from '../effects.ts'
import { escapeInside, escapeText } from '../escape.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  commonPlace,
  fieldsOf,
  isDowngrade,
  isSecretField,
  lineText,
  secretText
} from '../field-changes.ts'
import { formatField, formatValue, MAX_VALUE_LENGTH } from '../format-value.ts'
import { addressPartsOf, type GroupedFindings } from '../group-findings.ts'
import { type Style, styleOf, widest, wrap } from '../layout.ts'
import { elementLines, elementsAt, elementText } from '../list-elements.ts'
import type { RenderOptions } from '../report.ts'
import { elementPointer } from '../secret-fields.ts'
import { fieldAges } from '../verdict.ts'

/** Longer names and values do not widen their column. */
const MAX_COLUMN_WIDTH = 24

/** The maximum number of removed and of added parts of a list. */
const MAX_PARTS = 100

/** The columns in the rows of a change. */
interface FieldColumns {
  readonly options: RenderOptions
  readonly style: Style
  /** The widths of the columns for names and for former values. */
  readonly names: number
  readonly befores: number
}

/**
 * One change: the WLAN, its line in the files, its live SSID and its owner, then each field before →
 * after.
 *
 *     hq/guest  sites/hq.yaml:12  "Visitors"  owner network team
 *       auth.psk  (secret) changed, from WLAN_SECRET_GUEST_PSK  sites/hq.yaml:15
 *       ssid      "Visitors" → "Guest"  sites/hq.yaml:13
 *       vlan_id   20         → 40  profiles.yaml:8
 *
 * Fields that weaken security are marked `(downgrade)`. With a base revision, the fields are listed by cause,
 * too.
 */
export function changeText(change: Change, options: RenderOptions, style: Style): string {
  return changesText([change], options, style, {})
}

/** Additional details in a list of changes. */
export interface ChangeDetails {
  /** True if the plan was compared with an earlier one: the fields are also listed by age. */
  readonly dated?: boolean
  /** The time to which the live WLAN's last modification is relative; it is not shown if this is absent. */
  readonly asOf?: string
  /** True if the heading does not contain the impact. */
  readonly withImpact?: boolean
}

/** Equal changes as one block that lists all their addresses. */
export function changesText(
  changes: GroupedFindings<Change>,
  options: RenderOptions,
  style: Style,
  details: ChangeDetails
): string {
  const [change, ...others] = changes
  const { not_compared: pointers = [], request } = change
  const not_compared = pointers.map(pointer => elementPointer(request.body, pointer))
  const fields = fieldsOf(change)
  const layout = {
    options,
    style,
    names: column([...fields.map(({ path }) => path), ...not_compared].map(formatField)),
    befores: column(
      fields
        .filter(field => !isSecretField(field) && elementsAt(change, field.path) === undefined)
        .map(field => beforeOf(change, field))
    )
  }
  const addresses = others.length === 0 ? [] : changes.map(({ address }) => escapeText(address))
  return [
    headLine(changes, style, details),
    ...effectNotes(change).map(note => `    ${style.warn(note)}`),
    ...fields.map(field => placedField(changes, field, layout)),
    ...not_compared.map(
      pointer => `${nameCell(pointer, layout)}${style.warn('(secret) not compared')}`
    ),
    ...causeLines(change, options, style),
    ...(details.dated ? sinceLines(change, options, style) : []),
    ...wrap(addresses, ', ', options.width - 4).map(line => `    ${style.faint(line)}`)
  ].join('\n')
}

/** The WLANs and their common properties; the line in a file only if all share it. */
function headLine(
  changes: GroupedFindings<Change>,
  style: Style,
  { asOf, withImpact }: ChangeDetails
): string {
  const [change, ...others] = changes
  const { address, owner, impact, downgrades } = change
  const name =
    others.length === 0
      ? style.strong(escapeText(address))
      : `${style.strong(escapeText(addressPartsOf(change).key))} on ${plural(changes.length, 'site')}`
  const places = changes.map(({ origin }) => escapeInside(`${origin.file}:${origin.line}`))
  const ssids = changes.map(({ wlan }) => formatValue(wlan.ssid))
  return [
    `  ${name}`,
    ...onlyOne(places).map(style.faint),
    ...onlyOne(ssids),
    // The heading of a downgrade does not contain its impact.
    ...((downgrades || withImpact) && impact !== undefined
      ? [style.warn(severityNouns[impact])]
      : []),
    ...modifiedNote(changes, asOf).map(style.faint),
    ...(owner === undefined ? [] : [style.faint(`owner ${escapeInside(owner)}`)])
  ].join('  ')
}

/** `changed 2 hours ago`: the last modification of the live WLAN; the latest one of several. */
function modifiedNote(changes: GroupedFindings<Change>, asOf: string | undefined): string[] {
  const last = changes
    .flatMap(({ modified }) => modified ?? [])
    .sort(byCodeUnit)
    .at(-1)
  const span = last && asOf && formatSpan(last, asOf)
  return span === undefined || span === '' ? [] : [`changed ${span} ago`]
}

function onlyOne(texts: readonly string[]): string[] {
  return new Set(texts).size === 1 ? texts.slice(0, 1) : []
}

function column(texts: readonly string[]): number {
  return widest(texts.filter(({ length }) => length <= MAX_COLUMN_WIDTH))
}

/** A field with the place of its value: at the end of its line, or below it if the line would be too long. */
function placedField(
  changes: GroupedFindings<Change>,
  field: PatchOperation,
  layout: FieldColumns
): string {
  const { options, style } = layout
  const text = fieldText(changes[0], field, layout)
  const common = commonPlace(changes, field)
  if (common === undefined) return text
  const place = escapeInside(lineText(common))
  const [first = '', ...others] = text.split('\n')
  const uncoloured = { ...layout, style: styleOf({ ...options, colour: false }) }
  const [shown = ''] = fieldText(changes[0], field, uncoloured).split('\n')
  const isShort = shown.length + 2 + place.length <= options.width
  if (isShort) return [`${first}  ${style.faint(place)}`, ...others].join('\n')
  return [first, ...others, `      ${style.faint(place)}`].join('\n')
}

function fieldText(change: Change, field: PatchOperation, layout: FieldColumns): string {
  const { options, style } = layout
  const name = nameCell(field.path, layout)
  if (isSecretField(field)) return name + secretCell(field, style)
  const elements = elementsAt(change, field.path)
  if (elements !== undefined) return elementsText(change, field, elements, layout)
  const before = beforeOf(change, field)
  const after = formatValue(afterOf(field))
  const cell = (field.op === 'add' ? style.faint : style.before)(before)
  const gap = ' '.repeat(Math.max(0, layout.befores - before.length))
  const mark = downgradeMark(change, field)
  const shownMark = mark && style.bad(mark)
  const width = name.length + Math.max(before.length, layout.befores) + ` → ${after}${mark}`.length
  const isShort = before.length <= MAX_VALUE_LENGTH && after.length <= MAX_VALUE_LENGTH
  if (isShort && width <= options.width)
    return `${name}${cell}${gap} → ${afterStyle(change, field, style)(after)}${shownMark}`
  return [name.trimEnd() + shownMark, ...brokenLines(change, field, layout)].join('\n')
}

/** The colour of the new value: that of a danger if it is less secure. */
function afterStyle(change: Change, field: PatchOperation, style: Style): Style['after'] {
  return isDowngrade(change, field) ? style.bad : style.after
}

function downgradeMark(change: Change, field: PatchOperation): string {
  return isDowngrade(change, field) ? `  (${levelText(change, field.path)})` : ''
}

/**
 * A list by its elements; a single difference is on the line of the name.
 *
 *     auth_servers
 *       + 10.0.0.3 { port: 1812 }
 *       - 10.0.0.2
 *       10.0.0.1  port 1812 → 1813
 */
function elementsText(
  change: Change,
  field: PatchOperation,
  elements: ElementChanges,
  layout: FieldColumns
): string {
  const { options, style } = layout
  const colours = { added: style.after, removed: style.before, changed: plain, order: style.faint }
  const name = nameCell(field.path, layout)
  const mark = downgradeMark(change, field)
  const lines = elementLines(elements)
  const [first, ...others] = lines
  const text = first === undefined ? '' : elementText(first)
  if (first !== undefined && others.length === 0 && name.length + text.length <= options.width)
    return name + colours[first.kind](text) + (mark && style.bad(mark))
  const rest = lines.length - MAX_PARTS
  return [
    name.trimEnd() + (mark && style.bad(mark)),
    ...lines
      .slice(0, MAX_PARTS)
      .flatMap(line =>
        wrap(elementText(line).split(', '), ', ', options.width - 8).map(
          (part, at) => `      ${at === 0 ? '' : '  '}${colours[line.kind](part)}`
        )
      ),
    ...(rest > 0 ? [`      and ${formatNumber(rest)} more`] : [])
  ].join('\n')
}

const plain = (text: string) => text

function nameCell(pointer: string, { names }: FieldColumns): string {
  return `    ${formatField(pointer).padEnd(names)}  `
}

/** The cell of a secret: its source, never its value. */
function secretCell(field: PatchOperation, style: Style): string {
  const { text, source } = secretText(field)
  return style.after(text) + (source === undefined ? '' : `, ${source}`)
}

/**
 * A field too wide for one line: the removed and added parts, and the number of the others.
 *
 *     ap_ids
 *       - "00000000-0000-4000-8000-000000000001"
 *       + "00000000-0000-4000-8000-000000000007"
 *       11 others unchanged
 */
function brokenLines(
  change: Change,
  field: PatchOperation,
  { options, style }: FieldColumns
): string[] {
  const { removed, added, kept } = beforeAfterOf(change, field)
  const lines = (parts: readonly string[], sign: string) =>
    wrap(
      [
        ...parts.slice(0, MAX_PARTS),
        ...(parts.length > MAX_PARTS ? [`and ${formatNumber(parts.length - MAX_PARTS)} more`] : [])
      ],
      ', ',
      options.width - 8
    ).map(line => `      ${sign} ${line}`)
  return [
    ...lines(removed, '-').map(style.before),
    ...lines(added, '+').map(style.after),
    ...(kept === 0 ? [] : [style.faint(`      ${plural(kept, 'other')} unchanged`)])
  ]
}

/**
 * The fields of a change by cause, if the plan was compared with a base revision.
 *
 *     changed in the files: vlan_id
 *     drift, goes back with this change: isolation
 */
function causeLines(change: Change, { width }: RenderOptions, style: Style): string[] {
  return fieldCauses(change).flatMap(({ text, pointers }) => {
    const [first = '', ...others] = pointers.map(formatField)
    return wrap([`${text}: ${first}`, ...others], ', ', width - 4).map(
      line => `    ${style.faint(line)}`
    )
  })
}

/**
 * The fields of a change by the time since which they are known to differ.
 *
 *     since 2026-11-19 10:00:00 UTC: isolation
 *     first seen now: vlan_id
 */
function sinceLines(change: Change, { width }: RenderOptions, style: Style): string[] {
  return fieldAges(change).flatMap(({ since, pointers }) => {
    const title = since === undefined ? 'first seen now' : `since ${formatTime(since)}`
    const [first = '', ...others] = pointers.map(formatField)
    const mark = since === undefined ? style.warn : style.faint
    return wrap([`${title}: ${first}`, ...others], ', ', width - 4).map(line => `    ${mark(line)}`)
  })
}
