import type { Change, Operation } from '../model/plan.ts'
import { overlap } from '../model/pointer.ts'
import { isList, isObject, type Value } from '../model/value.ts'
import { escapeInside, escapeText } from './escape.ts'
import { widest, wrap } from './layout.ts'
import type { Manner } from './report.ts'
import { isSecret, secretSource, shown, shownField, shownParts } from './shown.ts'
import type { Style } from './style.ts'

/** Names and values longer than this do not push the others to the right. */
const LONGEST_COLUMN = 24

/** How the rows of a change are laid out. */
interface Layout {
  readonly manner: Manner
  readonly style: Style
  /** The columns that names take, and those of the values before. */
  readonly names: number
  readonly befores: number
}

/**
 * One change: the WLAN, where it is declared and its present SSID, then each field before → after.
 *
 *     hq/guest  sites/hq.yaml:12  "Visitors"
 *       auth.psk  (secret) changed, from WLAN_SECRET_GUEST_PSK
 *       ssid      "Visitors" → "Guest"
 *       vlan_id   20         → 40
 *
 * A field that gets less safe says so.
 */
export function changeText(change: Change, manner: Manner, style: Style): string {
  const { address, wlan, origin, patch, impact, downgrades, not_compared = [] } = change
  const fields = patch.filter(({ op }) => op !== 'test')
  const layout = {
    manner,
    style,
    names: column([...fields.map(({ path }) => path), ...not_compared].map(shownField)),
    befores: column(fields.filter(field => !isSecretField(field)).map(f => beforeOf(change, f)))
  }
  const place = escapeInside(`${origin.file}:${origin.line}`)
  const head = `  ${style.strong(escapeText(address))}  ${style.faint(place)}  ${shown(wlan.ssid)}`
  // A downgrade goes before the impact, which then nothing else tells.
  const also = downgrades === undefined || impact === undefined ? '' : `  ${style.warn(impact)}`
  return [
    head + also,
    ...fields.map(field => fieldText(change, field, layout)),
    ...not_compared.map(
      pointer => `${nameCell(pointer, layout)}${style.warn('(secret) not compared')}`
    )
  ].join('\n')
}

function column(texts: readonly string[]): number {
  return widest(texts.filter(({ length }) => length <= LONGEST_COLUMN))
}

function fieldText(change: Change, field: Operation, layout: Layout): string {
  const { manner, style } = layout
  const name = nameCell(field.path, layout)
  if (isSecretField(field)) return name + secretText(field, style)
  const before = beforeOf(change, field)
  const after = shown(afterOf(field))
  const cell = (field.op === 'add' ? style.faint : style.before)(before)
  const gap = ' '.repeat(Math.max(0, layout.befores - before.length))
  const mark = isDowngrade(change, field) ? '  (downgrade)' : ''
  const shownMark = mark && style.bad(mark)
  const width = name.length + Math.max(before.length, layout.befores) + ` → ${after}${mark}`.length
  if (width <= manner.width) return `${name}${cell}${gap} → ${style.after(after)}${shownMark}`
  return [name.trimEnd() + shownMark, ...brokenLines(change, field, layout)].join('\n')
}

/** True for a field that gets less safe, or in which something does. */
function isDowngrade({ downgrades = [] }: Change, { path }: Operation): boolean {
  return downgrades.some(pointer => overlap(pointer, path))
}

function nameCell(pointer: string, { names }: Layout): string {
  return `    ${shownField(pointer).padEnd(names)}  `
}

/** Secrets are told by where they come from: no value, and nothing that was made of one. */
function secretText(field: Operation, style: Style): string {
  const source = secretSource(afterOf(field))
  const what = `(secret) ${field.op === 'add' ? 'set' : 'changed'}`
  return style.after(what) + (source === undefined ? '' : `, ${source}`)
}

/**
 * A field that one line is too narrow for: what goes and what comes, and nothing of what stays.
 *
 *     ap_ids
 *       - "00000000-0000-4000-8000-000000000001"
 *       + "00000000-0000-4000-8000-000000000007"
 *       11 others stay
 */
function brokenLines(change: Change, field: Operation, { manner, style }: Layout): string[] {
  const old = oldValue(change, field)
  const absent = field.op === 'add' ? [] : [beforeOf(change, field)]
  const before = old === undefined ? absent : shownParts(old)
  const after = shownParts(afterOf(field))
  const inParts = areAlike(old, afterOf(field))
  const [going, coming] = inParts
    ? [without(before, after), without(after, before)]
    : [before, after]
  // Nothing goes or comes where only the order is another one.
  const [gone, come] = going.length + coming.length === 0 ? [before, after] : [going, coming]
  const kept = after.length - come.length
  const lines = (parts: readonly string[], sign: string) =>
    wrap(parts, ', ', manner.width - 8).map(line => `      ${sign} ${line}`)
  return [
    ...lines(gone, '-').map(style.before),
    ...lines(come, '+').map(style.after),
    ...(kept === 0
      ? []
      : [style.faint(`      ${kept} ${kept === 1 ? 'other stays' : 'others stay'}`)])
  ]
}

function areAlike(a: Value | undefined, b: Value): boolean {
  return (isList(a) && isList(b)) || (isObject(a) && isObject(b))
}

/** The texts of a list that another one does not have; of repeated ones as many as it has less. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1)
  return texts.filter(text => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}

function isSecretField(field: Operation): boolean {
  return isSecret(afterOf(field))
}

function afterOf(field: Operation): Value {
  return 'value' in field ? field.value : null
}

/** The value that goes, on one line; a secret's is not in the patch. */
function beforeOf(change: Change, field: Operation): string {
  const old = oldValue(change, field)
  if (old !== undefined) return shown(old)
  return field.op === 'add' ? '(unset)' : '(secret)'
}

/** The value that the `test` before an operation names. */
function oldValue({ patch }: Change, { path }: Operation): Value | undefined {
  const test = patch.find(operation => operation.op === 'test' && operation.path === path)
  return test !== undefined && 'value' in test ? test.value : undefined
}
