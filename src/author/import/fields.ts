import { agrees, isAbsent } from '../../core/diff/agree.ts'
import { type Field, fieldIn, wlanField } from '../../core/schema/field.ts'
import { sortFields } from '../../core/schema/field-order.ts'
import {
  type GuardField,
  isSwitchedOn,
  readFrom,
  UsedFields,
  valueAtPath
} from '../../core/schema/in-use.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { Secret } from '../../core/values/secret.ts'
import {
  editAt,
  fromEntries,
  isEmpty,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../core/values/value.ts'
import { limits } from '../../fleet/limits.ts'
import { keyProblem, numberProblem } from '../../fleet/yaml/tree.ts'

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
 * | has no effect: its block is switched off (an element of a list is declared as a whole), or the type of authentication does not use it | never |
 * | is of a guard field                         | always; an absent one by its default     |
 * | is of a field for old records only          | never: the loader warns of it            |
 * | is empty, or the documented default         | with `all`                               |
 * | does not survive a round trip through YAML  | never                                    |
 * | is an item of a list                        | with its list, since its index counts    |
 */
export function pickFields(record: ValueObject, all: boolean): PickedFields {
  const used = new UsedFields(readFrom(record))
  const guards = used.guards()
  const absent = guards.filter(guard => lacksGuard(record, guard))
  const told = guards.filter(({ path }) => (valueAtPath(record, path) ?? null) !== null)
  const picker = new FieldPicker(all, used, [...absent, ...told])
  const complete = absent.reduce(withDefault, record)
  const fields = picker.object(wlanField, complete, '') ?? {}
  return { fields, unknown: picker.unknown, undeclarable: picker.undeclarable }
}

/** The record with the default of a guard field, in a block that it may lack. */
function withDefault(record: ValueObject, { block, name, field }: GuardField): ValueObject {
  return editAt(record, block, object => {
    return { ...(isObject(object) && object), [name]: field.whenAbsent ?? null }
  }) as ValueObject
}

/** True for a field that is null or absent, in an object that may be absent, too. */
function lacksGuard(record: ValueObject, { block, name, field }: GuardField): boolean {
  const object = valueAtPath(record, block)
  if (fieldIn(field, object).whenAbsent === undefined) return false
  return isObject(object) ? (member(object, name) ?? null) === null : isEmpty(object)
}

class FieldPicker {
  readonly unknown: Pointer[] = []
  readonly undeclarable: Pointer[] = []
  readonly #all: boolean
  readonly #used: UsedFields
  readonly #guards: ReadonlySet<Field>

  /** `used` are the fields of the record that have an effect, `guards` its guard fields with a value or a default. */
  constructor(all: boolean, used: UsedFields, guards: readonly GuardField[]) {
    this.#all = all
    this.#used = used
    this.#guards = new Set(guards.map(({ field }) => field))
  }

  /** The object with the members worth declaring, in the order of a file; undefined if there are none. */
  object(field: Field, object: ValueObject, at: Pointer, isOff = false): ValueObject | undefined {
    const members: [name: string, value: Value][] = []
    for (const name of Object.keys(object)) {
      if (isOff && name !== 'enabled') continue
      const inner = field.member(name)
      if (!this.#used.has(inner)) continue
      const kept = this.#member(inner, name, object[name] ?? null, at)
      if (kept !== undefined) members.push([name, kept])
    }
    return members.length === 0 ? undefined : fromEntries(sortFields(field, members))
  }

  /** `above` is the pointer of the object with the member. */
  #member(field: Field, name: string, value: Value, above: Pointer): Value | undefined {
    if (field.readOnly) return undefined
    if (!field.known) {
      this.unknown.push(child(above, name))
      return undefined
    }
    if (!this.#isWorthDeclaring(field, value)) return undefined
    return isAllowedKey(name)
      ? this.#value(field, value, above, name)
      : this.#refuse(child(above, name))
  }

  #refuse(at: Pointer): undefined {
    this.undeclarable.push(at)
  }

  #isWorthDeclaring(field: Field, value: Value): boolean {
    if (this.#guards.has(field)) return true
    if (field.deprecated) return false
    const isDefault = field.default !== undefined && agrees(field, value, field.default)
    return this.#all || !(isAbsent(field, value) || isDefault)
  }

  #value(field: Field, value: Value, above: Pointer, name: string | number): Value | undefined {
    if (value instanceof Secret) return this.#secret(field, value, above, name)
    if (isEmpty(value)) return isList(value) ? [] : value
    if (field.compare !== undefined || !(isList(value) || isObject(value))) {
      return roundTrips(value) ? value : this.#refuse(child(above, name))
    }
    const at = child(above, name)
    if (isList(value)) return this.#list(field.item(), value, at)
    return this.object(field, value, at, !isSwitchedOn(field, value))
  }

  /** A secret in place of a list or block of secrets has no reference that a file could declare. */
  #secret(field: Field, secret: Secret, above: Pointer, name: string | number): Value | undefined {
    if (secret.empty) return this.#all ? '' : undefined
    return field.secret ? secret : this.#refuse(child(above, name))
  }

  /** A list keeps all of its items; an item that is an object may lose members. */
  #list(item: Field, list: readonly Value[], at: Pointer): Value | undefined {
    const items = list.map((value, place) => {
      if (value instanceof Secret) return value.empty ? '' : value
      if (isObject(value)) return this.object(item, value, child(at, place)) ?? {}
      return this.#value(item, value, at, place)
    })
    return items.every(value => value !== undefined) ? items : undefined
  }
}

/** YAML limits the distance between a key and its colon to this number of characters. */
const MAX_KEY_LENGTH = 1024

/** True for a name that may be a key in a file. */
function isAllowedKey(name: string): boolean {
  const isKey = !name.startsWith('$') && keyProblem(name, undefined) === undefined
  return isKey && name.length < MAX_KEY_LENGTH / 8
}

/** True for a value that survives a round trip: no number loses digits, every key is allowed. */
function roundTrips(value: Value): boolean {
  if (typeof value === 'number') return numberProblem(value, String(value)) === undefined
  if (isList(value)) return value.every(roundTrips)
  if (!isObject(value)) return true
  const members = Object.entries(value)
  return (
    members.length <= limits.keys &&
    members.every(([name, inner]) => isAllowedKey(name) && roundTrips(inner))
  )
}

/** True if the fields have more values than a WLAN may have; profiles count, too. */
export function isTooLarge(fields: ValueObject): boolean {
  return countValues(fields) > limits.values * 0.8
}

function countValues(value: Value): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countValues(item), 1)
  if (!isObject(value)) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
}
