import { type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { listFirst, plural, quote } from '../model/text.ts'
import { isEmpty, isList, isObject, type Value } from '../model/value.ts'
import type { WlanView } from './view.ts'

/** A message shows the values of at most this many fields. */
const MAX_FIELDS = 5

/** A message shows at most this many entries of a list. */
const MAX_ENTRIES = 4

/**
 * The known fields with their values and origins, for a message: `auth.type is "eap" (declared)`. A secret
 * is shown as "set" or "not set". Strings from the service are quoted and truncated; the report escapes
 * them.
 */
export function describeFields(view: WlanView, fields: readonly Pointer[]): string {
  const known = fields.flatMap(pointer => {
    const value = view.written(pointer)
    if (value === undefined || (value instanceof Secret && view.value(pointer) === undefined))
      return []
    const isSecret = view.field(pointer).secret || view.field(pointer).item().secret
    return [`${describedName(pointer)} is ${describe(value, isSecret)} (${view.origin(pointer)})`]
  })
  return listFirst(known, MAX_FIELDS, 'fields')
}

/** Converts a pointer to the name of its field: `/auth/psk` to `auth.psk`. */
export function describedName(pointer: Pointer): string {
  return steps(pointer).join('.')
}

function describe(value: Value, isSecret: boolean): string {
  if (value instanceof Secret) return value.empty ? 'not set' : 'set'
  if (isSecret) return isEmpty(value) ? 'not set' : 'set'
  if (isEmpty(value)) return 'empty'
  if (isList(value)) return describeList(value)
  if (isObject(value)) return plural(Object.keys(value).length, 'entry').replace(/ys$/, 'ies')
  return typeof value === 'string' ? quote(value, 64) : String(value)
}

function describeList(list: readonly Value[]): string {
  if (list.some(entry => typeof entry === 'object' && entry !== null)) {
    return plural(list.length, 'element')
  }
  const texts = list.map(entry => (typeof entry === 'string' ? quote(entry, 64) : String(entry)))
  return `[${listFirst(texts, MAX_ENTRIES)}]`
}
