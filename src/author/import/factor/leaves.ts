import { agreesExactly } from '../../../core/diff/agree.ts'
import { type Field, wlanField } from '../../../core/schema/field.ts'
import { append, groupsBy } from '../../../core/values/collections.ts'
import { child, type Pointer, steps } from '../../../core/values/pointer.ts'
import {
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'

/** The values of a WLAN that are compared between sites, by pointer. */
export type Leaves = ReadonlyMap<Pointer, Value>

/**
 * The leaves of a WLAN's fields: scalars, secrets, and collections that compare as a whole. Other lists are
 * walked, so that a RADIUS server may vary in its address alone.
 */
export function leavesOf(fields: ValueObject): Leaves {
  const leaves = new Map<Pointer, Value>()
  walk(fields, wlanField, '', (value, at) => {
    leaves.set(at, value)
    return value
  })
  return leaves
}

/** The same fields with other leaves. */
export function mapLeaves(
  fields: ValueObject,
  leaf: (value: Value, at: Pointer) => Value
): ValueObject {
  return walk(fields, wlanField, '', leaf) as ValueObject
}

function walk(
  value: Value,
  field: Field,
  at: Pointer,
  leaf: (value: Value, at: Pointer) => Value
): Value {
  if (field.compare === undefined && isList(value) && value.length > 0) {
    return value.map((item, place) => walk(item, field.item(), child(at, place), leaf))
  }
  if (field.compare !== undefined || !isObject(value) || Object.keys(value).length === 0) {
    return leaf(value, at)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      walk(inner, field.member(name), child(at, name), leaf)
    ])
  )
}

/**
 * The maximum share of exceptions: of sites that override a field or a variable, or of profiles that override their
 * base. With more, the value is not that of all.
 */
export const MAX_EXCEPTIONS = 0.25

/** The items with the most frequent key; of several such keys, the first. */
export function mostFrequent<T>(items: Iterable<T>, keyOf: (item: T) => unknown): readonly T[] {
  const byKey = groupsBy(items, keyOf)
  return byKey.sort((a, b) => b.length - a.length)[0] ?? []
}

/** The changes of an override to the WLAN below it. */
export interface Override {
  readonly fields: ValueObject
  readonly unset: readonly Pointer[]
}

/** The override for a file; empty if it changes nothing. */
export function overrideBlock({ fields, unset }: Override): ValueObject {
  const names = unset.map(at => {
    const [name = '', ...below] = steps(at)
    return below.length > 0 || name.startsWith('/') ? at : name
  })
  return unset.length === 0 ? fields : { $unset: names, ...fields }
}

/**
 * The override that turns `base` into fields that agree with `wanted`; values that agree keep their notation in `base`.
 */
export function overrideFor(
  base: ValueObject,
  wanted: ValueObject,
  field: Field = wlanField,
  at: Pointer = ''
): Override {
  const fields: [string, Value][] = []
  const unset = Object.keys(base)
    .filter(name => !Object.hasOwn(wanted, name))
    .map(name => child(at, name))
  for (const [name, value] of Object.entries(wanted)) {
    const below = member(base, name)
    if (below === undefined) fields.push([name, value])
    else if (isObject(below) && isObject(value) && field.member(name).compare !== 'whole') {
      const [from, to] = [below as ValueObject, value as ValueObject]
      const inner = overrideFor(from, to, field.member(name), child(at, name))
      const isShorterWhole = inner.unset.length > Object.keys(to).length
      if (isShorterWhole) {
        unset.push(child(at, name))
        fields.push([name, value])
      } else {
        if (Object.keys(inner.fields).length > 0) fields.push([name, inner.fields])
        append(unset, inner.unset)
      }
    } else if (!agreesExactly(field.member(name), below, value)) fields.push([name, value])
  }
  return { fields: Object.fromEntries(fields), unset }
}
