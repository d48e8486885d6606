import { type Compare, type Field, wlanField } from '../core/schema/field.ts'
import { byCodeUnit, objectOf } from '../core/values/collections.ts'
import { steps } from '../core/values/pointer.ts'
import { isPsk, isServiceVariable } from '../core/values/secret.ts'
import { ssidProblem } from '../core/values/ssid.ts'
import { editAt, isList, isObject, member, type Value, valueAt } from '../core/values/value.ts'
import type { Json, JsonObject, WlanRecord } from './json.ts'
import type { Switches } from './switches.ts'

type Fields = Readonly<Record<string, Json | undefined>>

/**
 * The record after a PUT. Fields that the body omits stay; identity and read-only fields in it are ignored.
 *
 * | switch       | a top-level field of the body                                       |
 * |--------------|--------------------------------------------------------------------|
 * | (none)       | is replaced as a whole                                              |
 * | `merge`      | is merged into the stored one; lists are replaced                   |
 * | `normalise`  | is stored in an equivalent form                                     |
 * | `coupled`    | changes other fields, which win over those of the body              |
 * | `dropFields` | keeps its old value at these pointers                               |
 */
export function applyPut(before: WlanRecord, body: JsonObject, switches: Switches): WlanRecord {
  const { merge, normalise, coupled, dropFields } = switches
  const writable = Object.entries(body).filter(([name]) => !wlanField.member(name).readOnly)
  const sent = Object.fromEntries(writable)
  const stored: Fields = normalise
    ? { ...missingConsoleObjects(before), ...normaliseBody(sent) }
    : sent
  const written = merge ? mergeFields(before, stored) : stored
  const next = withoutUndefined({ ...before, ...written, ...coupledFields(sent, coupled) })
  return dropFields.reduce<Value>(
    (record, pointer) => editAt(record, steps(pointer), () => valueAt(before, pointer)) ?? record,
    next
  ) as WlanRecord
}

function missingConsoleObjects(before: WlanRecord): JsonObject {
  const entries = Object.entries(consoleObjects).filter(([name]) => !Object.hasOwn(before, name))
  return Object.fromEntries(entries)
}

function withoutUndefined(fields: Fields): JsonObject {
  return objectOf(Object.keys(fields), name => fields[name])
}

function mergeFields(before: JsonObject, fields: Fields): Fields {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, mergeValue(member(before, name), value)] as const
  )
  return Object.fromEntries(entries)
}

function mergeValue(before: Json | undefined, value: Json | undefined): Json | undefined {
  if (!isObject(before) || !isObject(value)) return value
  return withoutUndefined({ ...before, ...mergeFields(before, value) })
}

/** The fields that change because the body turns another one on. */
function coupledFields(body: JsonObject, coupled: Switches['coupled']): JsonObject {
  const followers = Object.entries(coupled).filter(([name]) => isOn(member(body, name)))
  return Object.fromEntries(followers.flatMap(([, fields]) => Object.entries(fields)))
}

function isOn(value: Json | undefined): boolean {
  if (isObject(value)) return member(value, 'enabled') !== false
  return value !== undefined && value !== null && value !== false
}

/**
 * The body of a PUT with each value in an equivalent form. The service does not document its normalization;
 * each of these has broken clients that compare literally.
 *
 * | declared                              | stored                     |
 * |---------------------------------------|----------------------------|
 * | `143` where a string is allowed       | `"143"`, and the reverse   |
 * | `["10", "20"]` of a comma list        | `"10,20"`, and the reverse |
 * | a list whose order does not matter    | sorted                     |
 * | `NONE` where case does not matter     | `none`, and the reverse    |
 * | `null` of a text or number            | `""`, and the reverse      |
 * | `null` or `[]` of a list or an object | nothing, at the top level  |
 */
export function normaliseBody(body: JsonObject): Readonly<Record<string, Json | undefined>> {
  const entries = Object.entries(body).map(([name, value]) => {
    const field = wlanField.member(name)
    return [name, isDropped(value, field) ? undefined : equivalent(value, field)] as const
  })
  return Object.fromEntries(entries)
}

/** The empty or disabled objects that the web console adds to records without them. */
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

const equivalents: Readonly<Record<Compare, (value: Json) => Json>> = {
  loose: value => {
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  },
  'comma-list': value => {
    if (isList(value)) return value.join(',')
    return typeof value === 'string' ? value.split(',').map(each => each.trim()) : value
  },
  'ignore-case': value => {
    if (typeof value !== 'string') return value
    return value === value.toLowerCase() ? value.toUpperCase() : value.toLowerCase()
  },
  set: value =>
    isList(value) ? value.toSorted((a, b) => byCodeUnit(sortKey(a), sortKey(b))) : value,
  whole: value => value
}

function equivalent(value: Json, field: Field): Json {
  if (value === null) return isContainer(field) ? null : ''
  if (value === '' && field.known) return null
  if (field.compare !== undefined) return equivalents[field.compare](value)
  if (isList(value)) return value.map(each => equivalent(each, field.item()))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(
    ([name, inner]) => [name, equivalent(inner, field.member(name))] as const
  )
  return Object.fromEntries(entries)
}

function isDropped(value: Json, field: Field): boolean {
  return isList(value) ? value.length === 0 : value === null && isContainer(field)
}

function isContainer(field: Field): boolean {
  return field.memberNames().length > 0 || field.item().known
}

function sortKey(value: Json): string {
  return JSON.stringify(value)
}

/** The problem of a value, or undefined; never quotes the value, which may be a secret. */
type Check = (value: Json) => string | undefined

const VLAN_VARIABLE = /^\{\{.+\}\}$/

/** The fields that the simulator checks; the service does not document its own rules. */
const fieldChecks: Readonly<Record<string, Check>> = {
  ssid: value => (typeof value === 'string' ? ssidProblem(value) : 'Not a valid string.'),
  enabled: value => (typeof value === 'boolean' ? undefined : 'Must be a valid boolean.'),
  vlan_id: value => (isVlanId(value) ? undefined : 'Must be from 1 to 4094.'),
  auth: value => (isObject(value) ? pskProblem(value) : 'Must be an object.')
}

/** The problems of a body by field; empty if the service accepts it. */
export function validateBody(body: JsonObject): Readonly<Record<string, string>> {
  return objectOf(Object.keys(fieldChecks), field => {
    const value = member(body, field)
    return value === undefined ? undefined : fieldChecks[field]?.(value)
  })
}

function isVlanId(value: Json): boolean {
  if (value === null || value === '') return true
  if (typeof value === 'string' && VLAN_VARIABLE.test(value)) return true
  if (typeof value !== 'number' && typeof value !== 'string') return false
  const id = Number(value)
  return Number.isInteger(id) && id >= 1 && id <= 4094
}

function pskProblem(auth: JsonObject): string | undefined {
  const psk = member(auth, 'psk')
  if (psk === undefined || psk === null || psk === '') return undefined
  return typeof psk === 'string' && (isPsk(psk) || isServiceVariable(psk))
    ? undefined
    : 'psk: 8 to 63 characters.'
}
