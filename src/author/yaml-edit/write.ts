import { Secret } from '../../core/values/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../../core/values/value.ts'
import { blockScalar, textScalar } from './scalar.ts'

/** The maximum width of a line with a flow collection and its key, in columns. */
const FLOW_WIDTH = 80

const MAX_FLOW_MEMBERS = 2

/**
 * A map as lines of YAML: a member per line, short lists and maps in flow style, multi-line texts as block
 * scalars. A secret is written as its reference.
 *
 *     auth:
 *       type: psk
 *       psk: { $env: WLAN_SECRET_HQ_GUEST_PSK }
 *     bands: ["24", "5"]
 */
export function mapLines(map: ValueObject, indent: number): string[] {
  const lines: string[] = []
  addMap(map, indent, lines)
  return lines
}

export function memberLines(name: string, value: Value, indent: number): string[] {
  const lines: string[] = []
  addValue(`${' '.repeat(indent)}${textScalar(name)}:`, value, indent, lines)
  return lines
}

/** An item of a list as lines; a map starts on the line of the dash. */
export function itemLines(item: Value, indent: number): string[] {
  const lines: string[] = []
  addItem(item, indent, lines)
  return lines
}

/** The maximum width of a line in a list of maps, in columns. */
const ITEM_WIDTH = 120

/** An item of a list on one line, or with a line for the member `alone`, or with a line for each value. */
export function shortItem(item: ValueObject, alone: string): string[] {
  const line = `  - ${flowText(item)}`
  if (line.length <= ITEM_WIDTH) return [line]
  const [id = '', ...others] = Object.entries(item).map(([name, value]) => {
    return `${name}: ${flowText(value)}`
  })
  const lines = [`  - { ${id}`]
  for (const text of others) {
    const longer = `${lines.at(-1)}, ${text}`
    // Two columns are for the closing brace, or for a comma.
    if (longer.length + 2 <= ITEM_WIDTH && !text.startsWith(`${alone}:`))
      lines.splice(-1, 1, longer)
    else lines.push(`      ${text}`)
  }
  const short = lines.map((each, n) => each + (n < lines.length - 1 ? ',' : ' }'))
  return short.every(({ length }) => length <= ITEM_WIDTH) ? short : itemLines(item, 2)
}

export function flowText(value: Value): string {
  if (value instanceof Secret) return flowText(value.reference)
  if (isList(value)) return `[${value.map(flowText).join(', ')}]`
  if (!isObject(value)) return typeof value === 'string' ? textScalar(value) : number(value)
  const members = Object.entries(value).map(
    ([name, below]) => `${textScalar(name)}: ${flowText(below)}`
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function addMap(map: ValueObject, indent: number, lines: string[]): void {
  const pad = ' '.repeat(indent)
  for (const [name, value] of Object.entries(map)) {
    addValue(`${pad}${textScalar(name)}:`, value, indent, lines)
  }
}

/** Adds the value after `head`, which ends with a colon or a dash; lines below are indented further. */
function addValue(head: string, value: Value, indent: number, lines: string[]): void {
  if (!isNonEmpty(value)) addScalar(head, value, indent, lines)
  else {
    const line = isShort(value) ? `${head} ${flowText(value)}` : undefined
    if (line !== undefined && line.length <= FLOW_WIDTH) lines.push(line)
    else {
      lines.push(head)
      if (!isList(value)) addMap(value, indent + 2, lines)
      else for (const item of value) addItem(item, indent + 2, lines)
    }
  }
}

function addScalar(head: string, value: Value, indent: number, lines: string[]): void {
  const block = typeof value === 'string' ? blockScalar(value) : undefined
  if (block === undefined) lines.push(`${head} ${flowText(value)}`)
  else {
    const pad = ' '.repeat(indent + 2)
    lines.push(`${head} ${block.head}`)
    for (const line of block.lines) lines.push(line === '' ? '' : pad + line)
  }
}

function addItem(item: Value, indent: number, lines: string[]): void {
  const dash = `${' '.repeat(indent)}-`
  const first = lines.length
  if (!isNonEmpty(item) || isList(item)) addValue(dash, item, indent, lines)
  else {
    addMap(item, indent + 2, lines)
    lines[first] = `${dash} ${(lines[first] ?? '').slice(indent + 2)}`
  }
}

function isNonEmpty(value: Value): value is readonly Value[] | ValueObject {
  if (isList(value)) return value.length > 0
  return isObject(value) && !isReference(value) && Object.keys(value).length > 0
}

function isShort(value: readonly Value[] | ValueObject): boolean {
  const parts = Object.values(value)
  if (isList(value)) return parts.every(part => !isNonEmpty(part))
  return parts.length <= MAX_FLOW_MEMBERS && parts.every(isPlainScalar)
}

function isPlainScalar(value: Value): boolean {
  return !(value instanceof Secret || isList(value) || isObject(value))
}

function isReference(value: Value): boolean {
  if (!isObject(value)) return false
  const names = Object.keys(value)
  return names.length === 1 && names.every(name => name.startsWith('$'))
}

/** Numbers, booleans and null have the same form in JSON and YAML; `-0` becomes `0`. */
function number(value: null | boolean | number): string {
  return String(value === 0 ? 0 : value)
}
