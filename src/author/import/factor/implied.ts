import { agreesExactly } from '../../../core/diff/agree.ts'
import { type Field, wlanField } from '../../../core/schema/field.ts'
import { isUsed, readFrom } from '../../../core/schema/in-use.ts'
import { child, type Pointer } from '../../../core/values/pointer.ts'
import {
  fromEntries,
  holdsSecret,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'

/**
 * The fields with those members of `base` that an import leaves out, if the live record has them, or an absent
 * member has a documented default: so an exception to `true` is `false`, and not a field that nothing declares.
 * A value that differs from that of `base` is added only where it has an effect. `blocks`: also objects of
 * which `fields` has no member, such as the rates of a band that is off.
 */
export function withImplied(
  base: ValueObject,
  fields: ValueObject,
  record: ValueObject,
  { blocks = true } = {}
): ValueObject {
  const read = readFrom(record)
  return addImplied(base, fields, record, {
    field: wlanField,
    at: '',
    isUsed: at => isUsed(at, read),
    blocks
  })
}

interface Place {
  readonly field: Field
  readonly at: Pointer
  readonly isUsed: (at: Pointer) => boolean
  readonly blocks: boolean
}

function addImplied(
  base: ValueObject,
  fields: ValueObject,
  live: Value | undefined,
  { field, at, ...rest }: Place
): ValueObject {
  const added = Object.entries(base).flatMap(([name, value]): [string, Value][] => {
    const place = { field: field.member(name), at: child(at, name), ...rest }
    const declared = member(fields, name)
    const actual = isObject(live) ? (member(live, name) ?? undefined) : undefined
    if (declared === undefined) {
      const implied = impliedValue(value, actual, place)
      return implied === undefined ? [] : [[name, implied]]
    }
    if (!isObject(value) || !isObject(declared) || place.field.compare !== undefined) return []
    return [[name, addImplied(value, declared, actual, place)]]
  })
  return fromEntries([...Object.entries(fields), ...added])
}

/** `actual` is undefined for an absent value. The value of an object has all members of `base`, or is undefined. */
function impliedValue(base: Value, actual: Value | undefined, place: Place): Value | undefined {
  if (holdsSecret(base) || (actual !== undefined && holdsSecret(actual))) return undefined
  const { field, at, isUsed, blocks } = place
  const names = isObject(base) ? Object.keys(base) : []
  const isBlock = names.length > 0 && isObject(actual) && field.compare === undefined
  if (isBlock && isObject(base) && blocks) {
    const implied = addImplied(base, {}, actual, place)
    return names.every(name => Object.hasOwn(implied, name)) ? implied : undefined
  }
  const usual = field.default
  const implied = actual ?? usual
  if (implied === undefined) return undefined
  if (agreesExactly(field, base, implied)) return base
  const isDefault = usual !== undefined && agreesExactly(field, implied, usual)
  return isDefault && isUsed(at) ? usual : undefined
}
