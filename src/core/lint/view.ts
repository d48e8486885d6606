import { noting, type Pair, resultOf } from '../model/pairs.ts'
import { isMet, type ReadField } from '../schema/condition.ts'
import { secretsShownIn } from '../schema/shown-secrets.ts'
import { groupBy } from '../values/collections.ts'
import { type Pointer, topLevelField } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import {
  below,
  entriesOf,
  isEmpty,
  isList,
  isObject,
  isUnset,
  type Value,
  type ValueObject,
  valueText
} from '../values/value.ts'
import { holdsVariable, isEquivalent } from './formats.ts'
import { MergedValues, reach, type ViewSource } from './merged.ts'

/** For conditions of the schema: a value that none of its fields has. */
const UNKNOWN = '{{unknown}}'

/**
 * Conditions about the values of a WLAN, or of an element of one of its lists, such as a RADIUS server.
 * Every condition is true only if it is certain. Rules combine conditions with "and" and "or" and never
 * negate one, so an unknown value never breaks a rule.
 */
export class WlanView extends MergedValues {
  /** Cache by pointer, since several rules read the same lists. Bound: the lists of one WLAN. */
  readonly #entries = new Map<Pointer, readonly string[]>()
  readonly #elements = new Map<Pointer, readonly WlanView[]>()

  /**
   * True if it is one of the values; strings are compared as the field is, with or without case.
   */
  is(pointer: Pointer, ...values: readonly Value[]): boolean {
    const value = this.#folded(pointer)
    return value !== undefined && values.includes(value)
  }

  /** True if the value is present and none of these. */
  isOther(pointer: Pointer, ...values: readonly Value[]): boolean {
    const value = this.#folded(pointer)
    return value !== undefined && !isEmpty(value) && !values.includes(value)
  }

  meets(condition: string): boolean {
    return isMet(condition, this.#read, false)
  }

  lacks(condition: string): boolean {
    return !isMet(condition, this.#read, true)
  }

  readonly #read: ReadField = ({ pointer }) => {
    const value = this.value(pointer)
    return value === undefined ? UNKNOWN : value
  }

  on(pointer: Pointer): boolean {
    return this.value(pointer) === true
  }

  /** True if the switch is off, or absent without a default. */
  off(pointer: Pointer): boolean {
    const value = this.value(pointer)
    return value === false || value === null
  }

  empty(...pointers: readonly Pointer[]): boolean {
    return pointers.every(pointer => {
      const value = this.value(pointer)
      return value !== undefined && isUnset(value)
    })
  }

  filled(pointer: Pointer): boolean {
    const value = this.value(pointer)
    return value !== undefined && !isUnset(value)
  }

  /** True if one of the switches is on, or one of the other fields set, even to an unknown value; or for no fields. */
  someSet(fields: readonly Pointer[] | undefined): boolean {
    if (fields === undefined) return true
    return fields.some(pointer => {
      const path = this.path(pointer)
      const value = this.writtenAt(path)
      return path.isSwitch ? value === true : !isEmpty(value)
    })
  }

  /** True if the files declare a known value for the field that is not empty. */
  declares(pointer: Pointer): boolean {
    if (!this.filled(pointer)) return false
    const { steps } = this.path(pointer)
    const { declared, declaredLater } = this.source
    if (declared !== undefined) return reach(declared, steps) !== undefined
    const later = declaredLater === undefined ? undefined : reach(declaredLater, steps)
    return later !== undefined && isEquivalent(later, this.value(pointer) ?? null)
  }

  /**
   * True for a value that is known and not empty, unless it is the documented default and the service is not
   * known to store one: an import declares that default for a field without a value.
   */
  isDecided(pointer: Pointer): boolean {
    if (!this.filled(pointer)) return false
    const { steps, defaultValue } = this.path(pointer)
    const { live } = this.source
    const isStored = live !== undefined && (reach(live, steps) ?? null) !== null
    return isStored || !isEquivalent(this.value(pointer) ?? null, defaultValue)
  }

  /** The number, also that of a string of digits; undefined if it is unknown or not a number. */
  number(pointer: Pointer): number | undefined {
    const value = this.value(pointer)
    if (typeof value === 'string' && /^-?\d{1,10}$/.test(value)) return Number(value)
    return typeof value === 'number' ? value : undefined
  }

  /** The string; undefined if it is unknown, empty or not a string. */
  text(pointer: Pointer): string | undefined {
    const value = this.value(pointer)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** The string as written, with its variables, to name what has it; empty if it is no string. */
  name(pointer: Pointer): string {
    const value = this.written(pointer)
    return typeof value === 'string' ? value : ''
  }

  /** The secret if its value is known and not empty. Only rules about the form of a secret reveal it. */
  secret(pointer: Pointer): Secret | undefined {
    const value = this.value(pointer)
    return value instanceof Secret && value.known && !value.empty ? value : undefined
  }

  /** The secrets of a list, in order: null if a secret is not set, undefined if it is unknown. */
  secrets(pointer: Pointer): readonly (string | null | undefined)[] | undefined {
    const list = this.value(pointer)
    if (list === undefined) return undefined
    const isUnsetKnown = this.origin(pointer) !== 'live' || this.source.showsSecrets()
    return (isList(list) ? list : []).map(entry => {
      if (isUnset(entry)) return isUnsetKnown ? null : undefined
      if (!(entry instanceof Secret) || !entry.known || holdsVariable(entry.reveal()))
        return undefined
      return entry.reveal()
    })
  }

  /** Entries of a list or a comma-separated text, variables not replaced; undefined if unknown. */
  entries(pointer: Pointer): readonly string[] | undefined {
    const known = this.#entries.get(pointer)
    if (known !== undefined) return known
    const entries = entriesOf(this.written(pointer))
    if (entries !== undefined) this.#entries.set(pointer, entries)
    return entries
  }

  /** True if an entry satisfies the test; variables never do. */
  hasEntry(pointer: Pointer, test: (entry: string) => boolean): boolean {
    return this.entries(pointer)?.some(entry => !holdsVariable(entry) && test(entry)) ?? false
  }

  /** True if the list is not empty, and no entry satisfies the test or might satisfy it. */
  lacksEntry(pointer: Pointer, test: (entry: string) => boolean): boolean {
    const entries = this.entries(pointer)
    if (entries === undefined || entries.length === 0) return false
    return entries.every(entry => !holdsVariable(entry) && !test(entry))
  }

  /** List elements, declared ones merged with live ones of the same key; none if unknown. */
  elements(pointer: Pointer): readonly WlanView[] {
    const known = this.#elements.get(pointer)
    if (known !== undefined) return known
    const elements = this.#merge(pointer)
    this.#elements.set(pointer, elements)
    return elements
  }

  /** The value; a string of a field without case is in lower case. */
  #folded(pointer: Pointer): Value | undefined {
    const path = this.path(pointer)
    const value = this.valueAt(path)
    return path.ignoresCase && typeof value === 'string' ? value.toLowerCase() : value
  }

  #merge(pointer: Pointer): readonly WlanView[] {
    const { declared, live } = this.source
    const path = this.path(pointer)
    const own = declared === undefined ? undefined : reach(declared, path.steps)
    const there = live === undefined ? undefined : reach(live, path.steps)
    const item = path.field.item()
    const showsSecrets = this.source.showsSecrets
    if (own === undefined) {
      return objectsIn(there).map(element => new WlanView({ live: element, showsSecrets }, item))
    }
    const partners = live && groupBy(objectsIn(there), each => keyOf(each, path.field.key))
    const mayBeAny = [...(partners?.keys() ?? [])].some(holdsVariable)
    return objectsIn(own).map(element => {
      const key = keyOf(element, path.field.key)
      const partner = partners?.get(key)?.shift()
      const isNew =
        partners !== undefined && partner === undefined && !mayBeAny && !holdsVariable(key)
      const source = isNew
        ? { live: {}, showsSecrets: () => true }
        : { live: partner, showsSecrets }
      return new WlanView({ declared: element, ...source }, item)
    })
  }
}

function objectsIn(list: Value | undefined): readonly ValueObject[] {
  return isList(list) ? list.filter(isObject) : []
}

function keyOf(element: ValueObject, key: string | undefined): string {
  return key === undefined ? '' : valueText(below(element, key))
}

export interface LintWlan {
  /** The name in findings: the key of a declared WLAN, otherwise the SSID. */
  readonly name: string
  /** The declared fields; absent for an unmanaged WLAN. */
  readonly declared?: ValueObject | undefined
  /** The live record; absent if the service was not read. */
  readonly live?: ValueObject | undefined
  /** The live record as the base declares it; absent if that is the same. */
  readonly atBase?: ValueObject | undefined
  /** The layers of the declared fields, a property of that object; absent if all are of one layer. */
  readonly layersOf?: LayersOf | undefined
  /** That of its declared fields, its live record and its fields at the base. */
  readonly pair?: Pair | undefined
}

/**
 * The layers that declare the values of these fields, such as a profile, the WLAN and the override of its site: the
 * larger number overrides the smaller. Fields that are not declared are absent.
 */
export type LayersOf = (pointers: readonly Pointer[]) => Readonly<Record<Pointer, number>>

/** A site with all of its WLANs, including undeclared ones if the service was read. */
export interface LintSite {
  readonly id: string
  readonly name: string
  readonly wlans: readonly LintWlan[]
  /** True if the response with all of them shows secrets; default: the live records tell. */
  readonly showsSecrets?: () => boolean
}

interface WlanInput extends Omit<ViewSource, 'declaredLater'> {
  readonly atBase?: ValueObject | undefined
  readonly layersOf?: LayersOf | undefined
  readonly pair?: Pair | undefined
}

/** A WLAN after a change and before it; views are made on demand, since rules need few of them. */
export class LintedWlan {
  readonly index: number
  readonly name: string
  readonly input: WlanInput
  #view: WlanView | undefined
  #before: WlanView | undefined
  #atBase: WlanView | undefined

  constructor(index: number, name: string, input: WlanInput) {
    this.index = index
    this.name = name
    this.input = input
  }

  /** WLANs with the same pair share their views, which must not be used to read the value of a secret. */
  get view(): WlanView {
    this.#view ??= resultOf(this.input.pair, 'view', () => new WlanView(this.input))
    return this.#view
  }

  get before(): WlanView | undefined {
    const { live, pair } = this.input
    if (live !== undefined)
      this.#before ??= resultOf(pair, 'view before', () => this.#earlier(live))
    return this.#before
  }

  /** The state of the base; undefined if it is that of the service. */
  get atBase(): WlanView | undefined {
    const { atBase } = this.input
    if (atBase !== undefined) this.#atBase ??= this.#earlier(atBase)
    return this.#atBase
  }

  /** The same WLAN, which adds the top-level fields that are read of its states and layers to `reads`. */
  noting(reads: Set<string> | undefined): LintedWlan {
    if (reads === undefined) return this
    const { declared, live, layersOf } = this.input
    return new LintedWlan(this.index, this.name, {
      ...this.input,
      declared: declared && noting(declared, reads),
      live: live && noting(live, reads),
      pair: undefined,
      ...(layersOf && {
        layersOf: pointers => {
          for (const pointer of pointers) reads.add(topLevelField(pointer))
          return layersOf(pointers)
        }
      })
    })
  }

  /** The same WLAN with views that have the values of its secrets: a pair with a live record may have others. */
  get withSecrets(): LintedWlan {
    if (this.input.pair === undefined || this.input.live === undefined) return this
    return new LintedWlan(this.index, this.name, { ...this.input, pair: undefined })
  }

  #earlier(live: ValueObject): WlanView {
    const { declared, showsSecrets } = this.input
    return new WlanView({ live, showsSecrets, declaredLater: declared })
  }

  /** True for a WLAN that is both declared and live: a change may cause violations. */
  get mayChange(): boolean {
    return this.input.declared !== undefined && this.input.live !== undefined
  }
}

export function lintedWlans({
  wlans,
  showsSecrets = secretsShownIn(wlans.flatMap(({ live }) => (live ? [live] : [])))
}: LintSite): LintedWlan[] {
  return wlans.map(
    ({ name, ...input }, index) => new LintedWlan(index, name, { showsSecrets, ...input })
  )
}
