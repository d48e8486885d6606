import { child, type Pointer, steps } from '../model/pointer.ts'
import { below, isEmpty, member, type Value, type ValueObject } from '../model/value.ts'
import { type Field, fieldAt, wlanField } from './field.ts'

/** The names on the path to a field. */
export type FieldPath = readonly string[]

/** Returns the value of a field of one WLAN; undefined or null if it is absent. */
export type ReadField = (path: FieldPath) => Value | undefined

/** True if the other fields of a WLAN let a field have an effect. */
type Requirement = (read: ReadField) => boolean

/** The value at a path; undefined if there is none. */
export function valueAtPath(value: Value | undefined, path: FieldPath): Value | undefined {
  return path.reduce(below, value)
}

function valueIs(at: Pointer, test: (value: unknown) => boolean): Requirement {
  const path = steps(at)
  const usual = fieldAt(at).default
  return read => {
    const value = read(path)
    return test(isEmpty(value) ? usual : value)
  }
}

function isOn(at: Pointer): Requirement {
  return valueIs(at, value => value === true)
}

const KNOWN_TYPES = new Set<unknown>([
  ...['open', 'wep', 'psk', 'psk-tkip', 'psk-wpa2-tkip', 'eap', 'eap192']
])

/** A type that a later version of the service adds may use every field. */
function isType(...types: readonly string[]): Requirement {
  const wanted = new Set<unknown>(types)
  return valueIs('/auth/type', type => wanted.has(type) || !KNOWN_TYPES.has(type))
}

function either(...requirements: readonly Requirement[]): Requirement {
  return read => requirements.some(isMet => isMet(read))
}

const usesPsk = isType('psk', 'psk-tkip', 'psk-wpa2-tkip')
const usesEap = isType('eap', 'eap192')
const readsKeysFromRadius = valueIs('/dynamic_psk/source', source => source === 'radius')
const usesKeysOfUsers = isOn('/dynamic_psk/enabled')

/** RADIUS authenticates users (802.1X), MAC addresses, the keys of users, or guests (CWA). */
const usesRadius = either(
  usesEap,
  isOn('/auth/enable_mac_auth'),
  read => usesPsk(read) && usesKeysOfUsers(read) && readsKeysFromRadius(read),
  isOn('/cisco_cwa/enabled')
)

const RADIUS_FIELDS = [
  ...['auth_servers', 'auth_server_selection', 'auth_servers_timeout', 'auth_servers_retries'],
  ...['auth_servers_nas_id', 'auth_servers_nas_ip', 'fast_dot1x_timers'],
  ...['acct_servers', 'acct_interim_interval', 'acct_immediate_update', 'coa_servers'],
  ...['radsec', 'mist_nac', 'dynamic_vlan', 'disable_message_authenticator_check']
]

/**
 * The fields that some authentication types do not use, including all fields below them. The source is the
 * service's API description ("needs type psk").
 */
const requirements: ReadonlyMap<Pointer, Requirement> = new Map([
  ['/auth/psk', usesPsk],
  ['/auth/multi_psk_only', usesPsk],
  ['/auth/private_wlan', usesPsk],
  ['/auth/anticlog_threshold', usesPsk],
  ['/dynamic_psk', usesPsk],
  ['/auth/pairwise', isType('psk', 'eap')],
  ['/auth/owe', isType('open')],
  ['/auth/eap_reauth', usesEap],
  ['/auth/wep_as_secondary_auth', usesEap],
  ['/auth/keys', either(isType('wep'), isOn('/auth/wep_as_secondary_auth'))],
  ['/auth/key_idx', either(isType('wep'), isOn('/auth/wep_as_secondary_auth'))],
  ...RADIUS_FIELDS.map(name => [`/${name}`, usesRadius] as const)
])

/** The fields that have no effect until another one is true. */
const switches: ReadonlyMap<Pointer, Requirement> = new Map([
  ['/vlan_id', isOn('/vlan_enabled')],
  ['/vlan_ids', isOn('/vlan_enabled')],
  ['/l2_isolation', isOn('/isolation')]
])

/** True if the authentication type uses a field, and no block that contains it is switched off. */
export function isUsed(at: Pointer, read: ReadField): boolean {
  return requirementsOf(at).every(isMet => isMet(read))
}

function requirementsOf(at: Pointer): Requirement[] {
  const found: Requirement[] = []
  let object: Field = wlanField
  let pointer: Pointer = ''
  for (const step of steps(at)) {
    found.push(...requirementsOfMember(object, pointer, step))
    object = object.member(step)
    pointer = child(pointer, step)
  }
  return found
}

/** The requirements of a member itself, without those of its object. */
function requirementsOfMember(object: Field, at: Pointer, name: string): Requirement[] {
  const own = requirements.get(child(at, name))
  const isSwitched = at !== '' && name !== 'enabled' && object.member('enabled').known
  return [...(own ? [own] : []), ...(isSwitched ? [isOn(child(at, 'enabled'))] : [])]
}

/** A guard field, prepared for checking many WLANs. */
export interface GuardField {
  readonly pointer: Pointer
  readonly path: FieldPath
  /** The path of the object that contains it, and its name in that object. */
  readonly block: FieldPath
  readonly name: string
  readonly field: Field
  /**
   * The value that declares an absent field without changing it: the documented default, or an empty value;
   * undefined if the schema allows neither.
   */
  readonly whenAbsent: Value | undefined
  readonly needs: readonly Requirement[]
  /** True if the field has an effect on a WLAN with these values. */
  isApplicable(read: ReadField): boolean
}

/** The values that declare the absence of guard fields without a documented default. */
const absences: ReadonlyMap<Pointer, Value> = new Map<Pointer, Value>([
  ['/radsec/enabled', false],
  ['/radsec/servers', []],
  ['/auth_servers', []],
  ['/vlan_id', null],
  ['/vlan_ids', []]
])

/**
 * The guard fields, in the order of the schema. Lists are replaced as a whole, so a guarded member of an
 * element is represented by its list: `/auth_servers` for the hosts of the servers.
 *
 * The first call traverses the whole schema.
 */
export function guardFields(): readonly Pointer[] {
  foundFields ??= guardsBelow(wlanField, '')
  return foundFields
}

let foundFields: readonly Pointer[] | undefined

function guardsBelow(field: Field, at: Pointer): Pointer[] {
  const item = field.item()
  if (field.guard || item.memberNames().some(name => item.member(name).guard)) return [at]
  return field.memberNames().flatMap(name => guardsBelow(field.member(name), child(at, name)))
}

/** All guard fields, in the order of the schema. */
export function guards(): readonly GuardField[] {
  preparedGuards ??= guardFields().map(guardAt)
  return preparedGuards
}

let preparedGuards: readonly GuardField[] | undefined

function guardAt(pointer: Pointer): GuardField {
  const field = fieldAt(pointer)
  const path = steps(pointer)
  const needs = [...requirementsOf(pointer), ...[switches.get(pointer) ?? []].flat()]
  return {
    pointer,
    path,
    block: path.slice(0, -1),
    name: path.at(-1) ?? '',
    field,
    whenAbsent: (field.default as Value | undefined) ?? absences.get(pointer),
    needs,
    isApplicable: read => needs.every(isMet => isMet(read))
  }
}

/** The fields of one record that have an effect; each requirement is evaluated once. */
export class UsedFields {
  readonly #read: ReadField
  readonly #met = new Map<Requirement, boolean>()

  constructor(record: ValueObject) {
    this.#read = path => valueAtPath(record, path)
  }

  /** True if the authentication type uses a field of an object that is itself used. */
  has(field: Field): boolean {
    ownRequirements ??= new Map([...requirements].map(([at, own]) => [fieldAt(at), own]))
    const own = ownRequirements.get(field)
    return own === undefined || this.#isMet(own)
  }

  /** The guard fields that have an effect, in the order of the schema. */
  guards(): GuardField[] {
    return guards().filter(({ needs }) => needs.every(need => this.#isMet(need)))
  }

  #isMet(requirement: Requirement): boolean {
    const known = this.#met.get(requirement)
    if (known !== undefined) return known
    const isMet = requirement(this.#read)
    this.#met.set(requirement, isMet)
    return isMet
  }
}

let ownRequirements: ReadonlyMap<Field, Requirement> | undefined

/** False for an object that its own `enabled`, or the documented default of that, switches off. */
export function isSwitchedOn(field: Field, object: ValueObject): boolean {
  const { known, default: usual } = field.member('enabled')
  if (!known) return true
  const enabled = member(object, 'enabled')
  return (isEmpty(enabled) ? usual : enabled) === true
}
