import { Secret } from '../model/secret.ts'
import {
  isList,
  isObject,
  member as ownMember,
  type Value,
  type ValueObject
} from '../model/value.ts'
import { holdsVariable, holdsVariables } from './formats.ts'
import { kindKey, SECRETS, tracing, VARIABLES } from './paths.ts'

/** The inputs of the rules about one WLAN. */
export interface WlanInput {
  readonly declared: ValueObject | undefined
  readonly live: ValueObject | undefined
  /** True if the service shows any secret of the site. */
  readonly showsSecrets: boolean
}

/** A computed value, and the fields that the computation read through views. */
export interface Computation<T> {
  readonly result: T
  readonly fields: ReadonlySet<string>
}

/** The reference WLAN of its kind: other WLANs are compared with it, and reuse its results. */
export interface KeptWlan<R, F> {
  /** Identifies the WLAN in its cache. */
  readonly id: number
  readonly input: WlanInput
  readonly declared: Members
  readonly live: Members
  rules?: RuleResults<R>
  facts?: Computation<F>
}

/** The names and values of an object's members, in the object's order. */
interface Members {
  readonly names: readonly string[]
  readonly values: readonly Value[]
}

/** The results of all rules on a WLAN. */
interface RuleResults<R> {
  readonly results: readonly (readonly R[])[]
  readonly all: readonly R[]
  /** The indexes of the rules with results, in ascending order. */
  readonly broken: readonly number[]
  /** The indexes of the rules by the fields that they read. */
  readonly readers: ReadonlyMap<string, readonly number[]>
}

/** A WLAN of the run with its reference WLAN. */
export interface ComparedWlan<R, F> {
  readonly input: WlanInput
  readonly kept: KeptWlan<R, F>
  /** The fields in which the two differ; may include `VARIABLES` and `SECRETS`. */
  readonly changed: readonly string[]
}

/** The maximum number of entries in each cache of the linter. */
export const MAX_KEPT = 1000

const nothing: readonly never[] = []

/**
 * Cache of the findings of the rules on a WLAN (`R`), and of facts about it (`F`). Key: its SSID, and
 * whether it is declared, live, and of a site that shows secrets. Bound: the first 1,000 keys; WLANs with
 * further SSIDs are compared with a WLAN of another SSID. Each result depends only on the fields that its
 * computation reads, so it is computed again only if one of them differs from the reference WLAN.
 */
export class WlanCache<R, F> {
  readonly #rules: readonly number[]
  readonly #kept = new Map<string, KeptWlan<R, F>>()

  /** `rules`: the number of rules. */
  constructor(rules: number) {
    this.#rules = Array.from({ length: rules }, (_, rule) => rule)
  }

  /** Finds the reference WLAN of the same kind; if there is none, this WLAN becomes it. */
  compare(input: WlanInput): ComparedWlan<R, F> {
    const { declared, live, showsSecrets } = input
    const flags = `${declared !== undefined} ${live !== undefined} ${showsSecrets} `
    const ssid = declared?.['ssid'] ?? live?.['ssid']
    const isFull = this.#kept.size >= MAX_KEPT
    const own = flags + (typeof ssid === 'string' ? ssid : '')
    const kept = this.#kept.get(own) ?? (isFull ? this.#kept.get(flags) : undefined)
    if (kept !== undefined) return { input, kept, changed: changedFields(kept, input) }
    const made = {
      id: this.#kept.size,
      input,
      declared: membersOf(declared),
      live: membersOf(live)
    }
    this.#kept.set(isFull ? flags : own, made)
    return { input, kept: made, changed: nothing }
  }

  /**
   * The results of all rules, in the order of the rules. `checksOn` returns a function that runs a rule, by
   * its index, on a WLAN; that WLAN may be the reference WLAN if only its facts were computed so far.
   */
  results(
    { input, kept, changed }: ComparedWlan<R, F>,
    checksOn: (input: WlanInput) => (rule: number) => readonly R[]
  ): readonly R[] {
    kept.rules ??= this.#first(checksOn(kept.input))
    const { results, all, broken, readers } = kept.rules
    let stale: number[] | undefined
    for (const field of changed) {
      for (const rule of readers.get(field) ?? nothing) {
        if (stale === undefined) stale = [rule]
        else if (!stale.includes(rule)) stale.push(rule)
      }
    }
    if (stale === undefined) return all
    const check = checksOn(input)
    const found: R[] = []
    const again = stale
    const others = broken.filter(rule => !again.includes(rule))
    for (const rule of [...again, ...others].sort((a, b) => a - b)) {
      const result = again.includes(rule) ? check(rule) : (results[rule] ?? [])
      if (result.length > 0) found.push(...result)
    }
    return found
  }

  /** The facts about the WLAN, computed by `make` unless they are cached. */
  facts({ kept, changed }: ComparedWlan<R, F>, make: () => F): F {
    kept.facts ??= tracing(make)
    return readsAny(kept.facts, changed) ? make() : kept.facts.result
  }

  #first(check: (rule: number) => readonly R[]): RuleResults<R> {
    const readers = new Map<string, number[]>()
    const results = this.#rules.map(rule => {
      const { result, fields } = tracing(() => check(rule))
      for (const field of fields) {
        const others = readers.get(field)
        if (others === undefined) readers.set(field, [rule])
        else others.push(rule)
      }
      return result
    })
    const broken = this.#rules.filter(rule => results[rule]?.length !== 0)
    return { results, all: results.flat(), broken, readers }
  }
}

/** True if a computation reads one of these fields. */
export function readsAny({ fields }: Computation<unknown>, changed: readonly string[]): boolean {
  for (const field of changed) if (fields.has(field)) return true
  return false
}

const noMembers: Members = { names: [], values: [] }

/** Parallel lists, because looking up each member by name would take most of the time. */
function membersOf(object: ValueObject | undefined): Members {
  return object === undefined
    ? noMembers
    : { names: Object.keys(object), values: Object.values(object) }
}

/** The fields in which a WLAN differs from its reference WLAN, as far as rules can distinguish them. */
function changedFields(
  { input, declared, live }: KeptWlan<unknown, unknown>,
  other: WlanInput
): readonly string[] {
  const changes = new Changes()
  if (input.live !== other.live) changes.addBetween(live, other.live ?? {})
  if (input.declared !== other.declared) changes.addDeclared(declared, other.declared ?? {})
  return changes.names
}

class Changes {
  readonly names: string[] = []
  #hasOtherSecrets = false

  add(name: string): void {
    this.names.push(name)
  }

  /** Adds the fields that differ. */
  addBetween(a: Members, b: ValueObject): void {
    if (!hasNames(b, a.names)) {
      this.#addUnordered(a, membersOf(b))
      return
    }
    let place = 0
    for (const name in b) {
      this.#addField(name, a.values[place], b[name])
      place += 1
    }
  }

  /** Adds the fields that differ, and `VARIABLES` where they hold any, or where the order of all differs. */
  addDeclared(a: Members, b: ValueObject): void {
    const before = this.names.length
    this.addBetween(a, b)
    const changed = hasNames(b, a.names) ? this.names.slice(before) : undefined
    if (changed?.length === 0) return
    if (haveVariables(a, changed) || haveVariables(membersOf(b), changed)) this.add(VARIABLES)
  }

  #addUnordered(a: Members, b: Members): void {
    const others = new Map(b.names.map((name, place) => [name, b.values[place]]))
    for (const [place, name] of a.names.entries()) {
      this.#addField(name, a.values[place], others.get(name))
      others.delete(name)
    }
    for (const [name, value] of others) this.#addField(name, undefined, value)
  }

  #addField(name: string, a: Value | undefined, b: Value | undefined): void {
    if (a === b || this.#isSame(a, b)) return
    this.add(name)
    if (!isObject(a) || !isObject(b)) {
      this.add(kindKey(name))
      return
    }
    for (const member of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (!this.#isSame(ownMember(a, member), ownMember(b, member))) this.add(`${name}/${member}`)
    }
  }

  /**
   * True if no rule can distinguish the values. The order of members matters; the values of secrets do not.
   */
  #isSame(a: Value | undefined, b: Value | undefined): boolean {
    if (a === b) return true
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (a instanceof Secret) return b instanceof Secret && this.#isAlike(a, b)
    if (isList(a)) {
      return (
        isList(b) && a.length === b.length && a.every((item, place) => this.#isSame(item, b[place]))
      )
    }
    return isObject(a) && isObject(b) && this.#isSameObject(a, b)
  }

  #isSameObject(a: ValueObject, b: ValueObject): boolean {
    const names = Object.keys(a)
    if (!hasNames(b, names)) return false
    for (const name of names) if (!this.#isSame(a[name], b[name])) return false
    return true
  }

  /** True for secrets about which the same is known; records whether their values or references differ. */
  #isAlike(a: Secret, b: Secret): boolean {
    if (!this.#hasOtherSecrets && !isSameSecret(a, b)) {
      this.#hasOtherSecrets = true
      this.add(SECRETS)
    }
    return (
      a.known === b.known &&
      a.certain === b.certain &&
      a.empty === b.empty &&
      isVariable(a) === isVariable(b)
    )
  }
}

/** True if these are the names of the members, in this order. The loop makes no list of them. */
function hasNames(object: ValueObject, names: readonly string[]): boolean {
  let place = 0
  for (const name in object) {
    if (name !== names[place]) return false
    place += 1
  }
  return place === names.length
}

/** True if one of these fields, or of all where none are given, holds a variable of the service. */
function haveVariables({ names, values }: Members, fields = names): boolean {
  return names.some((name, place) => fields.includes(name) && holdsVariables(values[place]))
}

function isSameSecret(a: Secret, b: Secret): boolean {
  const isKnownSame = a.known ? a.equals(b) : !b.known
  return isKnownSame && JSON.stringify(a.reference) === JSON.stringify(b.reference)
}

function isVariable(secret: Secret): boolean {
  return secret.known && holdsVariable(secret.reveal())
}
