import { byCodeUnit } from '../model/collections.ts'
import { child, type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isEmpty, isList, isObject, setAll, type Value, type ValueObject } from '../model/value.ts'
import { agrees } from '../plan/agree.ts'
import {
  type GuardField,
  guards,
  isMemberUsed,
  type ReadField,
  valueAtPath
} from '../schema/applicability.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { revealed, type SchemaError, wlanErrors } from '../schema/validate.ts'

/** The fields of a record to declare, and those that cannot be declared. */
export interface PickedFields {
  /** In the order of a file. */
  readonly fields: ValueObject
  /** Fields that are not in the schema. */
  readonly unknown: readonly Pointer[]
  /** Fields whose value a file cannot declare. */
  readonly undeclarable: readonly Pointer[]
}

/**
 * Selects the fields of a live record that are worth declaring.
 *
 * | the value                                   | is declared                              |
 * |---------------------------------------------|------------------------------------------|
 * | is read-only                                | never                                    |
 * | is of a field that is not in the schema     | never: the loader would reject it        |
 * | has no effect: its block is switched off, or the type of authentication does not use it | never |
 * | is of a guard field                         | always; an absent one by its default     |
 * | is empty, or the documented default         | with `all`                               |
 * | is of a field for old records only          | with `all`                               |
 * | does not survive a round trip through YAML  | never                                    |
 * | is an item of a list                        | with its list, since its index counts    |
 */
export function pickFields(record: ValueObject, all: boolean): PickedFields {
  const read: ReadField = path => valueAtPath(record, path)
  const applicable = guards().filter(guard => guard.isApplicable(read))
  const picker = new FieldPicker(all, read, applicable)
  const fields = withAbsentGuards(picker.object(wlanField, record, '') ?? {}, record, applicable)
  return { fields, unknown: picker.unknown, undeclarable: picker.undeclarable }
}

/** Adds the guard fields that the live record lacks, with the meaning of their absence. */
function withAbsentGuards(
  fields: ValueObject,
  record: ValueObject,
  applicable: readonly GuardField[]
): ValueObject {
  const absent = applicable.flatMap(({ path, whenAbsent }) =>
    whenAbsent !== undefined && isAbsent(record, path) ? [[path, whenAbsent] as const] : []
  )
  if (absent.length === 0) return fields
  return inFileOrder(wlanField, setAll(fields, absent))
}

/** True for a field that is null or absent, in an object that may be absent, too. */
function isAbsent(record: ValueObject, path: readonly string[]): boolean {
  const value = valueAtPath(record, path)
  const block = valueAtPath(record, path.slice(0, -1))
  return (value === undefined || value === null) && (isObject(block) || isEmpty(block))
}

/** The members of an object and of the objects in it, sorted. */
function inFileOrder(field: Field, object: ValueObject): ValueObject {
  const members = Object.entries(object).map(([name, value]): [string, Value] => {
    const member = field.member(name)
    const isBlock = isObject(value) && member.memberNames().length > 0
    return [name, isBlock ? inFileOrder(member, value) : value]
  })
  return Object.fromEntries(sortFields(field, members))
}

class FieldPicker {
  readonly unknown: Pointer[] = []
  readonly undeclarable: Pointer[] = []
  readonly #all: boolean
  readonly #read: ReadField
  /** The guard fields that have an effect. */
  readonly #guards: ReadonlySet<Pointer>

  /** `read` reads the record that the fields are picked from; `applicable` are its guard fields. */
  constructor(all: boolean, read: ReadField, applicable: readonly GuardField[]) {
    this.#all = all
    this.#read = read
    this.#guards = new Set(applicable.map(({ pointer }) => pointer))
  }

  /** The members worth declaring; undefined if there are none. */
  object(field: Field, object: ValueObject, at: Pointer): ValueObject | undefined {
    const members: [string, Value][] = []
    for (const [name, value] of Object.entries(object)) {
      if (!isMemberUsed(field, at, name, this.#read)) continue
      const kept = this.#member(field.member(name), name, value, at)
      if (kept !== undefined) members.push([name, kept])
    }
    return members.length === 0 ? undefined : Object.fromEntries(sortFields(field, members))
  }

  /** `above` is the pointer of the object with the member. */
  #member(field: Field, name: string, value: Value, above: Pointer): Value | undefined {
    if (field.readOnly) return undefined
    if (!field.known) {
      this.unknown.push(child(above, name))
      return undefined
    }
    const at = child(above, name)
    if (!this.#isWorthDeclaring(field, value, at)) return undefined
    if (isAllowedKey(name)) return this.#value(field, value, at)
    this.undeclarable.push(at)
    return undefined
  }

  /** A guard field that is null is declared by its default, like an absent one. */
  #isWorthDeclaring(field: Field, value: Value, at: Pointer): boolean {
    if (this.#guards.has(at)) return value !== null || this.#all
    return this.#all || !(field.deprecated || isEmpty(value) || isDefault(field, value))
  }

  #value(field: Field, value: Value, at: Pointer): Value | undefined {
    if (value instanceof Secret) return this.#secret(value)
    if (isEmpty(value)) return value
    if (field.compare !== undefined || !(isList(value) || isObject(value))) {
      if (roundTrips(value)) return value
      this.undeclarable.push(at)
      return undefined
    }
    return isList(value) ? this.#list(field.item(), value, at) : this.object(field, value, at)
  }

  #secret(secret: Secret): Value | undefined {
    if (!secret.empty) return secret
    return this.#all ? '' : undefined
  }

  /** A list keeps all of its items; an item that is an object may lose members. */
  #list(item: Field, list: readonly Value[], at: Pointer): Value | undefined {
    const items = list.map((value, place) => {
      if (value instanceof Secret) return value.empty ? '' : value
      if (isObject(value)) return this.object(item, value, child(at, place)) ?? {}
      return this.#value(item, value, child(at, place))
    })
    return items.every(value => value !== undefined) ? items : undefined
  }
}

/** True if the service treats an absent field as having this value. */
function isDefault(field: Field, value: Value): boolean {
  if (field.default === undefined) return false
  if (value === field.default) return true
  return agrees(field, value, field.default as Value, '', { notCompared: [] })
}

/**
 * The order of the fields of a WLAN in a file: name, authentication, network, then one topic per line. Other
 * fields follow by name.
 */
const fieldTopics: readonly (readonly string[])[] = [
  ['ssid'],
  ['auth', 'dynamic_psk', 'mist_nac'],
  ['vlan_enabled', 'vlan_id', 'vlan_pooling', 'vlan_ids', 'dynamic_vlan'],
  ['interface', 'mxtunnel_ids', 'mxtunnel_name', 'wxtunnel_id', 'wxtunnel_remote_id'],
  ['enabled', 'hide_ssid', 'apply_to', 'ap_ids', 'wxtag_ids', 'schedule'],
  ['bands', 'band_steer', 'band_steer_force_band5', 'rateset', 'dtim', 'max_num_clients'],
  ['roam_mode', 'enable_local_keycaching', 'max_idletime'],
  ['auth_servers', 'auth_server_selection', 'auth_servers_timeout', 'auth_servers_retries'],
  ['auth_servers_nas_id', 'auth_servers_nas_ip', 'fast_dot1x_timers', 'use_eapol_v1'],
  ['acct_servers', 'acct_interim_interval', 'acct_immediate_update', 'coa_servers', 'radsec'],
  ['isolation', 'l2_isolation', 'block_blacklist_clients', 'no_static_ip', 'no_static_dns'],
  ['limit_bcast', 'allow_mdns', 'allow_ssdp', 'allow_ipv6_ndp', 'bonjour', 'arp_filter'],
  ['portal', 'portal_allowed_hostnames', 'portal_allowed_subnets', 'portal_denied_hostnames'],
  ['portal_api_secret'],
  ['qos', 'app_qos', 'app_limit'],
  ['wlan_limit_up_enabled', 'wlan_limit_up', 'wlan_limit_down_enabled', 'wlan_limit_down'],
  ['client_limit_up_enabled', 'client_limit_up', 'client_limit_down_enabled', 'client_limit_down']
]

/** The names of the table; a test compares them with the schema. */
export const orderedFields: readonly string[] = fieldTopics.flat()

const ranks = new WeakMap<Field, ReadonlyMap<string, number>>()

/** Sorts the members of an object in the order of a file. */
export function sortFields<Member extends readonly [name: string, ...rest: unknown[]]>(
  field: Field,
  members: readonly Member[]
): Member[] {
  const rank = ranksOf(field)
  const place = (name: string) => rank.get(name) ?? rank.size
  return [...members].sort(([a], [b]) => place(a) - place(b) || byCodeUnit(a, b))
}

/** The only nested object whose schema order is unsuitable. */
const portalField = wlanField.member('portal')

function ranksOf(field: Field): ReadonlyMap<string, number> {
  const known = ranks.get(field)
  if (known !== undefined) return known
  const names = field === wlanField ? orderedFields : field.memberNames()
  const firsts = field === portalField ? ['enabled', 'auth'] : []
  const positions = new Map([...new Set([...firsts, ...names])].map((name, place) => [name, place]))
  ranks.set(field, positions)
  return positions
}

/** Keys that no file may use, because they access a prototype or have a meaning in YAML. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '<<'])

/** YAML limits the distance between a key and its colon to this number of characters. */
const MAX_KEY_LENGTH = 1024

/**
 * The maximum number of keys in a map and of values in a WLAN: below the loader's limits, which also count
 * profiles.
 */
const MAX_KEYS = 5000
const MAX_VALUES = 4000

/** True for a name that may be a key in a file. */
export function isAllowedKey(name: string): boolean {
  return !name.startsWith('$') && !FORBIDDEN_KEYS.has(name) && name.length < MAX_KEY_LENGTH / 8
}

/** True for a value that survives a round trip: no number loses digits, every key is allowed. */
export function roundTrips(value: Value): boolean {
  if (typeof value === 'number') {
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  }
  if (isList(value)) return value.every(roundTrips)
  if (!isObject(value)) return true
  const members = Object.entries(value)
  return (
    members.length <= MAX_KEYS &&
    members.every(([name, inner]) => isAllowedKey(name) && roundTrips(inner))
  )
}

/** True if the fields have more values than a WLAN may have. */
export function isTooLarge(fields: ValueObject): boolean {
  return countValues(fields) > MAX_VALUES
}

function countValues(value: Value): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countValues(item), 1)
  if (!isObject(value)) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
}

/**
 * The fields that the schema accepts, and the pointers of those that it rejects: the service has a value that
 * is not allowed, or the schema is wrong. Values that compare as a whole are removed completely.
 */
export function withoutInvalid(fields: ValueObject): {
  readonly fields: ValueObject
  readonly refused: readonly Pointer[]
} {
  const refused: Pointer[] = []
  let fit = fields
  for (;;) {
    const errors = wlanErrors(revealed(fit)).filter(isRefusal)
    if (errors.length === 0) return { fields: fit, refused }
    for (const at of new Set(errors.map(({ pointer }) => smallestRemovable(pointer)))) {
      refused.push(at)
      fit = without(fit, steps(at))
    }
  }
}

/** Other errors are warnings of the loader. */
function isRefusal(error: SchemaError): boolean {
  return error.kind !== 'deprecated' && !(error.kind === 'pattern' && error.lenient)
}

/** The list or map around a pointer that is compared as a whole, or else the pointer itself. */
function smallestRemovable(pointer: Pointer): Pointer {
  let field: Field = wlanField
  let at: Pointer = ''
  for (const step of steps(pointer)) {
    field = field.member(step)
    at = child(at, step)
    if (field.compare !== undefined || field.item().known) return at
  }
  return at
}

function without(object: ValueObject, [step = '', ...rest]: readonly string[]): ValueObject {
  const members = Object.entries(object).flatMap(([name, value]): [string, Value][] => {
    if (name !== step) return [[name, value]]
    if (rest.length === 0 || !isObject(value)) return []
    const inner = without(value, rest)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(members)
}
