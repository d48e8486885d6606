import { seededRandom } from './fleet/random.ts'
import {
  type Delivery,
  deliverWhole,
  errorResponse,
  htmlResponse,
  rateLimitResponse,
  type SimulatedRequest,
  type SimulatedResponse
} from './http.ts'

/** What goes wrong with a call: it decides whether that is carried out, and what comes back. */
export type InjectedFault = (carryOut: () => SimulatedResponse) => Delivery

/**
 * What can go wrong between a client and the service.
 *
 * | kind             | the client sees                  | carried out | it stands for            |
 * |------------------|----------------------------------|-------------|--------------------------|
 * | `429`            | 429 with `Retry-After`           | no          | the hourly limit         |
 * | `500`, `503`     | the status, `{"detail": …}`      | no          | the service in trouble   |
 * | `502`, `504`     | the status, an HTML page         | no          | a proxy before it        |
 * | `504-landed`     | 504, an HTML page                | yes         | a proxy out of patience  |
 * | `reset`          | the connection reset             | no          | a dying front end        |
 * | `reset-landed`   | the connection reset             | yes         | the same, a moment later |
 * | `timeout`        | nothing, until it goes away      | no          | a firewall, an overload  |
 * | `timeout-landed` | nothing, until it goes away      | yes         | the same, a moment later |
 * | `cut`            | 200 and the first half of a body | yes         | a connection that breaks |
 * | `html`           | 200 and an HTML page             | no          | a captive portal         |
 */
export const faultKinds = [
  '429',
  '500',
  '502',
  '503',
  '504',
  '504-landed',
  'reset',
  'reset-landed',
  'timeout',
  'timeout-landed',
  'cut',
  'html'
] as const

export type FaultKind = (typeof faultKinds)[number]

const reset: InjectedFault = () => ({ delivery: 'reset' })
const noResponse: InjectedFault = () => ({ delivery: 'silence' })
const gatewayTimeout = respondWith(htmlResponse(504, '504 Gateway Time-out'))

const injectedFaults: Readonly<Record<Exclude<FaultKind, '429'>, InjectedFault>> = {
  '500': respondWith(errorResponse(500, 'Internal server error.')),
  '502': respondWith(htmlResponse(502, '502 Bad Gateway')),
  '503': respondWith(errorResponse(503, 'Service unavailable.')),
  '504': gatewayTimeout,
  '504-landed': afterExecution(gatewayTimeout),
  reset,
  'reset-landed': afterExecution(reset),
  timeout: noResponse,
  'timeout-landed': afterExecution(noResponse),
  cut: carryOut => ({ delivery: 'cut', answer: carryOut() }),
  html: respondWith(htmlResponse(200, 'Welcome to our guest network'))
}

/** The fault of a kind; `retryAfter` is what a 429 demands, in seconds. */
export function injectedFault(kind: FaultKind, retryAfter: number): InjectedFault {
  return kind === '429' ? respondWith(rateLimitResponse(retryAfter)) : injectedFaults[kind]
}

/** The fault that answers this, and does not carry out the call. */
export function respondWith(answer: SimulatedResponse): InjectedFault {
  return () => deliverWhole(answer)
}

/** The same fault, after the call was carried out. */
export function afterExecution(fault: InjectedFault): InjectedFault {
  return carryOut => {
    carryOut()
    return fault(carryOut)
  }
}

/** The calls a rule is about; what it leaves out holds for all. */
interface RequestSelector {
  readonly method?: string
  /** A part of path and query, or a pattern they match. */
  readonly path?: string | RegExp
  /** So many matching calls pass first. Default: 0. */
  readonly skip?: number
  /** So many are struck then. Default: 1. */
  readonly times?: number | 'always'
}

/** Any answer a test can think of, in place of the service's own. */
export interface CannedResponse {
  readonly status: number
  readonly headers?: SimulatedResponse['headers']
  readonly body?: SimulatedResponse['body']
  /** True if the call is carried out all the same. Default: false. */
  readonly landed?: boolean
}

/** A fault for certain calls, for tests that must know which ones are struck. */
export type FailRule = RequestSelector &
  ({ readonly kind: FaultKind } | { readonly answer: CannedResponse })

/** Counts, for each rule, the calls that matched it; a new list of rules begins anew. */
export class FailRules {
  readonly #rules: readonly FailRule[]
  readonly #matched: number[]

  constructor(rules: readonly FailRule[]) {
    this.#rules = rules
    this.#matched = rules.map(() => 0)
  }

  /** The first rule that strikes this call, or undefined. */
  match(call: SimulatedRequest): FailRule | undefined {
    return this.#rules.find((rule, index) => {
      if (!matches(rule, call)) return false
      const nth = (this.#matched[index] ?? 0) + 1
      this.#matched[index] = nth
      const { skip = 0, times = 1 } = rule
      return nth > skip && (times === 'always' || nth <= skip + times)
    })
  }
}

/** The fault that a canned answer is. */
export function cannedFault(canned: CannedResponse): InjectedFault {
  const { status, headers = { 'content-type': 'application/json' }, body = '' } = canned
  const fault = respondWith({ status, headers, body })
  return canned.landed ? afterExecution(fault) : fault
}

function matches(rule: RequestSelector, call: SimulatedRequest): boolean {
  if (rule.method !== undefined && rule.method !== call.method) return false
  const { path = '' } = rule
  return typeof path === 'string' ? call.target.includes(path) : call.target.search(path) >= 0
}

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
export class FaultInjector {
  readonly #counts: Record<FaultKind | 'answer', number>
  readonly #occurrences = new Map<string, number>()
  readonly #seed: number
  #rules = new FailRules([])

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
    this.#rules = new FailRules(rules)
  }

  /** What goes wrong with this call, or undefined. The rules come before chance. */
  draw(call: SimulatedRequest, rates: FaultRates, retryAfter: number): InjectedFault | undefined {
    const rule = this.#rules.match(call)
    if (rule !== undefined && 'answer' in rule) {
      this.#counts.answer += 1
      return cannedFault(rule.answer)
    }
    const kind = rule?.kind ?? this.#drawByChance(call, rates)
    if (kind === undefined) return undefined
    this.#counts[kind] += 1
    return injectedFault(kind, retryAfter)
  }

  #drawByChance(call: SimulatedRequest, rates: FaultRates): FaultKind | undefined {
    const what = `${call.method} ${call.target}`
    const nth = (this.#occurrences.get(what) ?? 0) + 1
    this.#occurrences.set(what, nth)
    let left = seededRandom(this.#seed, what, nth)()
    return faultKinds.find(kind => {
      left -= rates[kind] ?? 0
      return left < 0
    })
  }
}
