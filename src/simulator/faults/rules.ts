import type { Answer } from '../http/answers.ts'
import type { Call } from '../http/call.ts'
import { type Fault, type FaultKind, instead, landed } from './kinds.ts'

/** The calls a rule is about; what it leaves out holds for all. */
interface Selector {
  readonly method?: string
  /** A part of path and query, or a pattern they match. */
  readonly path?: string | RegExp
  /** So many matching calls pass first. Default: 0. */
  readonly skip?: number
  /** So many are struck then. Default: 1. */
  readonly times?: number | 'always'
}

/** Any answer a test can think of, in place of the service's own. */
export interface CannedAnswer {
  readonly status: number
  readonly headers?: Answer['headers']
  readonly body?: Answer['body']
  /** True if the call is carried out all the same. Default: false. */
  readonly landed?: boolean
}

/** A fault for certain calls, for tests that must know which ones are struck. */
export type FailRule = Selector & ({ readonly kind: FaultKind } | { readonly answer: CannedAnswer })

/** Counts, for each rule, the calls that matched it; a new list of rules begins anew. */
export class RuleBook {
  readonly #rules: readonly FailRule[]
  readonly #matched: number[]

  constructor(rules: readonly FailRule[]) {
    this.#rules = rules
    this.#matched = rules.map(() => 0)
  }

  /** The first rule that strikes this call, or undefined. */
  strike(call: Call): FailRule | undefined {
    return this.#rules.find((rule, index) => {
      if (!selects(rule, call)) return false
      const nth = (this.#matched[index] ?? 0) + 1
      this.#matched[index] = nth
      const { skip = 0, times = 1 } = rule
      return nth > skip && (times === 'always' || nth <= skip + times)
    })
  }
}

/** The fault that a canned answer is. */
export function faultOfAnswer(canned: CannedAnswer): Fault {
  const { status, headers = { 'content-type': 'application/json' }, body = '' } = canned
  const fault = instead({ status, headers, body })
  return canned.landed ? landed(fault) : fault
}

function selects(rule: Selector, call: Call): boolean {
  if (rule.method !== undefined && rule.method !== call.method) return false
  const { path = '' } = rule
  return typeof path === 'string' ? call.target.includes(path) : call.target.search(path) >= 0
}
