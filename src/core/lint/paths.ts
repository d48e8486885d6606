import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { type Pointer, steps } from '../values/pointer.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../values/value.ts'

/** The path to a value in a WLAN or in an element of one of its lists, with the schema of its field. */
export interface LintPath {
  readonly steps: readonly string[]
  readonly field: Field
  readonly isSecret: boolean
  readonly isSwitch: boolean
  readonly ignoresCase: boolean
  /** The path of the older name of the same fact. */
  readonly older: readonly string[] | undefined
  /** The documented default; null where there is none. */
  readonly defaultValue: Value
}

/** The maximum number of cached paths for each root; rules use about 300, and messages add some. */
const MAX_PATHS = 1000

/** Cache of the paths by root field and pointer. Bound: `MAX_PATHS` for each root. */
const pathsByRoot = new Map<Field, Map<Pointer, LintPath>>()

/** The cached paths below a field, by pointer; `pathAt` fills the cache. */
export function pathsOf(root: Field): Map<Pointer, LintPath> {
  let paths = pathsByRoot.get(root)
  if (paths === undefined) {
    paths = new Map()
    pathsByRoot.set(root, paths)
  }
  return paths
}

/** Makes the path of a pointer below a field, and adds it to the cache. */
export function pathAt(root: Field, paths: Map<Pointer, LintPath>, pointer: Pointer): LintPath {
  const field = fieldBelow(root, pointer)
  const path = steps(pointer)
  const made: LintPath = {
    steps: path,
    field,
    isSecret: field.secret,
    isSwitch: field.types.has('boolean'),
    ignoresCase: field.compare === 'ignore-case',
    older: field.older === undefined ? undefined : [...path.slice(0, -1), field.older],
    defaultValue: field.default ?? null
  }
  if (paths.size < MAX_PATHS) paths.set(pointer, made)
  return made
}

function fieldBelow(root: Field, pointer: Pointer): Field {
  if (root === wlanField) return fieldAt(pointer)
  return steps(pointer).reduce((field, step) => field.member(step), root)
}

/** The value at a path; null below an empty value, undefined if it is absent. */
export function reach(object: ValueObject, path: readonly string[]): Value | undefined {
  let value = member(object, path[0] ?? '')
  for (let place = 1; place < path.length; place += 1) {
    if (value === undefined || value === null) return value
    const step = path[place] ?? ''
    value = isObject(value) ? member(value, step) : inOther(value, step)
  }
  return value
}

function inOther(value: Value, step: string): Value | undefined {
  if (isList(value)) return value[Number(step)]
  return isEmpty(value) ? null : undefined
}
