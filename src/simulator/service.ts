import { type FaultCounts, FaultInjector } from './faults.ts'
import { seededRandom } from './fleet/random.ts'
import {
  type Delivery,
  deliverWhole,
  errorResponse,
  okResponse,
  rateLimitResponse,
  redirectResponse,
  type SimulatedRequest,
  type SimulatedResponse
} from './http.ts'
import { type Now, RateLimiter } from './rate-limiter.ts'
import { checkMethod, matchRoute, type Route } from './routes.ts'
import { type SimulatedSite, WlanStore } from './store.ts'
import { defaultSwitches, type Switches } from './switches.ts'
import { checkAuthorization, postToken, type SimulatedSession, TokenStore } from './tokens.ts'
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
