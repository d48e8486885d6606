import { type Finding, finding, type Where } from '../model/finding.ts'
import { child, type Pointer, topLevelField } from '../model/pointer.ts'
import { isMasked, Secret } from '../model/secret.ts'
import { isList, isObject, member, type Value } from '../model/value.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { lostSecret, missingSecret, type Update } from './needed.ts'

/**
 * Why an update must not be sent for the sake of the secrets in its fields; undefined if it may.
 * Each field is replaced whole, so what is masked in the body destroys, and what is missing is lost.
 *
 * | finding         | the body                                                                   |
 * |-----------------|----------------------------------------------------------------------------|
 * | `SECRET_HIDDEN` | has the mask of a secret that nobody declared, or lacks one that is needed |
 * | `SECRET_MASKED` | has a declared secret whose value is itself a mask                         |
 * | `SECRET_LOST`   | has a new element in a list, without the secret of the one that goes       |
 *
 * What is declared as `null` or `""`, and an element that is no longer declared, may go.
 */
export function endangeredSecret(update: Update, where: Where): Finding | undefined {
  const { body } = update
  const hidden = mask(wlanField, body, update.declared) ?? missingSecret(update)
  if (hidden !== undefined) return finding('SECRET_HIDDEN', where, hidden, topLevelField(hidden))
  const masked = declaredMask(body)
  if (masked !== undefined) return finding('SECRET_MASKED', where, masked)
  const lost = lostSecret(update)
  if (lost !== undefined) return finding('SECRET_LOST', where, lost, topLevelField(lost))
  return undefined
}

/** A mask that would ride along, be it in a field that the schema does not have. */
function mask(
  field: Field,
  value: Value,
  declared: Value | undefined,
  at: Pointer = ''
): Pointer | undefined {
  if (value instanceof Secret) return value.hidden ? at : undefined
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
  const isPlain = field.known && !field.item().secret
  return isPlain ? /^(?:\*{2,}|[•●]{2,})$/u.test(text) : text !== '*' && isMasked(text)
}

/** A declared secret whose value was copied from where the service hides it. */
function declaredMask(value: Value, at: Pointer = ''): Pointer | undefined {
  if (value instanceof Secret) return value.known && isMasked(value.reveal()) ? at : undefined
  return firstBelow(value, at, declaredMask)
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
