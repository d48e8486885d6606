import { Secret } from '../values/secret.ts'
import { holdsSecret, isList, isObject, type Value, type ValueObject } from '../values/value.ts'

/**
 * A declaration with a live state that WLANs of several sites have in common, and what was computed about them: each
 * result depends on nothing but the declared fields, the live record without `OWN_MEMBERS` and without the values of its
 * secrets, and what is the same in the whole run.
 */
export class Pair {
  readonly #results = new Map<unknown, unknown>()

  /** The result for the first WLAN of the pair. `of` tells results apart, e.g. the function that computes it. */
  result<T>(of: unknown, compute: () => T): T {
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

/** The members in which equal WLANs of two sites differ. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['id', 'site_id', 'created_time', 'modified_time'])

const MAX_PAIRS = 2000
const MAX_STATES = 8

/** The live states in which WLANs with one declaration were found. */
interface States {
  readonly comparesSecrets: boolean
  readonly known: {
    readonly live: ValueObject | undefined
    readonly isShown: boolean
    readonly pair: Pair
  }[]
}

/**
 * Cache of what is computed about a WLAN, since most WLANs of a large fleet are equal. Key: the declared fields, an object
 * that sites share where their files declare the same; the live record without `OWN_MEMBERS`, in which secrets count
 * by their state, and by their value only if the declaration has secrets to compare them with; and whether the
 * response shows secrets. Bound: `MAX_STATES` for each declaration that occurs a second time, `MAX_PAIRS` in all.
 * Without it, `drift` of 1,000 sites takes 1.25 times the CPU time, and of 3,000 1.33 times.
 */
export class Pairs {
  readonly #declaredOnce = new WeakSet<ValueObject>()
  readonly #states = new Map<ValueObject, States>()
  #count = 0

  /** The pair of a WLAN; undefined for one that shares nothing. `live`: undefined if the service is not read. */
  pairOf(declared: ValueObject, live: ValueObject | undefined, isShown: boolean): Pair | undefined {
    const states = this.#statesOf(declared)
    if (states === undefined) return undefined
    const { comparesSecrets, known } = states
    const same = known.find(
      each => each.isShown === isShown && isSameState(each.live, live, comparesSecrets, OWN_MEMBERS)
    )
    if (same !== undefined) return same.pair
    if (known.length === MAX_STATES || this.#count === MAX_PAIRS) return undefined
    this.#count += 1
    const pair = new Pair()
    known.push({ live, isShown, pair })
    return pair
  }

  #statesOf(declared: ValueObject): States | undefined {
    const states = this.#states.get(declared)
    if (states !== undefined) return states
    if (!this.#declaredOnce.has(declared)) {
      this.#declaredOnce.add(declared)
      return undefined
    }
    const added = { comparesSecrets: holdsSecret(declared), known: [] }
    this.#states.set(declared, added)
    return added
  }
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
        (without.has(name) || isSameState(a[name], b[name], comparesSecrets))
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
