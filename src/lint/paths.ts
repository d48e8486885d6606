import { type Pointer, steps } from '../model/pointer.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { readsOf } from './trace.ts'

/** A place in a WLAN, or in an element of one of its lists, with the facts of its field. */
export interface LintPath {
  readonly steps: readonly string[]
  /** What a trace of its reads notes. */
  readonly reads: readonly string[]
  readonly field: Field
  readonly isSecret: boolean
  /** The documented default; null where there is none. */
  readonly defaultValue: Value
}

/** The limit of paths for each root: rules ask for some 300, messages for others. */
const MAX_PATHS = 1000

/** The paths by their pointer, for fields that a view starts at. */
const pathsByRoot = new Map<Field, Map<Pointer, LintPath>>()

/** The kept paths below a field: a cache by pointer, to be filled by `pathAt`. */
export function pathsOf(root: Field): Map<Pointer, LintPath> {
  let paths = pathsByRoot.get(root)
  if (paths === undefined) {
    paths = new Map()
    pathsByRoot.set(root, paths)
  }
  return paths
}

/** The path of a pointer below a field. */
export function pathAt(root: Field, paths: Map<Pointer, LintPath>, pointer: Pointer): LintPath {
  const kept = paths.get(pointer)
  if (kept !== undefined) return kept
  const field = fieldBelow(root, pointer)
  const path = steps(pointer)
  const made: LintPath = {
    steps: path,
    reads: readsOf(path),
    field,
    isSecret: field.secret,
    defaultValue: (field.default ?? null) as Value
  }
  if (paths.size < MAX_PATHS) paths.set(pointer, made)
  return made
}

function fieldBelow(root: Field, pointer: Pointer): Field {
  if (root === wlanField) return fieldAt(pointer)
  return steps(pointer).reduce((field, step) => field.member(step), root)
}

/** The value at the end of the steps; null below an empty value, undefined where it is absent. */
export function reach(object: ValueObject, path: readonly string[]): Value | undefined {
  let value = ownMember(object, path[0] ?? '')
  for (let place = 1; place < path.length; place += 1) {
    if (value === undefined || value === null) return value
    const step = path[place] ?? ''
    value = isObject(value) ? ownMember(value, step) : inOther(value, step)
  }
  return value
}

/**
 * As `member` of the model, in half the time: what an object inherits is a function or its prototype, and
 * no value of a record is a function.
 */
function ownMember(object: ValueObject, name: string): Value | undefined {
  const found = object[name]
  return typeof found === 'function' || name === '__proto__' ? member(object, name) : found
}

function inOther(value: Value, step: string): Value | undefined {
  if (isList(value)) return value[Number(step)]
  return isEmpty(value) ? null : undefined
}
