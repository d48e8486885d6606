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
import { type CallBudget, defaultSwitches, type Switches } from './switches.ts'
import {
  checkAuthorization,
  type Now,
  postToken,
  type Route,
  type SimulatedSession,
  TokenStore
} from './tokens.ts'
import { getWlan, getWlans, putWlan } from './wlans.ts'

export interface SimulatedServiceOptions {
  readonly sites: readonly SimulatedSite[]
  /** The valid tokens; at least one. */
  readonly tokens: readonly string[]
  readonly seed: number
  readonly clock: Now
  readonly session: SimulatedSession | undefined
  readonly switches: Partial<Switches>
}

/** The simulated service without its sockets. */
export class SimulatedService {
  readonly store: WlanStore
  switches: Switches = defaultSwitches
  readonly #tokens: TokenStore
  readonly #session: SimulatedSession | undefined
  readonly #rateLimiter: RateLimiter
  readonly #faults: FaultInjector

  constructor(options: SimulatedServiceOptions) {
    const { sites, tokens, seed, clock, session, switches } = options
    this.store = new WlanStore(sites, clock)
    this.#tokens = new TokenStore(tokens, seededRandom(seed, 'tokens'), clock)
    this.#session = session
    this.#rateLimiter = new RateLimiter(clock)
    this.#faults = new FaultInjector(seed)
    this.setSwitches(switches)
  }

  get faults(): FaultCounts {
    return this.#faults.counts
  }

  /** Sets switches; the rules of `fail` start counting at zero. */
  setSwitches(switches: Partial<Switches>): void {
    this.switches = { ...this.switches, ...switches }
    if (switches.fail !== undefined) this.#faults.setRules(switches.fail)
  }

  /** Routes, authorizes, counts, injects a fault, executes. */
  handle(request: SimulatedRequest): Delivery {
    const { redirectTo, faults, retryAfter } = this.switches
    if (redirectTo !== null) return deliverWhole(redirectResponse(redirectTo))
    const route = matchRoute(request.path)
    if (route === undefined) return deliverWhole(errorResponse(404, 'Not found.'))
    const rejection = this.#reject(request, route)
    if (rejection !== undefined) return deliverWhole(rejection)
    const fault = this.#faults.draw(request, faults, retryAfter)
    const execute = () => this.#execute(request, route)
    return fault === undefined ? deliverWhole(execute()) : fault(execute)
  }

  /** The response to a request that is not executed: unknown method, unauthorized, over the rate limit. */
  #reject(request: SimulatedRequest, route: Route): SimulatedResponse | undefined {
    return (
      checkMethod(route, request.method) ??
      checkAuthorization(request, route, this.#tokens, this.#session) ??
      this.#rejectOverLimit(request)
    )
  }

  #rejectOverLimit({ headers }: SimulatedRequest): SimulatedResponse | undefined {
    const { rateLimit } = this.switches
    const caller = headers.authorization ?? 'session'
    const wait = rateLimit === null ? undefined : this.#rateLimiter.count(rateLimit, caller)
    return wait === undefined ? undefined : rateLimitResponse(wait)
  }

  #execute(request: SimulatedRequest, route: Route): SimulatedResponse {
    const { store, switches } = this
    switch (route.kind) {
      case 'tokens':
        return request.method === 'POST'
          ? postToken(this.#tokens, request, switches)
          : okResponse(this.#tokens.list())
      case 'wlans':
        return getWlans(store, route.site, request, switches)
      case 'wlan':
        return request.method === 'PUT'
          ? putWlan(store, route.site, route.wlan, request, switches)
          : getWlan(store, route.site, route.wlan, switches)
    }
  }
}

const WLANS = /^\/api\/v1\/sites\/([^/]+)\/wlans(?:\/([^/]+))?$/

/** The route of a path (without its query), or undefined. */
export function matchRoute(path: string): Route | undefined {
  if (path === '/api/v1/self/apitokens') return { kind: 'tokens' }
  const [, site, wlan] = WLANS.exec(path) ?? []
  if (site === undefined) return undefined
  return wlan === undefined ? { kind: 'wlans', site } : { kind: 'wlan', site, wlan }
}

/** The supported methods; WLANs cannot be created or deleted. */
const methods: Readonly<Record<Route['kind'], readonly string[]>> = {
  tokens: ['GET', 'POST', 'OPTIONS'],
  wlans: ['GET', 'OPTIONS'],
  wlan: ['GET', 'PUT', 'OPTIONS']
}

/** The response to OPTIONS, and a 405 for an unsupported method; undefined for other requests. */
export function checkMethod(route: Route, method: string): SimulatedResponse | undefined {
  const allowed = methods[route.kind]
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS') return jsonResponse(200, {}, headers)
  if (allowed.includes(method)) return undefined
  return errorResponse(405, `Method "${method}" not allowed.`, headers)
}

/** The requests of one caller in the current window. */
interface RateWindow {
  calls: number
  /** The end of the window, in milliseconds since 1970. */
  readonly end: number
}

/**
 * A fixed-window rate limit per token, and one for a session. A window begins with its first request (the
 * service's with the hour), so that a test knows which request exceeds it.
 */
export class RateLimiter {
  readonly #clock: Now
  readonly #windows = new Map<string, RateWindow>()

  constructor(clock: Now) {
    this.#clock = clock
  }

  /** Counts a request of `caller`. Undefined if it is allowed, else the seconds until the window ends. */
  count(budget: CallBudget, caller: string): number | undefined {
    const now = this.#clock()
    const previous = this.#windows.get(caller)
    const window =
      previous !== undefined && now < previous.end
        ? previous
        : { calls: 0, end: now + budget.perSeconds * 1000 }
    this.#windows.set(caller, window)
    if (window.calls >= budget.calls) return Math.ceil((window.end - now) / 1000)
    window.calls += 1
    return undefined
  }
}
