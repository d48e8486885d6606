import { agrees, isAbsent } from '../../diff/agree.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import { isSwitchedOn, UsedFields, valueAtPath } from '../../schema/in-use.ts'
import { child, type Pointer } from '../../values/pointer.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../values/value.ts'

/** An undeclared field whose live value differs from an earlier one, or from its default. */
export interface UndeclaredChange {
  readonly pointer: Pointer
  readonly field: Field
  /** Undefined for an absent value. */
  readonly before: Value | undefined
  readonly live: Value | undefined
}

/**
 * The undeclared fields of a live WLAN that differ from an earlier record; without one, from their documented
 * default, or from absence. For display only: what is not declared is never sent.
 *
 * | the field                                                        | counts                      |
 * |------------------------------------------------------------------|-----------------------------|
 * | is declared, or `null` excludes it, such as `portal: null`       | never                       |
 * | is read-only or volatile                                         | never                       |
 * | has no effect: its block is switched off, or nothing uses it     | never                       |
 * | is a member that a declared object, map or list element lacks    | by itself                   |
 * | is deprecated, or not in the schema                              | only with an earlier record |
 */
export function undeclaredChanges(
  declared: ValueObject,
  live: ValueObject,
  before?: ValueObject
): UndeclaredChange[] {
  const used = new UsedFields(({ path }) => valueAtPath(declared, path) ?? valueAtPath(live, path))
  const comparison = new UndeclaredComparison(used, before === undefined)
  return comparison.members(wlanField, { declared, live, before: before ?? {} }, '')
}

/** The three states of one object. */
interface States {
  readonly declared: ValueObject
  readonly live: ValueObject
  readonly before: ValueObject
}

const NONE: ValueObject = {}

class UndeclaredComparison {
  readonly #used: UsedFields
  readonly #withDefaults: boolean

  constructor(used: UsedFields, withDefaults: boolean) {
    this.#used = used
    this.#withDefaults = withDefaults
  }

  members(field: Field, { declared, live, before }: States, at: Pointer): UndeclaredChange[] {
    const names = new Set([...Object.keys(live), ...Object.keys(before)])
    const isOff =
      at !== '' && !isSwitchedOn(field, member(declared, 'enabled') === undefined ? live : declared)
    return [...names].flatMap(name => {
      const inner = field.member(name)
      if ((isOff && name !== 'enabled') || !this.#isCompared(inner)) return []
      const [own, is, was] = [declared, live, before].map(object => member(object, name))
      const pointer = child(at, name)
      if (own !== undefined) return this.#inDeclared(inner, own, is, was, pointer)
      return this.#undeclared(inner, is, was, pointer)
    })
  }

  #isCompared(field: Field): boolean {
    if (field.readOnly || field.volatile || !this.#used.has(field)) return false
    return !this.#withDefaults || (field.known && !field.deprecated)
  }

  /** The undeclared members of a declared value. Differences that a plan has are none of these. */
  #inDeclared(
    field: Field,
    declared: Value,
    live: Value | undefined,
    before: Value | undefined,
    at: Pointer
  ): UndeclaredChange[] {
    if (field.compare !== undefined) return []
    if (isObject(declared)) {
      if (!isObject(live)) return []
      return this.members(field, { declared, live, before: isObject(before) ? before : NONE }, at)
    }
    if (!isList(declared) || !isList(live) || live.length !== declared.length) return []
    return declared.flatMap((element, place) => {
      const was = earlierElement(field, live[place], before, place)
      return this.#inDeclared(field.item(), element, live[place], was, child(at, place))
    })
  }

  #undeclared(
    field: Field,
    live: Value | undefined,
    before: Value | undefined,
    at: Pointer
  ): UndeclaredChange[] {
    const isWhole = field.compare !== undefined || field.secret
    if (!isWhole && (isObject(live) || isObject(before))) {
      const [is, was] = [live, before].map(value => (isObject(value) ? value : NONE))
      return this.members(field, { declared: NONE, live: is ?? NONE, before: was ?? NONE }, at)
    }
    return this.#isUnchanged(field, live, before, at) ? [] : [{ pointer: at, field, before, live }]
  }

  #isUnchanged(
    field: Field,
    live: Value | undefined,
    before: Value | undefined,
    at: Pointer
  ): boolean {
    if (isList(live) && isList(before) && field.compare === undefined) {
      return (
        live.length === before.length &&
        live.every(
          (element, place) =>
            this.#undeclared(field.item(), element, before[place], at).length === 0
        )
      )
    }
    const [is, was] = [orUsual(field, live), orUsual(field, before)]
    // A secret that is absent may be hidden, so it agrees with any other.
    return (
      agrees(field, is, was ?? null, at) ||
      (!field.holdsSecret && agrees(field, was, is ?? null, at))
    )
  }
}

/** The element of an earlier list with the same key as a live one; without a key, the one at its place. */
function earlierElement(
  { key }: Field,
  live: Value | undefined,
  before: Value | undefined,
  place: number
): Value | undefined {
  if (!isList(before)) return undefined
  if (key === undefined || !isObject(live)) return before[place]
  return before.find(each => isObject(each) && member(each, key) === member(live, key))
}

function orUsual(field: Field, value: Value | undefined): Value | undefined {
  return isAbsent(field, value) ? field.whenAbsent : value
}
