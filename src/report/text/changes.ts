import type { Change, PatchOperation } from '../../model/plan.ts'
import { formatNumber, plural } from '../../model/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { LONGEST_VALUE } from '../excerpt.ts'
import {
  afterOf,
  beforeAfterOf,
  beforeOf,
  fieldsOf,
  isDowngrade,
  isSecretField,
  secretText
} from '../field-changes.ts'
import { type GroupedFindings, whereaboutsOf } from '../group-findings.ts'
import { widest, wrap } from '../layout.ts'
import type { RenderOptions } from '../report.ts'
import { shown, shownField } from '../shown.ts'
import type { Style } from '../style.ts'
import { sinceLines } from './age.ts'

/** Names and values longer than this do not push the others to the right. */
const LONGEST_COLUMN = 24

/** Of a list so many parts are named that go, and as many that come. */
const PARTS = 100

/** How the rows of a change are laid out. */
interface Layout {
  readonly manner: RenderOptions
  readonly style: Style
  /** The columns that names take, and those of the values before. */
  readonly names: number
  readonly befores: number
}

/**
 * One change: the WLAN, where it is declared, its present SSID and its owner, then each field before →
 * after.
 *
 *     hq/guest  sites/hq.yaml:12  "Visitors"  owner network team
 *       auth.psk  (secret) changed, from WLAN_SECRET_GUEST_PSK
 *       ssid      "Visitors" → "Guest"
 *       vlan_id   20         → 40
 *
 * A field that gets less safe says so; where that is known (`dated`), so does one that is new.
 */
export function changeText(
  change: Change,
  manner: RenderOptions,
  style: Style,
  dated = false
): string {
  return changesText([change], manner, style, dated)
}

/** The same of changes that are equal, each of them by its address below. */
export function changesText(
  changes: GroupedFindings<Change>,
  manner: RenderOptions,
  style: Style,
  dated: boolean
): string {
  const [change, ...others] = changes
  const { not_compared = [] } = change
  const fields = fieldsOf(change)
  const layout = {
    manner,
    style,
    names: column([...fields.map(({ path }) => path), ...not_compared].map(shownField)),
    befores: column(fields.filter(field => !isSecretField(field)).map(f => beforeOf(change, f)))
  }
  const addresses = others.length === 0 ? [] : changes.map(({ address }) => escapeText(address))
  return [
    headLine(changes, style),
    ...fields.map(field => fieldText(change, field, layout)),
    ...not_compared.map(
      pointer => `${nameCell(pointer, layout)}${style.warn('(secret) not compared')}`
    ),
    ...(dated ? sinceLines(change, manner, style) : []),
    ...wrap(addresses, ', ', manner.width - 4).map(line => `    ${style.faint(line)}`)
  ].join('\n')
}

/** Which WLANs, and what is the same of them; a place in a file only if it is that of all. */
function headLine(changes: GroupedFindings<Change>, style: Style): string {
  const [change, ...others] = changes
  const { address, owner, impact, downgrades } = change
  const name =
    others.length === 0
      ? style.strong(escapeText(address))
      : `${style.strong(escapeText(whereaboutsOf(change).key))} on ${plural(changes.length, 'site')}`
  const places = changes.map(({ origin }) => escapeInside(`${origin.file}:${origin.line}`))
  const ssids = changes.map(({ wlan }) => shown(wlan.ssid))
  return [
    `  ${name}`,
    ...onlyOne(places).map(style.faint),
    ...onlyOne(ssids),
    // A downgrade goes before the impact, which then nothing else tells.
    ...(downgrades === undefined || impact === undefined ? [] : [style.warn(impact)]),
    ...(owner === undefined ? [] : [style.faint(`owner ${escapeInside(owner)}`)])
  ].join('  ')
}

function onlyOne(texts: readonly string[]): string[] {
  return new Set(texts).size === 1 ? texts.slice(0, 1) : []
}

function column(texts: readonly string[]): number {
  return widest(texts.filter(({ length }) => length <= LONGEST_COLUMN))
}

function fieldText(change: Change, field: PatchOperation, layout: Layout): string {
  const { manner, style } = layout
  const name = nameCell(field.path, layout)
  if (isSecretField(field)) return name + secretCell(field, style)
  const before = beforeOf(change, field)
  const after = shown(afterOf(field))
  const cell = (field.op === 'add' ? style.faint : style.before)(before)
  const gap = ' '.repeat(Math.max(0, layout.befores - before.length))
  const mark = isDowngrade(change, field) ? '  (downgrade)' : ''
  const shownMark = mark && style.bad(mark)
  const width = name.length + Math.max(before.length, layout.befores) + ` → ${after}${mark}`.length
  const isShort = before.length <= LONGEST_VALUE && after.length <= LONGEST_VALUE
  if (isShort && width <= manner.width)
    return `${name}${cell}${gap} → ${style.after(after)}${shownMark}`
  return [name.trimEnd() + shownMark, ...brokenLines(change, field, layout)].join('\n')
}

function nameCell(pointer: string, { names }: Layout): string {
  return `    ${shownField(pointer).padEnd(names)}  `
}

/** What is said of a secret: where it comes from. */
function secretCell(field: PatchOperation, style: Style): string {
  const { what, source } = secretText(field)
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
function brokenLines(change: Change, field: PatchOperation, { manner, style }: Layout): string[] {
  const { gone, come, kept } = beforeAfterOf(change, field)
  const lines = (parts: readonly string[], sign: string) =>
    wrap(
      [
        ...parts.slice(0, PARTS),
        ...(parts.length > PARTS ? [`and ${formatNumber(parts.length - PARTS)} more`] : [])
      ],
      ', ',
      manner.width - 8
    ).map(line => `      ${sign} ${line}`)
  return [
    ...lines(gone, '-').map(style.before),
    ...lines(come, '+').map(style.after),
    ...(kept === 0
      ? []
      : [style.faint(`      ${kept} ${kept === 1 ? 'other stays' : 'others stay'}`)])
  ]
}
