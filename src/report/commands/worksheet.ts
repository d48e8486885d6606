import type { Site } from '../../core/model/desired.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { quote } from '../../core/values/text.ts'
import { isList, isObject, type Value, type ValueObject } from '../../core/values/value.ts'
import { escapeText } from '../escape.ts'
import { formatValue, isSecret } from '../fields/format-value.ts'
import { formatTable, styleOf, wrapText } from '../layout.ts'
import type { RenderOptions } from '../report.ts'

/** A declared WLAN for manual configuration, e.g. because wlanctl does not create WLANs. */
interface Worksheet {
  readonly site: Site
  readonly wlan: { readonly address: string; readonly fields: ValueObject }
}

/** The purpose of a field in a few words; empty if it is not documented. */
type DescribeField = (pointer: Pointer) => string

const NEXT =
  'Settings that are not listed stay at their defaults. `wlanctl plan` then shows what still differs.'

interface Setting {
  readonly pointer: Pointer
  /** The pointer as a person reads it: `auth_servers #2 host`. */
  readonly name: string
  readonly value: Value
}

/** The settings of WLANs as text: a line for each value, lists of objects element by element. */
export function worksheetText(
  worksheets: readonly Worksheet[],
  describe: DescribeField,
  options: RenderOptions
): string {
  const { width } = options
  const { strong, faint } = styleOf(options)
  const blocks = worksheets.map(({ site, wlan: { address, fields } }) => {
    const settings = settingsOf(fields, '', '')
    const table = formatTable(
      settings.map(({ name, value, pointer }) => [
        escapeText(name),
        formatValue(value),
        faint(describe(pointer))
      ]),
      width,
      '    '
    )
    const name = `${strong(escapeText(address))}  site ${escapeText(quote(site.name))}, ${site.id}`
    return [...wrapText(name, width, '', '  '), ...table].map(line => `${line}\n`).join('')
  })
  return `${blocks.join('\n')}\n${wrapText(NEXT, width).join('\n')}\n`
}

function settingsOf(value: Value, pointer: Pointer, name: string): Setting[] {
  const members = isSecret(value) ? [] : membersOf(value)
  if (members.length === 0) return [{ pointer, name, value }]
  return members.flatMap(([key, below]) =>
    settingsOf(
      below,
      child(pointer, key),
      isList(value) ? elementName(name, key) : memberName(name, key)
    )
  )
}

function membersOf(value: Value): (readonly [string, Value])[] {
  if (isObject(value)) return Object.entries(value)
  if (!isList(value) || !value.every(each => isObject(each) && !isSecret(each))) return []
  return value.map((each, at) => [String(at), each] as const)
}

/** `auth_servers #2`: people count from one. */
function elementName(list: string, index: string): string {
  return `${list} #${Number(index) + 1}`
}

/** `auth_servers #2 host`, `rateset.24`. */
function memberName(object: string, key: string): string {
  if (object === '') return key
  return `${object}${/ #\d+$/.test(object) ? ' ' : '.'}${key}`
}
