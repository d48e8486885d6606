import { byCodeUnit } from '../../model/collections.ts'
import { type Compare, type Field, wlanField } from '../../schema/field.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts'

/**
 * The body of a PUT, each value in another form that means the same. What the service stores of a
 * value is not documented; each of these was seen to trouble clients that compare literally.
 *
 * | declared                              | stored                     |
 * |---------------------------------------|----------------------------|
 * | `143` where a string may stand        | `"143"`, and the reverse   |
 * | `["10", "20"]` of a comma list        | `"10,20"`, and the reverse |
 * | a list whose order does not matter    | sorted                     |
 * | `NONE` where case does not matter     | `none`, and the reverse    |
 * | `null` of a text or number            | `""`, and the reverse      |
 * | `null` or `[]` of a list or an object | nothing, at the top level  |
 */
export function normalised(body: JsonObject): Readonly<Record<string, Json | undefined>> {
  const entries = Object.entries(body).map(([name, value]) => {
    const field = wlanField.member(name)
    return [name, isNothing(value, field) ? undefined : otherForm(value, field)] as const
  })
  return Object.fromEntries(entries)
}

/** The objects that the web console adds, empty or disabled, where the record has none. */
export const consoleObjects: JsonObject = {
  airwatch: { enabled: false },
  app_limit: { enabled: false, apps: {}, wxtag_ids: {} },
  app_qos: { enabled: false, apps: {}, others: [] },
  bonjour: { enabled: false, additional_vlan_ids: [], services: {} },
  cisco_cwa: { enabled: false },
  hotspot20: { enabled: false },
  portal: { enabled: false },
  qos: {},
  radsec: { enabled: false },
  rateset: {},
  schedule: { enabled: false }
}

const forms: Readonly<Record<Compare, (value: Json) => Json>> = {
  loose: value => {
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  },
  'comma-list': value => {
    if (isJsonList(value)) return value.join(',')
    return typeof value === 'string' ? value.split(',').map(each => each.trim()) : value
  },
  'ignore-case': value => {
    if (typeof value !== 'string') return value
    return value === value.toLowerCase() ? value.toUpperCase() : value.toLowerCase()
  },
  set: value =>
    isJsonList(value) ? value.toSorted((a, b) => byCodeUnit(text(a), text(b))) : value,
  whole: value => value
}

function otherForm(value: Json, field: Field): Json {
  if (value === null) return isContainer(field) ? null : ''
  if (value === '' && field.known) return null
  if (field.compare !== undefined) return forms[field.compare](value)
  if (isJsonList(value)) return value.map(each => otherForm(each, field.item()))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, otherForm(inner, field.member(name))] as const
  )
  return Object.fromEntries(entries)
}

function isNothing(value: Json, field: Field): boolean {
  return isJsonList(value) ? value.length === 0 : value === null && isContainer(field)
}

function isContainer(field: Field): boolean {
  return field.memberNames().length > 0 || field.item().known
}

function text(value: Json): string {
  return JSON.stringify(value)
}
