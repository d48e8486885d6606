import type { PatchOperation, SecretState } from '../../model/plan.ts'
import { isMet, type ReadField } from '../../schema/condition.ts'
import { type Field, fieldAt, fieldIn } from '../../schema/field.ts'
import { conditionsOf } from '../../schema/in-use.ts'
import { Draft } from '../../values/draft.ts'
import { above, child, overlap, type Pointer } from '../../values/pointer.ts'
import {
  fromEntries,
  isEmpty,
  isList,
  isObject,
  isSameJson,
  isScalar,
  isUnset,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../values/value.ts'

/** A longer text is not a value of a switch. */
const MAX_TEXT_LENGTH = 64

/** Records the live values that decisions about a patch depended on; `context` returns them. */
export class Transition {
  readonly patch: readonly PatchOperation[]
  readonly before: ValueObject
  readonly after: ValueObject
  readonly #secrets: Readonly<Record<Pointer, SecretState>>
  /** The opposite change shares it. */
  #consulted = new Set<Pointer>()

  /** `before` is the live record; `secrets` are the states of the change. */
  constructor(
    patch: readonly PatchOperation[],
    before: ValueObject,
    secrets: Readonly<Record<Pointer, SecretState>> = {},
    after = applied(before, patch)
  ) {
    this.patch = patch
    this.#secrets = secrets
    this.before = before
    this.after = after
  }

  /** The opposite change of the same fields; the `context` of this one covers its decisions, too. */
  reversed(): Transition {
    const reversed = new Transition(this.patch, this.after, this.#secrets, this.before)
    reversed.#consulted = this.#consulted
    return reversed
  }

  valuesAt(pointer: Pointer): readonly [was: Value | undefined, is: Value | undefined] {
    return [valueAt(this.before, pointer), valueAt(this.after, pointer)]
  }

  /** `fieldIn` of both values: the field depends on the older name next to the member. */
  fieldIn(field: Field, at: Pointer, ...objects: readonly (Value | undefined)[]): Field {
    if (field.older !== undefined) this.#consulted.add(child(at, field.older))
    return fieldIn(field, ...objects)
  }

  /** True if the change sends a different secret here, or one that it could not compare. */
  sendsSecret(pointer: Pointer): boolean {
    const state = Object.hasOwn(this.#secrets, pointer) ? this.#secrets[pointer] : undefined
    return state === 'changed' || state === 'set' || state === 'rotates'
  }

  wasUnset(pointer: Pointer): boolean {
    return isUnset(valueAt(this.before, pointer))
  }

  stays(condition: string): boolean {
    return this.isBefore(condition) && this.isAfter(condition)
  }

  isEver(condition: string): boolean {
    return this.isBefore(condition) || this.isAfter(condition)
  }

  isBefore(condition: string): boolean {
    return isMet(condition, this.#reads(this.before))
  }

  isAfter(condition: string): boolean {
    return isMet(condition, this.#reads(this.after))
  }

  #reads(record: ValueObject): ReadField {
    return ({ pointer }) => {
      this.#consulted.add(pointer)
      return plainAt(record, pointer)
    }
  }

  /** The consulted live values that are not the default and not part of the patch; undefined if none. */
  context(): ValueObject | undefined {
    const held = this.patch.filter(({ op }) => op !== 'replace').map(({ path }) => path)
    const entries = [...this.#consulted].sort().flatMap((pointer): [Pointer, Value][] => {
      if (held.some(path => overlap(path, pointer))) return []
      const holder = valueAt(this.before, above(pointer).at(-1) ?? '')
      const { secret, whenAbsent } = fieldIn(fieldAt(pointer), holder)
      if (secret) return []
      const value = plainAt(this.before, pointer)
      return value === undefined || isSameJson(value, whenAbsent) ? [] : [[pointer, value]]
    })
    return entries.length === 0 ? undefined : fromEntries(entries)
  }
}

function applied(record: ValueObject, patch: readonly PatchOperation[]): ValueObject {
  const after = new Draft(record)
  for (const operation of patch) {
    if (operation.op === 'remove') after.set(operation.path, undefined)
    else if (operation.op !== 'test') after.set(operation.path, operation.value)
  }
  return after.root
}

function plainAt(record: ValueObject, pointer: Pointer): Value | undefined {
  const value = valueAt(record, pointer)
  if (isEmpty(value)) return value === '' && fieldAt(pointer).emptyIsValue ? value : undefined
  const isPlain = isList(value)
    ? value.every(isShortScalar)
    : value !== undefined && isShortScalar(value)
  return isPlain ? value : undefined
}

function isShortScalar(value: Value): boolean {
  return isScalar(value) && (typeof value !== 'string' || value.length <= MAX_TEXT_LENGTH)
}

/**
 * True if a part of a WLAN has an effect: its conditions are met before or after, and each block that
 * contains it is switched on before and after. If the block itself is switched, only `enabled` has an effect.
 */
export function isActive(at: Pointer, transition: Transition): boolean {
  const { blocks, needs } = conditionsOf(at)
  return (
    blocks.every(block => transition.stays(block)) && needs.every(need => transition.isEver(need))
  )
}

export function memberNamesOf(a: Value | undefined, b: Value | undefined): readonly string[] {
  const names = [a, b].flatMap(value => (isObject(value) ? Object.keys(value) : []))
  return [...new Set(names)]
}

export function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isObject(value) ? member(value, name) : undefined
}

/** The first element of a list for each key. */
export function elementsByKey(list: Value | undefined, { key }: Field): ReadonlyMap<Value, Value> {
  const named = new Map<Value, Value>()
  if (key === undefined || !isList(list)) return named
  for (const element of list) {
    const name = memberOf(element, key)
    if (name !== undefined && !named.has(name)) named.set(name, element)
  }
  return named
}
