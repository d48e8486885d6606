import { type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { below, isEmpty, isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { entriesOf, holdsVariable, isWritten } from './written.ts'

/** The place a value comes from: the files, the service, or the documentation of the service. */
export type Origin = 'declared' | 'live' | 'default'

/** The states that a view merges. */
export interface ViewSource {
  /** The declared fields; absent for a WLAN that is not declared. */
  readonly declared?: ValueObject | undefined
  /** The live record; absent where it was not read. */
  readonly live?: ValueObject | undefined
  /** True if the response with the live record shows any secret: an absent one is unset then. */
  readonly showsSecrets: () => boolean
  /**
   * For the state before a change: the fields that the files declare. Values are the live ones; a field
   * that the files declare with its live value counts as declared.
   */
  readonly declaredLater?: ValueObject | undefined
}

/** A place in a WLAN, or in an element of a list, with the facts of its field. */
interface Path {
  readonly steps: readonly string[]
  readonly field: Field
}

/** The paths that rules ask for, by the field they start at and their pointer; bounded by the rules. */
const pathsByRoot = new Map<Field, Map<Pointer, Path>>()

/**
 * A WLAN, or an element of one of its lists, as rules see it: declared values over live ones over documented
 * defaults. A value is unknown where it holds a `{{variable}}` of the service, is a secret that is hidden
 * or not resolved, or is absent from the files while the live record was not read.
 *
 * Every condition below is true only if it certainly holds. Rules combine conditions with "and" and "or"
 * and never negate one: so an unknown value breaks no rule.
 */
export class View {
  readonly #source: ViewSource
  readonly #root: Field
  readonly #paths: Map<Pointer, Path>

  constructor(source: ViewSource, root: Field = wlanField) {
    this.#source = source
    this.#root = root
    let paths = pathsByRoot.get(root)
    if (paths === undefined) {
      paths = new Map()
      pathsByRoot.set(root, paths)
    }
    this.#paths = paths
  }

  /** The value: null where it is known to be absent, undefined where it is unknown. */
  value(pointer: Pointer): Value | undefined {
    const value = this.written(pointer)
    if (typeof value === 'string') return holdsVariable(value) ? undefined : value
    return value instanceof Secret && !isCertain(value) ? undefined : value
  }

  /** The same, with variables as their text and unknown secrets as `Secret` values. */
  written(pointer: Pointer): Value | undefined {
    const path = this.#path(pointer)
    const { declared, live, showsSecrets } = this.#source
    const own = declared === undefined ? undefined : reach(declared, path.steps)
    if (own !== undefined) return own ?? defaultOf(path)
    if (live === undefined) return undefined
    const value = reach(live, path.steps)
    const isUnset = value === undefined || value === null
    if (path.field.secret && (isUnset || (value instanceof Secret && value.empty))) {
      return showsSecrets() ? null : undefined
    }
    return isUnset ? defaultOf(path) : value
  }

  /** The origin of a known value. An absent one without a documented default is as the service has it. */
  origin(pointer: Pointer): Origin {
    const path = this.#path(pointer)
    const { declared, live } = this.#source
    if (declared !== undefined && reach(declared, path.steps) !== undefined) return 'declared'
    const value = live === undefined ? undefined : (reach(live, path.steps) ?? null)
    return value === null && defaultOf(path) !== null ? 'default' : 'live'
  }

  /** The declared object as a whole, without live members. */
  get declared(): ValueObject | undefined {
    return this.#source.declared
  }

  /** The field at a pointer. */
  field(pointer: Pointer): Field {
    return this.#path(pointer).field
  }

  /** The value is one of these; texts by the rule of the field, with or without regard to case. */
  is(pointer: Pointer, ...values: readonly Value[]): boolean {
    const value = this.value(pointer)
    return value !== undefined && values.includes(this.#folded(pointer, value))
  }

  /** The value is present and none of these. */
  isOther(pointer: Pointer, ...values: readonly Value[]): boolean {
    const value = this.value(pointer)
    return value !== undefined && !isEmpty(value) && !values.includes(this.#folded(pointer, value))
  }

  /** The switch is on. */
  on(pointer: Pointer): boolean {
    return this.value(pointer) === true
  }

  /** The switch is off, or absent without a default. */
  off(pointer: Pointer): boolean {
    const value = this.value(pointer)
    return value === false || value === null
  }

  /** The values are empty or absent, all of them. */
  empty(...pointers: readonly Pointer[]): boolean {
    return pointers.every(pointer => {
      const value = this.value(pointer)
      return value !== undefined && (value instanceof Secret ? value.empty : isEmpty(value))
    })
  }

  /** The value is there: neither empty nor absent. */
  filled(pointer: Pointer): boolean {
    const value = this.value(pointer)
    return value !== undefined && !(value instanceof Secret ? value.empty : isEmpty(value))
  }

  /** The files declare the field with a value that is known and not empty. */
  declares(pointer: Pointer): boolean {
    if (!this.filled(pointer)) return false
    const { steps } = this.#path(pointer)
    const { declared, declaredLater } = this.#source
    if (declared !== undefined) return reach(declared, steps) !== undefined
    const later = declaredLater === undefined ? undefined : reach(declaredLater, steps)
    return later !== undefined && isWritten(later, this.value(pointer) ?? null)
  }

  /** The number, also where it is written as digits; undefined where it is unknown or none. */
  number(pointer: Pointer): number | undefined {
    const value = this.value(pointer)
    if (typeof value === 'string' && /^-?\d{1,10}$/.test(value)) return Number(value)
    return typeof value === 'number' ? value : undefined
  }

  /** The text; undefined where it is unknown, empty or none. */
  text(pointer: Pointer): string | undefined {
    const value = this.value(pointer)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** The secret, where its value is known and not empty. Only for rules about the form of a secret. */
  secret(pointer: Pointer): string | undefined {
    const value = this.value(pointer)
    return value instanceof Secret && value.known && !value.empty ? value.reveal() : undefined
  }

  /** The secrets of a list, in order: null where one is not set, undefined where it is unknown. */
  secrets(pointer: Pointer): readonly (string | null | undefined)[] | undefined {
    const list = this.value(pointer)
    if (list === undefined) return undefined
    const isUnsetKnown = this.origin(pointer) !== 'live' || this.#source.showsSecrets()
    return (isList(list) ? list : []).map(entry => {
      if (entry instanceof Secret ? entry.empty : isEmpty(entry))
        return isUnsetKnown ? null : undefined
      if (!(entry instanceof Secret) || !entry.known || holdsVariable(entry.reveal()))
        return undefined
      return entry.reveal()
    })
  }

  /**
   * The entries of a list of texts or numbers, or of a comma-separated text, as texts; variables as they are
   * written. Undefined where the list is unknown.
   */
  entries(pointer: Pointer): readonly string[] | undefined {
    return entriesOf(this.written(pointer))
  }

  /** The list has an entry that satisfies the test; variables satisfy none. */
  hasEntry(pointer: Pointer, test: (entry: string) => boolean): boolean {
    return this.entries(pointer)?.some(entry => !holdsVariable(entry) && test(entry)) ?? false
  }

  /** The list is not empty, and no entry satisfies the test or might do so. */
  lacksEntry(pointer: Pointer, test: (entry: string) => boolean): boolean {
    const entries = this.entries(pointer)
    if (entries === undefined || entries.length === 0) return false
    return entries.every(entry => !holdsVariable(entry) && !test(entry))
  }

  /** The elements of a list of objects, each declared one over the live one of the same key. */
  elements(pointer: Pointer): readonly View[] | undefined {
    const { declared, live } = this.#source
    const path = this.#path(pointer)
    const own = declared === undefined ? undefined : reach(declared, path.steps)
    const there = live === undefined ? undefined : reach(live, path.steps)
    const item = path.field.item()
    const showsSecrets = this.#source.showsSecrets
    if (own === undefined) {
      if (live === undefined) return undefined
      return objectsIn(there).map(element => new View({ live: element, showsSecrets }, item))
    }
    const partners = live && byKey(objectsIn(there), path.field.key)
    return objectsIn(own).map(element => {
      const partner = partners?.get(keyOf(element, path.field.key))?.shift()
      const isNew = partners !== undefined && partner === undefined
      const source = isNew
        ? { live: {}, showsSecrets: () => true }
        : { live: partner, showsSecrets }
      return new View({ declared: element, ...source }, item)
    })
  }

  #folded(pointer: Pointer, value: Value): Value {
    if (typeof value !== 'string' || this.field(pointer).compare !== 'ignore-case') return value
    return value.toLowerCase()
  }

  #path(pointer: Pointer): Path {
    let path = this.#paths.get(pointer)
    if (path === undefined) {
      path = { steps: steps(pointer), field: fieldBelow(this.#root, pointer) }
      this.#paths.set(pointer, path)
    }
    return path
  }
}

function fieldBelow(root: Field, pointer: Pointer): Field {
  if (root === wlanField) return fieldAt(pointer)
  return steps(pointer).reduce((field, step) => field.member(step), root)
}

/** The value at the end of the steps; null below an empty value, undefined where it is absent. */
function reach(object: ValueObject, path: readonly string[]): Value | undefined {
  let value: Value | undefined = object
  for (const step of path) {
    if (!isObject(value) && !isList(value)) return isEmpty(value) ? null : undefined
    value = below(value, step)
    if (value === undefined) return undefined
  }
  return value
}

function defaultOf({ field }: Path): Value {
  return (field.default ?? null) as Value
}

/** True for a secret whose existence is known, and whose value is no variable of the service. */
function isCertain(secret: Secret): boolean {
  return secret.certain && !(secret.known && holdsVariable(secret.reveal()))
}

function objectsIn(list: Value | undefined): readonly ValueObject[] {
  return isList(list) ? list.filter(isObject) : []
}

function keyOf(element: ValueObject, key: string | undefined): string {
  return key === undefined ? '' : String(below(element, key))
}

function byKey(
  elements: readonly ValueObject[],
  key: string | undefined
): ReadonlyMap<string, ValueObject[]> {
  const found = new Map<string, ValueObject[]>()
  for (const element of elements) {
    const name = keyOf(element, key)
    const group = found.get(name)
    if (group === undefined) found.set(name, [element])
    else group.push(element)
  }
  return found
}
