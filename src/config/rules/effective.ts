import { Secret } from '../../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'

/** What stands for a secret where rules look: the same for all of them, known or not. */
const MASK = '(secret)'

/** A WLAN as rules see it. */
export interface Effective {
  /** Plain JSON. */
  readonly value: ValueObject
  /** The values in it. */
  readonly size: number
  /** The characters of its texts. */
  readonly characters: number
}

/** The declared fields of a WLAN, profiles and variables resolved, and no secret among them. */
export function effective(fields: ValueObject): Effective {
  const count = { size: 1, characters: 0 }
  return { value: members(fields, wlanField, count), ...count }
}

interface Count {
  size: number
  characters: number
}

function members(object: ValueObject, field: Field, count: Count): ValueObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, shown(value, field.member(name), count)])
  )
}

function shown(value: Value, field: Field, count: Count): Value {
  count.size += 1
  if (isList(value)) return value.map(item => shown(item, field.item(), count))
  if (isObject(value)) return members(value, field, count)
  if (typeof value === 'string') count.characters += value.length
  return value instanceof Secret || (field.secret && value !== null && value !== '') ? MASK : value
}
