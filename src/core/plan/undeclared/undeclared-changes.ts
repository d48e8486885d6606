import { agrees, isAbsent } from '../../diff/agree.ts'
import { overlayWlan } from '../../diff/overlay.ts'
import type { PatchOperation } from '../../model/plan.ts'
import { type Field, fieldIn, wlanField } from '../../schema/field.ts'
import { isSwitchedOn, partsInUse, UsedFields, valueAtPath } from '../../schema/in-use.ts'
import { above, child, type Pointer } from '../../values/pointer.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../values/value.ts'

/** An undeclared field whose live value differs from an earlier one, or from its default. */
export interface UndeclaredChange {
  readonly pointer: Pointer
  readonly field: Field
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
 * | has no effect: its block is switched off, or nothing uses it     | if it had one in the earlier record |
 * | is a member that a declared object, map or list element lacks    | by itself                   |
 * | is deprecated, or not in the schema                              | only with an earlier record |
 *
 * `names`: the top-level fields to compare; default: all.
 */
export function undeclaredChanges(
  declared: ValueObject,
  live: ValueObject,
  before?: ValueObject,
  names?: readonly string[]
): UndeclaredChange[] {
  const used = new UsedFields(({ path }) => valueAtPath(declared, path) ?? valueAtPath(live, path))
  const comparison = new UndeclaredComparison(used, before === undefined)
  const states = before && [overlayWlan(live, declared), before]
  const inUse = (record: ValueObject) => (states ? partsInUse(record, states) : record)
  const parts = { declared, live: inUse(live), before: before ? inUse(before) : NONE }
  return [...comparison.members(wlanField, parts, '', names)]
}

/** The patch of a live WLAN that undoes such changes; in a list, fields have no former value of their own. */
export function undoing(changes: readonly UndeclaredChange[], live: ValueObject): PatchOperation[] {
  const members = changes.filter(
    ({ pointer }) => !above(pointer).some(at => isList(valueAt(live, at)))
  )
  return members.map(({ pointer: path, field, before }) => {
    const value = before ?? field.default
    return value === undefined ? { op: 'remove', path } : { op: 'replace', path, value }
  })
}

interface States {
  readonly declared: ValueObject
  readonly live: ValueObject
  readonly before: ValueObject
}

const NONE: ValueObject = {}

function objectOf(value: Value | undefined): ValueObject {
  return isObject(value) ? value : NONE
}

class UndeclaredComparison {
  readonly #used: UsedFields
  readonly #withDefaults: boolean

  constructor(used: UsedFields, withDefaults: boolean) {
    this.#used = used
    this.#withDefaults = withDefaults
  }

  *members(
    field: Field,
    { declared, live, before }: States,
    at: Pointer,
    names: Iterable<string> = new Set([...Object.keys(live), ...Object.keys(before)])
  ): Generator<UndeclaredChange> {
    const decides = member(declared, 'enabled') === undefined ? live : declared
    const isOff = this.#withDefaults && at !== '' && !isSwitchedOn(field, decides)
    for (const name of names) {
      if (isOff && name !== 'enabled') continue
      const inner = fieldIn(field.member(name), live, before)
      const [own, is, was] = [member(declared, name), member(live, name), member(before, name)]
      // Most fields: whether one has an effect takes longer to find.
      if (own === undefined && !inner.secret && orUsual(inner, is) === orUsual(inner, was)) continue
      if (own !== undefined && !isList(own) && !isObject(own)) continue
      if (this.#isCompared(inner)) yield* this.#value(inner, own, is, was, child(at, name))
    }
  }

  #isCompared(field: Field): boolean {
    if (field.readOnly || field.volatile) return false
    return !this.#withDefaults || (field.known && !field.deprecated && this.#used.has(field))
  }

  /** The undeclared parts of a value; the other differences of a declared one are those of a plan. */
  *#value(
    field: Field,
    own: Value | undefined,
    is: Value | undefined,
    was: Value | undefined,
    at: Pointer
  ): Generator<UndeclaredChange> {
    const isWhole = field.compare !== undefined || field.secret
    const isBlock =
      own === undefined ? isObject(is) || isObject(was) : isObject(own) && isObject(is)
    if (!isWhole && isBlock) {
      const states = { declared: objectOf(own), live: objectOf(is), before: objectOf(was) }
      yield* this.members(field, states, at)
    } else if (own === undefined) {
      if (!this.#isUnchanged(field, is, was, at))
        yield { pointer: at, field, before: was, live: is }
    } else if (!isWhole && isList(own) && isList(is) && is.length === own.length) {
      for (const [place, element] of own.entries()) {
        const earlier = earlierElement(field, is[place], was, place)
        yield* this.#value(field.item(), element, is[place], earlier, child(at, place))
      }
    }
  }

  #isUnchanged(
    field: Field,
    live: Value | undefined,
    before: Value | undefined,
    at: Pointer
  ): boolean {
    if (isList(live) && isList(before) && field.compare === undefined) {
      const isSame = (element: Value, place: number) =>
        this.#value(field.item(), undefined, element, before[place], at).next().done
      return live.length === before.length && live.every(isSame)
    }
    const [is, was] = [orUsual(field, live), orUsual(field, before)]
    if (is === was && !field.secret) return true
    // A secret that is absent may be hidden, so it agrees with any other.
    return (
      agrees(field, is, was ?? null, at) ||
      (!field.holdsSecret && agrees(field, was, is ?? null, at))
    )
  }
}

/** The element of an earlier list with the key of a live one; without a key, at its place. */
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
