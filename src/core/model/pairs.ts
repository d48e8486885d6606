import { append } from '../values/collections.ts'
import { Secret } from '../values/secret.ts'
import { holdsSecret, isList, isObject, type Value, type ValueObject } from '../values/value.ts'
import type { DesiredWlan } from './desired.ts'

/**
 * A declaration with a live state that WLANs of several sites have in common, and what was computed about them: each
 * result depends on nothing but the declared fields, those of the base, the live record without `OWN_MEMBERS` and without
 * the values of its secrets, and what is the same in the whole run.
 */
export class Pair {
  readonly #results = new Map<unknown, unknown>()
  /** The fields in which its WLANs may differ, declared and live; undefined if there are none. */
  readonly varying: ReadonlySet<string> | undefined

  constructor(varying?: ReadonlySet<string>) {
    this.varying = varying
  }

  /** The result for the first WLAN of the pair. `of` tells results apart, e.g. the function that computes it. */
  result<T>(of: unknown, compute: () => T): T {
    return this.varying === undefined ? this.shared(of, compute) : compute()
  }

  /** As `result`, for what does not depend on the varying fields. */
  shared<T>(of: unknown, compute: () => T): T {
    const known = this.#results.get(of)
    if (known !== undefined) return known as T
    const result = compute()
    this.#results.set(of, result)
    return result
  }
}

/** The result of a pair; computed for this WLAN alone if it belongs to none. */
export function resultOf<T>(pair: Pair | undefined, of: unknown, compute: () => T): T {
  return pair === undefined ? compute() : pair.result(of, compute)
}

type PartResult<P, T> = { readonly own: P } | { readonly shared: readonly T[] }

/**
 * The results of several parts, one after the other. WLANs that differ in some fields share those of the parts that read
 * none of these: `compute` must add what it reads to `reads`, as `noting` does.
 */
export function resultsOf<P, T>(
  pair: Pair | undefined,
  of: unknown,
  parts: () => readonly P[],
  compute: (part: P, reads?: Set<string>) => readonly T[]
): readonly T[] {
  if (pair?.varying === undefined)
    return resultOf(pair, of, () => parts().flatMap(part => compute(part)))
  const known = partResults(pair, of, parts, compute)
  return known.flatMap(each => ('own' in each ? compute(each.own) : each.shared))
}

/** As `resultsOf`, with the parts to compute for this WLAN alone; the results of parts in a row are one list. */
export function partResults<P, T>(
  pair: Pair | undefined,
  of: unknown,
  parts: () => readonly P[],
  compute: (part: P, reads?: Set<string>) => readonly T[]
): readonly PartResult<P, T>[] {
  if (pair === undefined) return parts().map(own => ({ own }))
  return pair.shared(of, () => {
    const results: ({ readonly own: P } | { readonly shared: T[] })[] = []
    for (const part of parts()) {
      const reads = new Set<string>()
      const shared = compute(part, reads)
      const last = results.at(-1)
      if ([...reads].some(name => pair.varying?.has(name))) results.push({ own: part })
      else if (last && 'shared' in last) append(last.shared, shared)
      else results.push({ shared: [...shared] })
    }
    return results
  })
}

/** The object, which adds the members that are read of it, or searched in it, to `reads`. */
export function noting(object: ValueObject, reads: Set<string> | undefined): ValueObject {
  if (reads === undefined) return object
  return new Proxy(object, {
    getOwnPropertyDescriptor(target, name) {
      reads.add(String(name))
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
    get(target, name) {
      reads.add(String(name))
      return Reflect.get(target, name)
    }
  })
}

/** The members in which equal WLANs of two sites differ. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['id', 'site_id', 'created_time', 'modified_time'])

const MAX_PAIRS = 2000
const MAX_STATES = 8
const MAX_SIMILAR = 4

interface State {
  readonly declared: ValueObject
  readonly live: ValueObject | undefined
  readonly isShown: boolean
  readonly atBase: ValueObject | undefined
}

interface KnownState extends State {
  readonly pair: Pair
}

interface States {
  readonly first: State
  readonly comparesSecrets: boolean
  readonly same: KnownState[]
  /** The states that others resemble but for the varying fields of their pair. */
  readonly similar: KnownState[]
}

/**
 * Cache of what is computed about a WLAN, since most WLANs of a large fleet are equal. Key: the declared fields, an object
 * that sites share where their files declare the same; the live record without `OWN_MEMBERS`, in which secrets count
 * by their state, and by their value only if the declaration has secrets to compare them with; whether the response
 * shows secrets; and the fields of the base if it declares others, an object that sites share, too. Other WLANs that the
 * base declares the same share what does not depend on the fields in which they differ: those of the same template, or
 * those whose live records differ in fields of their own. Bound: `MAX_STATES` and `MAX_SIMILAR` for each
 * declaration or template that occurs a second time, `MAX_PAIRS` in all. Without it, `drift` of 1,000 sites takes 1.25
 * times the CPU time, and of 3,000 1.33 times.
 */
export class Pairs {
  readonly #usedOnce = new WeakSet<object>()
  readonly #states = new Map<object, States>()
  #count = 0

  /**
   * The pair of a WLAN; undefined for one that shares nothing. `live`: undefined if the service is not read. `atBase`:
   * the fields of the base if they are others.
   */
  pairOf(
    { fields, template }: Pick<DesiredWlan, 'fields' | 'template'>,
    live: ValueObject | undefined,
    isShown: boolean,
    atBase?: ValueObject
  ): Pair | undefined {
    const state = { declared: fields, live, isShown, atBase }
    const own = this.#statesOf(fields, state)
    const pair = own && this.#same(own, state)
    if (pair !== undefined || atBase !== undefined) return pair
    const others = template === undefined ? own : this.#statesOf(template, state)
    return others && this.#similar(others, state, template?.varying)
  }

  #same({ comparesSecrets, same }: States, state: State): Pair | undefined {
    const { live, isShown, atBase } = state
    const known = same.find(
      each =>
        each.isShown === isShown &&
        each.atBase === atBase &&
        isSameState(each.live, live, comparesSecrets, OWN_MEMBERS)
    )
    return known?.pair ?? this.#add(same, MAX_STATES, state)
  }

  #similar(
    { first, comparesSecrets, similar }: States,
    state: State,
    ofTemplate: ReadonlySet<string> = NO_MEMBERS
  ): Pair | undefined {
    const { declared, live, isShown } = state
    const isSame = (a: Value | undefined, b: Value | undefined, { varying }: Pair) =>
      isSameState(a, b, comparesSecrets, varying)
    const known = similar.find(
      each =>
        each.isShown === isShown &&
        isSame(each.declared, declared, each.pair) &&
        isSame(each.live, live, each.pair)
    )
    if (known !== undefined) return known.pair
    const ofLive = differing(first.live, live, comparesSecrets)
    if (ofLive === undefined) return undefined
    return this.#add(
      similar,
      MAX_SIMILAR,
      state,
      new Set([...OWN_MEMBERS, ...ofTemplate, ...ofLive])
    )
  }

  #add(
    states: KnownState[],
    limit: number,
    state: State,
    varying?: ReadonlySet<string>
  ): Pair | undefined {
    if (states.length === limit || this.#count === MAX_PAIRS) return undefined
    this.#count += 1
    const pair = new Pair(varying)
    states.push({ ...state, pair })
    return pair
  }

  #statesOf(key: object, first: State): States | undefined {
    const states = this.#states.get(key)
    if (states !== undefined) return states
    if (!this.#usedOnce.has(key)) {
      this.#usedOnce.add(key)
      return undefined
    }
    const comparesSecrets = holdsSecret(first.declared)
    const added = { first, comparesSecrets, same: [], similar: [] }
    this.#states.set(key, added)
    return added
  }
}

/** The members in which two states differ; undefined if they do not have the same members in the same order. */
function differing(
  a: ValueObject | undefined,
  b: ValueObject | undefined,
  comparesSecrets: boolean
): string[] | undefined {
  if (a === undefined || b === undefined) return a === b ? [] : undefined
  const [names, others] = [Object.keys(a), Object.keys(b)]
  const isSameKind =
    names.length === others.length && names.every((name, place) => name === others[place])
  if (!isSameKind) return undefined
  return names.filter(name => !isSameState(a[name], b[name], comparesSecrets))
}

const NO_MEMBERS: ReadonlySet<string> = new Set()

/** True for equal values with their members in the same order, which the service always has. */
function isSameState(
  a: Value | undefined,
  b: Value | undefined,
  comparesSecrets: boolean,
  without = NO_MEMBERS
): boolean {
  if (a === b) return true
  if (a instanceof Secret || b instanceof Secret) {
    return a instanceof Secret && b instanceof Secret && isSameSecret(a, b, comparesSecrets)
  }
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false
    return a.every((element, place) => isSameState(element, b[place], comparesSecrets))
  }
  if (!isObject(a) || !isObject(b)) return false
  const [names, others] = [Object.keys(a), Object.keys(b)]
  return (
    names.length === others.length &&
    names.every(
      (name, place) =>
        name === others[place] &&
        (isSameState(a[name], b[name], comparesSecrets) || without.has(name))
    )
  )
}

function isSameSecret(a: Secret, b: Secret, comparesSecrets: boolean): boolean {
  if (a.known !== b.known || a.certain !== b.certain || a.empty !== b.empty) return false
  if (!a.known || a.equals(b)) return true
  return !comparesSecrets && !holdsVariable(a) && !holdsVariable(b)
}

/** True for a secret of which the service replaces a part: rules treat it as unknown. */
function holdsVariable(secret: Secret): boolean {
  return secret.reveal().includes('{{')
}
