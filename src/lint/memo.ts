import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'
import { ALL_FIELDS, tracing } from './trace.ts'

/** All that the rules about one WLAN depend on. */
export interface WlanInput {
  readonly declared: ValueObject | undefined
  readonly live: ValueObject | undefined
  /** True if the response of the site shows any secret. */
  readonly showsSecrets: boolean
}

/** The results of a WLAN, and which rules read which top-level fields for them. */
interface Kept<R> {
  readonly input: WlanInput
  readonly results: readonly (readonly R[])[]
  readonly readers: ReadonlyMap<string, readonly number[]>
}

/** The bound of the cache. */
const MAX_KEPT = 1000

/**
 * A cache of the results of rules. Key: the name of a WLAN, and whether it is declared, live, and of a site that shows
 * secrets. Bound: the first 1,000 keys. A rule is a pure function of the fields that it reads, so only those
 * rules run again of which a field differs from the kept WLAN.
 */
export class ResultCache<R> {
  readonly #rules: number
  readonly #kept = new Map<string, Kept<R>>()

  /** `rules` is the number of rules. */
  constructor(rules: number) {
    this.#rules = rules
  }

  /** The results of all rules, in their order; `check` runs the rule of a number. */
  results(name: string, input: WlanInput, check: (rule: number) => readonly R[]): R[] {
    const { declared, live, showsSecrets } = input
    const key = `${declared !== undefined} ${live !== undefined} ${showsSecrets} ${name}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return this.#again(kept, input, check)
    if (this.#kept.size >= MAX_KEPT) return this.#all().flatMap(check)
    const made = this.#first(input, check)
    this.#kept.set(key, made)
    return made.results.flat()
  }

  #first(input: WlanInput, check: (rule: number) => readonly R[]): Kept<R> {
    const readers = new Map<string, number[]>()
    const results = this.#all().map(rule => {
      const { result, fields } = tracing(() => check(rule))
      for (const field of fields) {
        const others = readers.get(field)
        if (others === undefined) readers.set(field, [rule])
        else others.push(rule)
      }
      return result
    })
    return { input, results, readers }
  }

  #again(
    { input: was, results, readers }: Kept<R>,
    input: WlanInput,
    check: (rule: number) => readonly R[]
  ): R[] {
    const stale = new Set<number>()
    for (const [field, rules] of readers) {
      if (isSameField(was, input, field)) continue
      for (const rule of rules) stale.add(rule)
    }
    const found: R[] = []
    for (const [rule, kept] of results.entries()) {
      const result = stale.has(rule) ? check(rule) : kept
      if (result.length > 0) found.push(...result)
    }
    return found
  }

  #all(): number[] {
    return Array.from({ length: this.#rules }, (_, rule) => rule)
  }
}

function isSameField(a: WlanInput, b: WlanInput, field: string): boolean {
  if (field === ALL_FIELDS) return isSame(a.declared, b.declared)
  return (
    isSame(a.declared?.[field], b.declared?.[field]) && isSame(a.live?.[field], b.live?.[field])
  )
}

/** True only for values that no rule can tell apart; the order of members counts. */
function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Secret || b instanceof Secret) return false
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, place) => isSame(item, b[place]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  const others = Object.keys(b)
  return (
    names.length === others.length &&
    names.every((name, place) => name === others[place] && isSame(a[name], b[name]))
  )
}
