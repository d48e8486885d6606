import { groupBy, present, sortBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatSpan } from '../../core/values/time.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { lineText } from '../fields/field-changes.ts'
import { columnsOfText, columnWidth, padTo } from '../layout.ts'
import { lastModified } from '../overview/changes.ts'
import type { ChangeGroup, FieldRow } from '../overview/overview.ts'
import type { Terminal } from '../render/terminal.ts'

/** Longer names and values do not widen their column. */
const MAX_COLUMN = 24

const MAX_LINES = 100

const MAX_SITES = 30

/** Additional details in a list of changes. */
interface ChangeDetails {
  /** The time to which the last modification of the live network is relative; it is not shown if this is absent. */
  readonly asOf?: string
  readonly verbose?: boolean
}

/**
 * Equal changes: the network, its line in the files, and its SSID; what they do to people; then each field
 * before → after.
 *
 *     hq/guest  sites/hq.yaml:12  "Visitors"
 *       clients reconnect
 *       auth.psk  (secret) changed, from WLAN_SECRET_GUEST_PSK  sites/hq.yaml:15
 *       vlan_id   20         → 40  profiles.yaml:8
 */
export function changeLines(
  group: ChangeGroup,
  terminal: Terminal,
  details: ChangeDetails
): string[] {
  const { networks, fields, effect, notes } = group
  const { style } = terminal
  const names = columnWidth(
    fields.map(({ name }) => name),
    MAX_COLUMN
  )
  const befores = columnWidth(
    fields.flatMap(({ value }) => beforeIn(value) ?? []),
    MAX_COLUMN
  )
  const about = present(effect, ...notes)
  return [
    ...headLines(group, terminal, details),
    ...about.flatMap(note => terminal.wrapped(style.faint(escapeInside(note)), INDENT)),
    ...fields.flatMap(field => fieldLines(field, { names, befores }, terminal)),
    ...factLines(fields, terminal),
    ...(networks.length === 1 ? [] : siteLines(group, terminal, details.verbose ?? false))
  ]
}

const INDENT = '    '

/** The network and the properties that all share; the line in a file only if it is the same. */
function headLines(
  { networks, key }: ChangeGroup,
  terminal: Terminal,
  { asOf }: ChangeDetails
): string[] {
  const { strong, faint } = terminal.style
  const [first, ...others] = networks
  if (first === undefined) return []
  const name =
    others.length === 0
      ? strong(escapeText(first.address))
      : `${strong(escapeText(key))} on ${plural(networks.length, 'site')}`
  const place = onlyOne(networks.map(({ origin }) => (origin ? lineText(origin) : '')))
  const ssid = onlyOne(networks.map(({ ssid }) => JSON.stringify(ssid)))
  const last = lastModified(networks)
  const span = last && asOf && formatSpan(last, asOf)
  const parts = present(
    name,
    place && faint(escapeInside(place)),
    ssid && escapeInside(ssid),
    span && faint(escapeInside(`changed ${span} ago`))
  )
  return terminal.wrapped(parts.join('  '), '  ', `${INDENT}  `)
}

function onlyOne(texts: readonly string[]): string | undefined {
  return new Set(texts).size === 1 ? texts[0] : undefined
}

function beforeIn(value: FieldRow['value']): string | undefined {
  const [only] = value
  return value.length === 1 && typeof only === 'object' && only.kind === 'change'
    ? escapeInside(only.before)
    : undefined
}

interface Columns {
  readonly names: number
  readonly befores: number
}

function fieldLines(field: FieldRow, { names, befores }: Columns, terminal: Terminal): string[] {
  const { style, width } = terminal
  const head = `${INDENT}${padTo(escapeText(field.name), names)}  `
  const before = beforeIn(field.value)
  const gap = ' '.repeat(Math.max(0, befores - columnsOfText(before ?? '')))
  const inline = terminal.inline(field.value)
  const value = before === undefined ? inline : inline.replace(' → ', `${gap} → `)
  const mark = field.isDowngrade
    ? style.bad(`  (${field.isDowngrade === 'medium' ? 'downgrade, medium' : 'downgrade'})`)
    : ''
  const place =
    field.place === undefined ? '' : style.faint(`  ${escapeInside(lineText(field.place))}`)
  const fits = (line: string) => columnsOfText(line) <= width
  const short = head + value + mark
  const isWhole = field.lines === undefined
  if (isWhole && fits(short + place)) return [short + place]
  if (isWhole && fits(short)) return [short, ...terminal.wrapped(place.trimStart(), `${INDENT}  `)]
  const parts = field.lines ?? [field.value]
  const rest = parts.length - MAX_LINES
  return [
    head.trimEnd() + mark,
    ...parts
      .slice(0, MAX_LINES)
      .flatMap(part => terminal.lines(part, `${INDENT}  `, `${INDENT}    `)),
    ...(rest > 0 ? [`${INDENT}  and ${formatNumber(rest)} more`] : []),
    ...(place === '' ? [] : terminal.wrapped(place.trimStart(), `${INDENT}  `))
  ]
}

/** The fields by cause, such as `changed in the files: vlan_id`. */
function factLines(fields: readonly FieldRow[], terminal: Terminal): string[] {
  const byCause = sortBy(
    groupBy(fields, ({ cause }) => cause),
    ([cause = '']) => cause
  )
  return byCause.flatMap(([cause, same]) => {
    if (cause === undefined) return []
    const names = same.map(({ name }) => escapeInside(name)).join(', ')
    return terminal.wrapped(terminal.style.faint(`${escapeInside(cause)}: ${names}`), INDENT)
  })
}

function siteLines({ networks }: ChangeGroup, terminal: Terminal, verbose: boolean): string[] {
  const sites = networks.map(({ site }) => escapeInside(site))
  const rest = verbose ? 0 : sites.length - MAX_SITES
  const shown = rest > 0 ? sites.slice(0, MAX_SITES) : sites
  const more = rest > 0 ? ` and ${formatNumber(rest)} more (\`--verbose\` lists all)` : ''
  return terminal.wrapped(terminal.style.faint(shown.join(', ') + more), INDENT)
}
