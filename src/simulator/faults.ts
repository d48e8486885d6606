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

export type InjectedFault = (execute: () => SimulatedResponse) => Delivery

/**
 * The faults between a client and the service.
 *
 * | kind             | the client sees                  | executed    | simulates                |
 * |------------------|----------------------------------|-------------|--------------------------|
 * | `429`            | 429 with `Retry-After`           | no          | the hourly limit         |
 * | `500`, `503`     | the status, `{"detail": …}`      | no          | the service in trouble   |
 * | `502`, `504`     | the status, an HTML page         | no          | a proxy before it        |
 * | `504-landed`     | 504, an HTML page                | yes         | a proxy that timed out   |
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
const noResponse: InjectedFault = () => ({ delivery: 'no-response' })
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
  cut: execute => ({ delivery: 'cut', response: execute() }),
  html: respondWith(htmlResponse(200, 'Welcome to our guest network'))
}

export function respondWith(response: SimulatedResponse): InjectedFault {
  return () => deliverWhole(response)
}

export function afterExecution(fault: InjectedFault): InjectedFault {
  return execute => {
    execute()
    return fault(execute)
  }
}

interface RequestSelector {
  readonly method?: string
  /** A substring of path and query, or a pattern that matches them. */
  readonly path?: string | RegExp
  /** The number of matching requests that pass first. Default: 0. */
  readonly skip?: number
  /** The number of matching requests that fail then. Default: 1. */
  readonly times?: number | 'always'
}

export interface CannedResponse {
  readonly status: number
  readonly headers?: SimulatedResponse['headers']
  readonly body?: SimulatedResponse['body']
  /** True if the request is executed anyway. Default: false. */
  readonly landed?: boolean
}

export type FailRule = RequestSelector &
  ({ readonly kind: FaultKind } | { readonly answer: CannedResponse })

function cannedFault(canned: CannedResponse): InjectedFault {
  const { status, headers = { 'content-type': 'application/json' }, body = '' } = canned
  const fault = respondWith({ status, headers, body })
  return canned.landed ? afterExecution(fault) : fault
}

function matches(rule: RequestSelector, request: SimulatedRequest): boolean {
  if (rule.method !== undefined && rule.method !== request.method) return false
  const { path = '' } = rule
  return typeof path === 'string' ? request.target.includes(path) : request.target.search(path) >= 0
}

export type FaultCounts = Readonly<Record<FaultKind | 'answer', number>>

/** The probability of each kind, from 0 to 1; together at most 1. */
export type FaultRates = Partial<Readonly<Record<FaultKind, number>>>

/**
 * A random fault depends on the seed, method, path and number of earlier requests to it alone, so
 * that the order of parallel requests does not matter.
 */
export class FaultInjector {
  readonly #counts: Record<FaultKind | 'answer', number>
  readonly #occurrences = new Map<string, number>()
  readonly #seed: number
  /** Each with the number of requests that it matched. */
  #rules: { readonly rule: FailRule; matched: number }[] = []

  constructor(seed: number) {
    this.#seed = seed
    const zeros = [...faultKinds, 'answer' as const].map(kind => [kind, 0])
    this.#counts = Object.fromEntries(zeros) as Record<FaultKind | 'answer', number>
  }

  get counts(): FaultCounts {
    return this.#counts
  }

  /** The matches of each rule are counted from zero. */
  setRules(rules: readonly FailRule[]): void {
    this.#rules = rules.map(rule => ({ rule, matched: 0 }))
  }

  draw(
    request: SimulatedRequest,
    rates: FaultRates,
    retryAfter: number
  ): InjectedFault | undefined {
    const rule = this.#ruleFor(request)
    if (rule !== undefined && 'answer' in rule) {
      this.#counts.answer += 1
      return cannedFault(rule.answer)
    }
    const kind = rule?.kind ?? this.#drawByChance(request, rates)
    if (kind === undefined) return undefined
    this.#counts[kind] += 1
    return kind === '429' ? respondWith(rateLimitResponse(retryAfter)) : injectedFaults[kind]
  }

  /** True if this read gets the old record, at this rate. */
  isStale({ target }: SimulatedRequest, rate: number): boolean {
    return rate === 1 || this.#chance(`stale ${target}`) < rate
  }

  #ruleFor(request: SimulatedRequest): FailRule | undefined {
    return this.#rules.find(each => {
      const { skip = 0, times = 1 } = each.rule
      if (!matches(each.rule, request)) return false
      each.matched += 1
      return each.matched > skip && (times === 'always' || each.matched <= skip + times)
    })?.rule
  }

  #drawByChance(request: SimulatedRequest, rates: FaultRates): FaultKind | undefined {
    let remainder = this.#chance(`${request.method} ${request.target}`)
    return faultKinds.find(kind => {
      remainder -= rates[kind] ?? 0
      return remainder < 0
    })
  }

  #chance(operation: string): number {
    const nth = (this.#occurrences.get(operation) ?? 0) + 1
    this.#occurrences.set(operation, nth)
    return seededRandom(this.#seed, operation, nth)()
  }
}
