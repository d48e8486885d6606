import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { getOrInsert } from '../values/collections.ts'
import { type Pointer, steps } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../values/value.ts'
import { holdsVariable, isEquivalent } from './formats.ts'

export type Origin = 'declared' | 'live' | 'default'

export interface ViewSource {
  /** The declared fields; absent for an undeclared WLAN. */
  readonly declared?: ValueObject | undefined
  /** The live record; absent if it was not read. */
  readonly live?: ValueObject | undefined
  /** True if the response with the live record shows a secret: an absent secret is then not set. */
  readonly showsSecrets: () => boolean
  /**
   * For the state before a change: the fields that the files declare. All values are live; a field
   * counts as declared if the files declare its live value.
   */
  readonly declaredLater?: ValueObject | undefined
}

/**
 * A WLAN, or an element of one of its lists, after a change: declared values take precedence over live
 * values, and live values over documented defaults. A value is unknown if it contains a `{{variable}}` of
 * the service, is a hidden or unresolved secret, or is not declared and the live record was not read.
 */
export class MergedValues {
  protected readonly source: ViewSource
  readonly #root: Field
  readonly #paths: Map<Pointer, LintPath>

  constructor(source: ViewSource, root: Field = wlanField) {
    this.source = source
    this.#root = root
    this.#paths = pathsOf(root)
  }

  /** The value: null if it is absent, undefined if it is unknown. */
  value(pointer: Pointer): Value | undefined {
    return this.valueAt(this.path(pointer))
  }

  /** As `value`, but variables are returned as strings, and unknown secrets as `Secret` values. */
  written(pointer: Pointer): Value | undefined {
    return this.writtenAt(this.path(pointer))
  }

  /**
   * The origin of a known value. An absent value without a documented default counts as live. Before a
   * change, a default that the files declare counts as declared.
   */
  origin(pointer: Pointer): Origin {
    const { steps, defaultValue } = this.path(pointer)
    const { declared, live, declaredLater } = this.source
    if (declared !== undefined && reach(declared, steps) !== undefined) return 'declared'
    const value = live === undefined ? undefined : (reach(live, steps) ?? null)
    if (value !== null || defaultValue === null) return 'live'
    const later = declaredLater === undefined ? undefined : reach(declaredLater, steps)
    return later !== undefined && isEquivalent(later, defaultValue) ? 'declared' : 'default'
  }

  /** The declared object without live members. Read only its texts with service variables. */
  get declaredVariables(): ValueObject | undefined {
    return this.source.declared
  }

  field(pointer: Pointer): Field {
    return this.path(pointer).field
  }

  protected writtenAt({ steps, isSecret, older, defaultValue }: LintPath): Value | undefined {
    const { declared, live, showsSecrets } = this.source
    const own = declared === undefined ? undefined : reach(declared, steps)
    if (own !== undefined && own !== null) return own
    const value = live === undefined || own === null ? undefined : reach(live, steps)
    if (older !== undefined && isEmpty(value) && this.#isSet(older)) return undefined
    if (own === null) return defaultValue
    if (live === undefined) return undefined
    const isUnset = value === undefined || value === null
    if (isSecret && (isUnset || (value instanceof Secret && value.empty))) {
      return showsSecrets() ? null : undefined
    }
    return isUnset ? defaultValue : value
  }

  #isSet(path: readonly string[]): boolean {
    return [this.source.declared, this.source.live].some(
      object => object !== undefined && !isEmpty(reach(object, path))
    )
  }

  protected valueAt(path: LintPath): Value | undefined {
    return knownOf(this.writtenAt(path))
  }

  protected path(pointer: Pointer): LintPath {
    return this.#paths.get(pointer) ?? pathAt(this.#root, this.#paths, pointer)
  }
}

function knownOf(value: Value | undefined): Value | undefined {
  if (typeof value === 'string') return holdsVariable(value) ? undefined : value
  if (typeof value !== 'object' || value === null) return value
  return value instanceof Secret && !isCertain(value) ? undefined : value
}

/** True if the secret is known to be set or not, and its value is not a variable of the service. */
function isCertain(secret: Secret): boolean {
  return secret.certain && !(secret.known && holdsVariable(secret.reveal()))
}

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

function pathsOf(root: Field): Map<Pointer, LintPath> {
  return getOrInsert(pathsByRoot, root, () => new Map<Pointer, LintPath>())
}

function pathAt(root: Field, paths: Map<Pointer, LintPath>, pointer: Pointer): LintPath {
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
