import { type FaultCounts, FaultInjector } from './faults.ts'
import { seededRandom } from './fleet/random.ts'
import {
  type Delivery,
  deliverWhole,
  errorResponse,
  jsonResponse,
  okResponse,
  rateLimitResponse,
  redirectResponse,
  type SimulatedRequest,
  type SimulatedResponse
} from './http.ts'
import { type SimulatedSite, WlanStore } from './store.ts'
import { defaultSwitches, type Switches } from './switches.ts'
import {
  checkAuthorization,
  type Now,
  postToken,
  type SimulatedSession,
  TokenStore
} from './tokens.ts'
import { getWlan, getWlans, putWlan } from './wlans.ts'

export interface SimulatedServiceOptions {
  readonly sites: readonly SimulatedSite[]
  /** Those that are valid; at least one. */
  readonly tokens: readonly string[]
  readonly seed: number
  readonly clock: Now
  readonly session: SimulatedSession | undefined
  readonly switches: Partial<Switches>
}

/** The service behind the sockets: calls in, replies out. */
export class SimulatedService {
  readonly store: WlanStore
  switches: Switches = defaultSwitches
  readonly #tokens: TokenStore
  readonly #session: SimulatedSession | undefined
  readonly #limit: RateLimiter
  readonly #faults: FaultInjector

  constructor(options: SimulatedServiceOptions) {
    const { sites, tokens, seed, clock, session, switches } = options
    this.store = new WlanStore(sites, clock)
    this.#tokens = new TokenStore(tokens, seededRandom(seed, 'tokens'), clock)
    this.#session = session
    this.#limit = new RateLimiter(clock)
    this.#faults = new FaultInjector(seed)
    this.setSwitches(switches)
  }

  get faults(): FaultCounts {
    return this.#faults.counts
  }

  /** Sets switches; rules of `fail` count from here. */
  setSwitches(switches: Partial<Switches>): void {
    this.switches = { ...this.switches, ...switches }
    if (switches.fail !== undefined) this.#faults.setRules(switches.fail)
  }

  /** Route, authorise, count, go wrong, carry out. */
  handle(call: SimulatedRequest): Delivery {
    const { redirectTo, faults, retryAfter } = this.switches
    if (redirectTo !== null) return deliverWhole(redirectResponse(redirectTo))
    const resource = matchRoute(call.path)
    if (resource === undefined) return deliverWhole(errorResponse(404, 'Not found.'))
    const refused = this.#reject(call, resource)
    if (refused !== undefined) return deliverWhole(refused)
    const fault = this.#faults.draw(call, faults, retryAfter)
    const carryOut = () => this.#execute(call, resource)
    return fault === undefined ? deliverWhole(carryOut()) : fault(carryOut)
  }

  /** What is answered before anything is carried out: another method, no right, no budget. */
  #reject(call: SimulatedRequest, resource: Route): SimulatedResponse | undefined {
    return (
      checkMethod(resource, call.method) ??
      checkAuthorization(call, resource, this.#tokens, this.#session) ??
      this.#rejectOverLimit(call)
    )
  }

  #rejectOverLimit({ headers }: SimulatedRequest): SimulatedResponse | undefined {
    const { rateLimit } = this.switches
    const caller = headers.authorization ?? 'session'
    const wait = rateLimit === null ? undefined : this.#limit.count(rateLimit, caller)
    return wait === undefined ? undefined : rateLimitResponse(wait)
  }

  #execute(call: SimulatedRequest, resource: Route): SimulatedResponse {
    const { store, switches } = this
    switch (resource.kind) {
      case 'tokens':
        return call.method === 'POST'
          ? postToken(this.#tokens, call, switches)
          : okResponse(this.#tokens.list())
      case 'wlans':
        return getWlans(store, resource.site, call, switches)
      case 'wlan':
        return call.method === 'PUT'
          ? putWlan(store, resource.site, resource.wlan, call, switches)
          : getWlan(store, resource.site, resource.wlan, switches)
    }
  }
}

/** What a path names. Ids are as they were written: whether they exist is for the store to say. */
export type Route =
  | { readonly kind: 'tokens' }
  | { readonly kind: 'wlans'; readonly site: string }
  | { readonly kind: 'wlan'; readonly site: string; readonly wlan: string }

const WLANS = /^\/api\/v1\/sites\/([^/]+)\/wlans(?:\/([^/]+))?$/

/** The resource at a path (without its query), or undefined. */
export function matchRoute(path: string): Route | undefined {
  if (path === '/api/v1/self/apitokens') return { kind: 'tokens' }
  const [, site, wlan] = WLANS.exec(path) ?? []
  if (site === undefined) return undefined
  return wlan === undefined ? { kind: 'wlans', site } : { kind: 'wlan', site, wlan }
}

/** The operations there are; there is no create and no delete of WLANs. */
const methods: Readonly<Record<Route['kind'], readonly string[]>> = {
  tokens: ['GET', 'POST', 'OPTIONS'],
  wlans: ['GET', 'OPTIONS'],
  wlan: ['GET', 'PUT', 'OPTIONS']
}

/** Answers OPTIONS, and 405 what the resource has no operation for; undefined for the others. */
export function checkMethod(resource: Route, method: string): SimulatedResponse | undefined {
  const allowed = methods[resource.kind]
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS') return jsonResponse(200, {}, headers)
  if (allowed.includes(method)) return undefined
  return errorResponse(405, `Method "${method}" not allowed.`, headers)
}

/** So many calls in so many seconds; the service allows 5,000 an hour. */
export interface CallBudget {
  readonly calls: number
  readonly perSeconds: number
}

/** How much of its allowance one caller has used. */
interface RateWindow {
  calls: number
  /** When its period ends, in milliseconds since 1970. */
  readonly end: number
}

/**
 * The service's budget of calls: each token has its own, and so has a session. A period begins with its
 * first call (the service's with the hour), so that a test knows which call is one too many.
 */
export class RateLimiter {
  readonly #clock: Now
  readonly #windows = new Map<string, RateWindow>()

  constructor(clock: Now) {
    this.#clock = clock
  }

  /** Counts a call of `caller`. Undefined if it is allowed, else the seconds until calls are again. */
  count(allowance: CallBudget, caller: string): number | undefined {
    const now = this.#clock()
    const before = this.#windows.get(caller)
    const spent =
      before !== undefined && now < before.end
        ? before
        : { calls: 0, end: now + allowance.perSeconds * 1000 }
    this.#windows.set(caller, spent)
    if (spent.calls >= allowance.calls) return Math.ceil((spent.end - now) / 1000)
    spent.calls += 1
    return undefined
  }
}
