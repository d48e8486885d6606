import type { Finding } from '../../core/model/finding.ts'
import { truncate } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { columnsOfText } from '../layout.ts'

/** The maximum number of excerpts in one report. */
export const MAX_EXCERPTS = 20

/** The part of a line that a finding is about, and the marks below it. Both are escaped, and have no gutter. */
export interface Excerpt {
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
 * Any value may be a secret, whatever its key, so a value is shown only if the message gives it (`got …`), or if it is the switch
 * that a rule is about. Comments and other values of the line are not shown. Undefined if the line says nothing more than the message:
 * invalid YAML, whose keys may be parts of a value, and a file that could not be read.
 */
export function excerptOf(
  { code, message, place }: Pick<Finding, 'code' | 'message' | 'place'>,
  line: string
): Excerpt | undefined {
  if (place === undefined || /^(?:YAML|FILE)_/.test(code) || line.length > MAX_LINE)
    return undefined
  const token = tokenAt(line, place.column - 1)
  if (token === undefined) return undefined
  const before = line.slice(0, place.column - 1)
  const rest = line.slice(place.column - 1 + token.length)
  const key = /(?:^|[\s,{[])([\w$.-]+):\s+$/.exec(before)?.[1]
  const isKey = /^\s*:(?:\s|$)/.test(rest)
  const isShown = isKey
    ? message.includes(quoted(token))
    : isGiven(token, message) || isSwitch(token, code, key)
  if (!isShown && key === undefined) return undefined
  const isAlone = /^\s*(?:- +)*(?:[\w$.-]+:\s+)?$/.test(before)
  const start = `${isAlone ? '' : '… '}${key === undefined ? '' : `${key}: `}`
  const shown = isShown ? escapeInside(truncate(token, MAX_TOKEN)) : '…'
  return {
    code: `${start}${shown}${isKey ? keyEnd(rest) : valueEnd(rest)}`,
    marks: ' '.repeat(columnsOfText(start)) + '^'.repeat(Math.max(1, columnsOfText(shown)))
  }
}

/** The quoted or plain scalar at an offset of a line; undefined at anything else. */
function tokenAt(line: string, offset: number): string | undefined {
  const text = line.slice(offset)
  const pattern =
    /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>{}[\],][^\s:,{}[\]]*(?: [^\s:#,{}[\]]+)*)/
  return pattern.exec(text)?.[0]
}

/** True if the message gives the value: `got 5000`, `got "wpa2"`. */
function isGiven(token: string, message: string): boolean {
  return [token, quoted(token)].some(text => {
    const at = message.indexOf(`got ${text}`)
    return at !== -1 && !/^[\w.-]/.test(message.slice(at + 4 + text.length))
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
