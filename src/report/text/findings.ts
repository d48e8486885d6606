import type { Finding } from '../../core/model/finding.ts'
import { present } from '../../core/values/collections.ts'
import { formatLocation, formatNumber, plural, truncate } from '../../core/values/text.ts'
import { escapeInside, escapeText } from '../escape.ts'
import { columnsOfText, type Style } from '../layout.ts'
import { isListedWithLint } from '../overview/findings.ts'
import type { FindingGroup } from '../overview/overview.ts'
import type { Terminal } from '../render/terminal.ts'
import type { RenderOptions } from '../report.ts'
import { formatMessage, truncateValues } from '../wording/message.ts'

const MAX_ADDRESSES = 3

/**
 * The findings, each in a few lines: location, message, an excerpt of the first ones, and hint. Equal findings of
 * several WLANs or sites are one block that lists them.
 *
 *     sites/hq.yaml:12:5: error: unknown field "vlanid" [UNKNOWN_FIELD]
 *       12 | vlanid: …
 *          | ^^^^^^
 *       wlans.guest.vlanid
 *       did you mean "vlan_id"?
 *     error: the site could not be read: 503 [SITE_NOT_READ]
 *       3 sites: store-aachen, store-bonn, store-kiel
 */
export function findingLines(
  groups: readonly FindingGroup[],
  terminal: Terminal,
  options: RenderOptions
): string[] {
  const { lineAt: _, ...withoutExcerpts } = options
  return groups.flatMap((group, at) =>
    linesOf(group, terminal, at < MAX_EXCERPTS ? options : withoutExcerpts)
  )
}

function linesOf(
  group: FindingGroup,
  terminal: Terminal,
  { verbose, lineAt }: Pick<RenderOptions, 'verbose' | 'lineAt'>
): string[] {
  const { style } = terminal
  const { finding, message, hint, addresses, where: named, places, path } = group
  const [address] = addresses
  const located = places.map(formatLocation)
  const isSingle = addresses.length <= 1 && places.length <= 1
  const list = (texts: readonly string[]) => {
    const isLong = (finding.level !== 'error' || isListedWithLint(finding)) && !verbose
    const most = isLong ? MAX_ADDRESSES : texts.length
    const rest = texts.length - most
    const shown = present(
      ...texts.slice(0, most).map(escapeText),
      rest > 0 && `and ${formatNumber(rest)} more (\`--verbose\` lists all)`
    )
    return texts.length < 2 ? '' : `: ${shown.join(', ')}`
  }
  const about = isSingle
    ? [path ?? (places.length === 0 ? [] : (address ?? []))].flat().map(escapeText)
    : present(
        addresses.length > 0 &&
          terminal.inline(named.text) + list(named.isWhole ? [] : named.places),
        places.length > 1 && plural(places.length, 'place') + list(located)
      )
  const where = places.length > 1 ? undefined : (located[0] ?? (isSingle ? address : undefined))
  const colour = levelStyle(finding, style)
  const start = where === undefined ? '' : `${style.strong(escapeText(where))}: `
  const code = style.faint(`[${escapeInside(group.code)}]`)
  const below = (text: string) => terminal.wrapped(text, '  ')
  return [
    ...terminal.wrapped(
      `${start}${colour(finding.level)}: ${formatMessage(message)} ${code}`,
      '',
      '  '
    ),
    ...(where === undefined ? [] : excerptLines({ ...finding, message }, lineAt, style)),
    ...about.flatMap(line => below(style.faint(line))),
    ...(hint === undefined ? [] : below(escapeText(truncateValues(hint))))
  ]
}

function levelStyle({ level }: Finding, { bad, warn, faint }: Style): Style['bad'] {
  return { error: bad, warning: warn, info: faint }[level]
}

function excerptLines(found: Finding, lineAt: RenderOptions['lineAt'], style: Style): string[] {
  const line = found.place && lineAt?.(found.place)
  const excerpt = line === undefined ? undefined : excerptOf(found, line)
  if (excerpt === undefined) return []
  const number = String(found.place?.line)
  const bar = (gutter: string) => style.faint(`  ${gutter} |`)
  return [
    `${bar(number)} ${excerpt.code}`,
    `${bar(' '.repeat(number.length))} ${levelStyle(found, style)(excerpt.marks)}`
  ]
}

/** The maximum number of excerpts in one report. */
export const MAX_EXCERPTS = 20

/** The part of a line that a finding is about, and the marks below it. Both are escaped, and have no gutter. */
interface Excerpt {
  readonly code: string
  readonly marks: string
}

/** Longer lines are generated, and have no excerpt. */
const MAX_LINE = 10_000

/** The longest key or value that is shown, in UTF-16 code units. */
const MAX_TOKEN = 40

/**
 * The key or the value at the column of a finding, with the key before it.
 *
 * | line                                | finding                      | excerpt                      |
 * |-------------------------------------|------------------------------|------------------------------|
 * | `    vlan_id: 5000 # guests`        | `expected …, got 5000`       | `vlan_id: 5000`, `         ^^^^` |
 * | `    vlan_idd: 20`                  | `unknown field "vlan_idd"`   | `vlan_idd: …`, `^^^^^^^^`    |
 * | `  psk: hunter22`                   | `plaintext secret`           | `psk: …`, `     ^`           |
 * | `  auth: { psk: hunter22, type: x }` | `expected …, got "x"`        | `… type: x …`, `        ^`   |
 *
 * Any value may be a secret, whatever its key, so a value is shown only if the message gives it, or if it is the switch
 * that a rule is about. Comments and other values of the line are not shown. Of invalid YAML, whose keys may be parts of a value, only
 * the sign at the column is shown. Undefined if the line says nothing more than the message, such as for a file that could not be read.
 */
export function excerptOf(
  { code, message, place }: Pick<Finding, 'code' | 'message' | 'place'>,
  line: string
): Excerpt | undefined {
  if (place === undefined || line.length > MAX_LINE) return undefined
  if (code === 'YAML_SYNTAX') return syntaxExcerpt(line, place.column - 1)
  if (/^(?:YAML|FILE)_/.test(code)) return undefined
  const token = tokenAt(line, place.column - 1)
  if (token === undefined) return undefined
  const before = line.slice(0, place.column - 1)
  const rest = line.slice(place.column - 1 + token.length)
  const key = /(?:^|[\s,{[])([\w$.-]+):\s+$/.exec(before)?.[1]
  const isKey = /^\s*:(?:\s|$)/.test(rest)
  const isShown = isKey
    ? message.includes(quoted(token))
    : isGiven(token, message, key) || isSwitch(token, code, key)
  if (!isShown && key === undefined) return undefined
  const isAlone = /^\s*(?:- +)*(?:[\w$.-]+:\s+)?$/.test(before)
  const start = `${isAlone ? '' : '… '}${key === undefined ? '' : `${key}: `}`
  const shown = isShown ? escapeInside(truncate(token, MAX_TOKEN)) : '…'
  return {
    code: `${start}${shown}${isKey ? keyEnd(rest) : valueEnd(rest)}`,
    marks: ' '.repeat(columnsOfText(start)) + '^'.repeat(Math.max(1, columnsOfText(shown)))
  }
}

/** The sign of YAML at an offset of a line, such as a bracket or a tab, and nothing else of the line. */
function syntaxExcerpt(line: string, offset: number): Excerpt | undefined {
  const sign = line.charAt(offset)
  if (!/^[[\]{}"'&*!|>%@`\t]$/.test(sign)) return undefined
  const start = line.slice(0, offset).trim() === '' ? '' : '… '
  const end = line.slice(offset + 1).trim() === '' ? '' : ' …'
  return { code: `${start}${sign === '\t' ? '⇥' : sign}${end}`, marks: `${start && '  '}^` }
}

/** The quoted or plain scalar at an offset of a line; undefined at anything else. */
function tokenAt(line: string, offset: number): string | undefined {
  const text = line.slice(offset)
  const pattern =
    /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>{}[\],][^\s:,{}[\]]*(?: [^\s:#,{}[\]]+)*)/
  return pattern.exec(text)?.[0]
}

/** True if the message gives the value: `got 5000`, `got "wpa2"`, `auth.type is "open" (declared)`. */
function isGiven(token: string, message: string, key: string | undefined): boolean {
  return [token, quoted(token)].some(text => {
    if (key !== undefined && message.includes(`${key} is ${text} (declared)`)) return true
    const got = `got ${text}`
    return message.endsWith(got) || [' ', ','].some(end => message.includes(got + end))
  })
}

/** True for a switch that a rule is about: such a field is known. */
function isSwitch(token: string, code: string, key = ''): boolean {
  const isOfRule = code === 'LINT' || code === 'RULE'
  return isOfRule && /^(?:true|false)$/.test(token) && !/pass|psk|secret|key|token/i.test(key)
}

/** A scalar as messages quote it. */
const quoted = (token: string) => JSON.stringify(token.replace(/^(["'])(.*)\1$/s, '$2'))

const keyEnd = (rest: string) => (/^\s*:\s*(?:#|$)/.test(rest) ? ':' : ': …')

const valueEnd = (rest: string) => (/^\s*(?:#|$)/.test(rest) ? '' : ' …')
