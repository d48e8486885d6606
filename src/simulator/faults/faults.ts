import { randomOf } from '../fleet/random.ts'
import type { Call } from '../http/call.ts'
import { type Fault, type FaultKind, faultKinds, faultOf } from './kinds.ts'
import { type FailRule, faultOfAnswer, RuleBook } from './rules.ts'

/** How many faults of each kind were injected; `answer` are the canned ones. */
export type FaultCounts = Readonly<Record<FaultKind | 'answer', number>>

/** How likely each kind is, from 0 to 1; together at most 1. */
export type FaultRates = Partial<Readonly<Record<FaultKind, number>>>

/**
 * Decides which calls go wrong, and counts them.
 *
 * Chance is drawn from the seed, the method, the path and how often that was called before: so a
 * call meets the same fate in every run of a test, in whatever order parallel calls arrive.
 */
export class Faults {
  readonly #counts: Record<FaultKind | 'answer', number>
  readonly #occurrences = new Map<string, number>()
  readonly #seed: number
  #book = new RuleBook([])

  constructor(seed: number) {
    this.#seed = seed
    const none = [...faultKinds, 'answer' as const].map(kind => [kind, 0])
    this.#counts = Object.fromEntries(none) as Record<FaultKind | 'answer', number>
  }

  get counts(): FaultCounts {
    return this.#counts
  }

  /** The rules in force from now on. */
  setRules(rules: readonly FailRule[]): void {
    this.#book = new RuleBook(rules)
  }

  /** What goes wrong with this call, or undefined. The rules come before chance. */
  draw(call: Call, rates: FaultRates, retryAfter: number): Fault | undefined {
    const rule = this.#book.strike(call)
    if (rule !== undefined && 'answer' in rule) {
      this.#counts.answer += 1
      return faultOfAnswer(rule.answer)
    }
    const kind = rule?.kind ?? this.#byChance(call, rates)
    if (kind === undefined) return undefined
    this.#counts[kind] += 1
    return faultOf(kind, retryAfter)
  }

  #byChance(call: Call, rates: FaultRates): FaultKind | undefined {
    const what = `${call.method} ${call.target}`
    const nth = (this.#occurrences.get(what) ?? 0) + 1
    this.#occurrences.set(what, nth)
    let left = randomOf(this.#seed, what, nth)()
    return faultKinds.find(kind => {
      left -= rates[kind] ?? 0
      return left < 0
    })
  }
}
