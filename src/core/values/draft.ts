import { child, isAtOrBelow, type Pointer, steps } from './pointer.ts'
import { fromEntries, isObject, member, type Value, type ValueObject } from './value.ts'

/** A modified copy of an object: each object on the path of a change is copied once. */
export class Draft {
  readonly #copies = new WeakSet<object>()
  readonly root: ValueObject

  constructor(object: ValueObject) {
    this.root = this.#copyOf(object)
  }

  /** Sets the member at a pointer, and creates the objects above it; undefined removes the member. */
  set(pointer: Pointer, value: Value | undefined): void {
    const path = steps(pointer)
    const last = path.pop() ?? ''
    let holder = this.root
    for (const step of path) {
      const held = member(holder, step)
      const copy = isObject(held) ? this.#copyOf(held) : this.#copyOf({})
      if (copy !== held) define(holder, step, copy)
      holder = copy
    }
    if (value === undefined) Reflect.deleteProperty(holder, last)
    else define(holder, last, value)
  }

  #copyOf(object: ValueObject): ValueObject {
    if (this.#copies.has(object)) return object
    const copy = { ...object }
    this.#copies.add(copy)
    return copy
  }
}

/** Defines an own member, so that `__proto__` stays data. */
function define(object: ValueObject, name: string, value: Value): void {
  const common = { writable: true, enumerable: true, configurable: true }
  Object.defineProperty(object, name, { value, ...common })
}

export function withValueAt(object: ValueObject, pointer: Pointer, value: Value): ValueObject {
  const draft = new Draft(object)
  draft.set(pointer, value)
  return draft.root
}

/** The members of an object at and below these pointers; a pointer into a list selects the whole list. */
export function partAt(
  object: ValueObject,
  wanted: readonly Pointer[],
  at: Pointer = ''
): ValueObject {
  const entries = Object.entries(object).flatMap(([name, value]): [string, Value][] => {
    const pointer = child(at, name)
    if (wanted.some(each => isAtOrBelow(pointer, each))) return [[name, value]]
    if (!wanted.some(each => isAtOrBelow(each, pointer))) return []
    if (!isObject(value)) return [[name, value]]
    const part = partAt(value, wanted, pointer)
    return Object.keys(part).length === 0 ? [] : [[name, part]]
  })
  return fromEntries(entries)
}
