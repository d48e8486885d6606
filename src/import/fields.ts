import { child, type Pointer } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isEmpty, isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { agrees } from '../plan/agree.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { isKept, isKey } from './fit.ts'
import { orderFields } from './order.ts'

/** What of a record goes into a file, and what cannot. */
export interface Picked {
  /** In the order in which a person would write them. */
  readonly fields: ValueObject
  /** Fields that the schema does not have. */
  readonly unknown: readonly Pointer[]
  /** Fields whose value no file can declare. */
  readonly unfit: readonly Pointer[]
}

/**
 * Picks the fields of a live record that are worth declaring.
 *
 * | the value                                   | is declared                              |
 * |---------------------------------------------|------------------------------------------|
 * | is kept by the service itself               | never                                    |
 * | is of a field that the schema does not have | never: the loader would refuse it        |
 * | is empty, or the documented default         | with `all`                               |
 * | is of a field for old records only          | with `all`                               |
 * | cannot be written so that it is read back   | never                                    |
 * | is an item of a list                        | with its list, since its place counts    |
 */
export function pickFields(record: ValueObject, all: boolean): Picked {
  const picker = new Picker(all)
  const fields = picker.object(wlanField, record, '') ?? {}
  return { fields, unknown: picker.unknown, unfit: picker.unfit }
}

class Picker {
  readonly unknown: Pointer[] = []
  readonly unfit: Pointer[] = []
  readonly #all: boolean

  constructor(all: boolean) {
    this.#all = all
  }

  /** The members worth declaring; undefined if there are none. */
  object(field: Field, object: ValueObject, at: Pointer): ValueObject | undefined {
    const members: [string, Value][] = []
    for (const [name, value] of Object.entries(object)) {
      const kept = this.#member(field.member(name), name, value, at)
      if (kept !== undefined) members.push([name, kept])
    }
    return members.length === 0 ? undefined : Object.fromEntries(orderFields(field, members))
  }

  /** `above` is where the object is that has the member. */
  #member(field: Field, name: string, value: Value, above: Pointer): Value | undefined {
    if (field.readOnly) return undefined
    if (!field.known) {
      this.unknown.push(child(above, name))
      return undefined
    }
    if (!this.#all && (field.deprecated || isEmpty(value) || isDefault(field, value)))
      return undefined
    if (isKey(name)) return this.#value(field, value, child(above, name))
    this.unfit.push(child(above, name))
    return undefined
  }

  #value(field: Field, value: Value, at: Pointer): Value | undefined {
    if (value instanceof Secret) return this.#secret(value)
    if (isEmpty(value)) return value
    if (field.compare !== undefined || !(isList(value) || isObject(value))) {
      if (isKept(value)) return value
      this.unfit.push(at)
      return undefined
    }
    return isList(value) ? this.#list(field.item(), value, at) : this.object(field, value, at)
  }

  #secret(secret: Secret): Value | undefined {
    if (!secret.empty) return secret
    return this.#all ? '' : undefined
  }

  /** A list lacks none of its items; of one that is an object it may be a part. */
  #list(item: Field, list: readonly Value[], at: Pointer): Value | undefined {
    const items = list.map((value, place) => {
      if (value instanceof Secret) return value.empty ? '' : value
      if (isObject(value)) return this.object(item, value, child(at, place)) ?? {}
      return this.#value(item, value, child(at, place))
    })
    return items.every(value => value !== undefined) ? items : undefined
  }
}

/** True if the service takes a field that is absent for just this value. */
function isDefault(field: Field, value: Value): boolean {
  if (field.default === undefined) return false
  if (value === field.default) return true
  return agrees(field, value, field.default as Value, '', { notCompared: [] })
}
