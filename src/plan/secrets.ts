import { type Field, wlanField } from '../fields/field.ts'
import { type Finding, finding, type Where } from '../model/finding.ts'
import { child, type Pointer, topLevelField } from '../model/pointer.ts'
import { isMasked, Secret } from '../model/secret.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { lostSecret, missingServerSecret } from './servers.ts'

/** An update that is about to be made: each part is a record, or some fields of one. */
export interface Update {
  readonly declared: ValueObject
  readonly live: ValueObject
  /** The fields that would be sent. */
  readonly body: ValueObject
}

/**
 * Why an update must not be sent for the sake of the secrets in its fields; undefined if it may.
 * Each field is replaced whole, so what is masked in the body destroys, and what is missing is lost.
 *
 * | finding         | the body                                                                   |
 * |-----------------|----------------------------------------------------------------------------|
 * | `SECRET_HIDDEN` | has the mask of a secret that nobody declared, or lacks one that is needed |
 * | `SECRET_MASKED` | has a declared secret whose value is itself a mask                         |
 * | `SECRET_LOST`   | has a new element in a list, without the secret that the others have       |
 *
 * What is declared as `null` or `""`, and an element that is no longer declared, may go.
 */
export function endangeredSecret(update: Update, where: Where): Finding | undefined {
  const { body } = update
  const hidden =
    mask(wlanField, body, update.declared) ?? missingSecret(update) ?? missingServerSecret(update)
  if (hidden !== undefined) return finding('SECRET_HIDDEN', where, hidden, topLevelField(hidden))
  const masked = declaredMask(body)
  if (masked !== undefined) return finding('SECRET_MASKED', where, masked)
  const lost = lostSecret(update)
  return lost && finding('SECRET_LOST', where, lost, topLevelField(lost))
}

/** A mask that would ride along, be it in a field that the schema does not have. */
function mask(
  field: Field,
  value: Value,
  declared: Value | undefined,
  at: Pointer = ''
): Pointer | undefined {
  if (value instanceof Secret) return '$live' in value.reference && !value.known ? at : undefined
  if (typeof value === 'string') {
    return declared === undefined && looksMasked(value, field) ? at : undefined
  }
  return firstBelow(value, at, (below, pointer, name) =>
    mask(belowField(field, value, name), below, partOf(declared, name), pointer)
  )
}

function belowField(field: Field, value: Value, name: string): Field {
  return isList(value) ? field.item() : field.member(name)
}

/** What is declared of a part; of a value that has no parts, all of it. */
function partOf(declared: Value | undefined, name: string): Value | undefined {
  if (isList(declared)) return declared[Number(name)]
  return isObject(declared) ? member(declared, name) : declared
}

/**
 * True for a text that stands for a secret although the schema knows of none there: the service grows,
 * and may hide more than we know. A lone `*` is a wildcard, and a text we know may hold asterisks.
 */
function looksMasked(text: string, field: Field): boolean {
  return field.known ? /^\*{2,}$/.test(text) : text !== '*' && isMasked(text)
}

/** A declared secret whose value was copied from where the service hides it. */
function declaredMask(value: Value, at: Pointer = ''): Pointer | undefined {
  if (value instanceof Secret) return value.known && isMasked(value.reveal()) ? at : undefined
  return firstBelow(value, at, declaredMask)
}

/** A secret that the authentication cannot do without, and that would be sent empty or not at all. */
function missingSecret({ live, body }: Update): Pointer | undefined {
  const auth = member(body, 'auth')
  if (!isObject(auth)) return undefined
  const type = member(auth, 'type')
  if (type === 'wep') return blank(member(auth, 'keys')) ? '/auth/keys' : undefined
  if (typeof type !== 'string' || !type.startsWith('psk')) return undefined
  const keysElsewhere =
    member(auth, 'multi_psk_only') === true || isOn(member({ ...live, ...body }, 'dynamic_psk'))
  return blank(member(auth, 'psk')) && !keysElsewhere ? '/auth/psk' : undefined
}

/** True for a feature that is switched on. */
export function isOn(feature: Value | undefined): boolean {
  return isObject(feature) && member(feature, 'enabled') === true
}

/** True where there is no secret; a hidden one is one. */
export function blank(value: Value | undefined): boolean {
  if (value instanceof Secret) return value.empty
  return isList(value) ? value.every(blank) : isEmpty(value)
}

function firstBelow(
  value: Value,
  at: Pointer,
  search: (value: Value, at: Pointer, name: string) => Pointer | undefined
): Pointer | undefined {
  const members = isList(value) || isObject(value) ? Object.entries(value) : []
  for (const [name, below] of members) {
    const found = search(below, child(at, name), name)
    if (found !== undefined) return found
  }
  return undefined
}
