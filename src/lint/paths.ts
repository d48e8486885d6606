import { type Pointer, steps } from '../model/pointer.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { type Field, fieldAt, wlanField } from '../schema/field.ts'

/** The path to a value in a WLAN or in an element of one of its lists, with the schema of its field. */
export interface LintPath {
  readonly steps: readonly string[]
  /** The names that `traceReads` records for a read of this path. */
  readonly reads: readonly string[]
  readonly field: Field
  readonly isSecret: boolean
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

/** The path of a pointer below a field, from the cache if possible. */
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
  let value = ownMember(object, path[0] ?? '')
  for (let place = 1; place < path.length; place += 1) {
    if (value === undefined || value === null) return value
    const step = path[place] ?? ''
    value = isObject(value) ? ownMember(value, step) : inOther(value, step)
  }
  return value
}

/**
 * As `member` of the model, but twice as fast: the inherited members of an object are functions or its
 * prototype, and no value of a record is a function.
 */
function ownMember(object: ValueObject, name: string): Value | undefined {
  const found = object[name]
  return typeof found === 'function' || name === '__proto__' ? member(object, name) : found
}

function inOther(value: Value, step: string): Value | undefined {
  if (isList(value)) return value[Number(step)]
  return isEmpty(value) ? null : undefined
}

/** In a trace: the computation depends on the texts with variables in all declared fields, and their order. */
export const VARIABLES = '$variables'

/**
 * In a trace: the computation depends on values or references of secrets, not only on whether a secret is
 * set.
 */
export const SECRETS = '$secrets'

/** In a trace: the computation depends on whether the field is an object. */
export function kindKey(field: string): string {
  return `${field}?`
}

let trace: Set<string> | undefined

/**
 * The dependencies of a read at a path: a whole field, or a member of it (`portal/enabled`) together with
 * whether the field is an object.
 */
function readsOf([field = '', member]: readonly string[]): readonly string[] {
  return member === undefined ? [field] : [`${field}/${member}`, kindKey(field)]
}

/** Runs a function and records what it reads through views, in the notation of `readsOf`. Not reentrant. */
export function tracing<T>(run: () => T): {
  readonly result: T
  readonly fields: ReadonlySet<string>
} {
  const fields = new Set<string>()
  trace = fields
  try {
    return { result: run(), fields }
  } finally {
    trace = undefined
  }
}

/** Records reads if `tracing` is active. */
export function noteReads(reads: readonly string[]): void {
  if (trace === undefined) return
  for (const read of reads) trace.add(read)
}
