import { isInherited } from '../core/model/live.ts'
import { type Field, wlanField } from '../core/schema/field.ts'
import { objectOf } from '../core/values/collections.ts'
import { isList, isObject } from '../core/values/value.ts'
import { type FaultCounts, FaultInjector } from './faults.ts'
import { seededRandom } from './fleet/random.ts'
import {
  checkMethod,
  type Delivery,
  deliverWhole,
  errorResponse,
  fieldErrorsResponse,
  matchRoute,
  notFoundResponse,
  okResponse,
  pageResponse,
  parseBody,
  type Route,
  rateLimitResponse,
  redirectResponse,
  type SimulatedRequest,
  type SimulatedResponse
} from './http.ts'
import type { Json, JsonObject } from './json.ts'
import { applyPut, validateBody } from './put.ts'
import { type Now, RateLimiter } from './rate-limiter.ts'
import { type SimulatedSite, WlanStore } from './store.ts'
import { defaultSwitches, type SecretMasking, type Switches } from './switches.ts'
import { checkAuthorization, postToken, TokenStore } from './tokens.ts'

export interface SimulatedServiceOptions {
  readonly sites: readonly SimulatedSite[]
  readonly tokens: readonly string[]
  readonly seed: number
  readonly clock: Now
  readonly switches: Partial<Switches>
}

/** The simulated service without its sockets. */
export class SimulatedService {
  readonly store: WlanStore
  switches: Switches = defaultSwitches
  readonly #tokens: TokenStore
  readonly #rateLimiter: RateLimiter
  readonly #faults: FaultInjector

  constructor({ sites, tokens, seed, clock, switches }: SimulatedServiceOptions) {
    this.store = new WlanStore(sites, clock)
    this.#tokens = new TokenStore(tokens, seededRandom(seed, 'tokens'), clock)
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

  #reject(request: SimulatedRequest, route: Route): SimulatedResponse | undefined {
    return (
      checkMethod(route, request.method) ??
      checkAuthorization(request, this.#tokens) ??
      this.#rejectOverLimit(request)
    )
  }

  #rejectOverLimit({ headers }: SimulatedRequest): SimulatedResponse | undefined {
    const { rateLimit } = this.switches
    const caller = headers.authorization ?? ''
    const wait = rateLimit === null ? undefined : this.#rateLimiter.count(rateLimit, caller)
    return wait === undefined ? undefined : rateLimitResponse(wait)
  }

  #switchesFor({ headers }: SimulatedRequest): Switches {
    const { hiddenFrom } = this.switches
    const isHidden =
      hiddenFrom.length === 0 ||
      hiddenFrom.some(token => headers.authorization === `Token ${token}`)
    return isHidden ? this.switches : { ...this.switches, hiddenSecrets: 'no' }
  }

  #execute(request: SimulatedRequest, route: Route): SimulatedResponse {
    const switches = this.#switchesFor(request)
    switch (route.kind) {
      case 'tokens':
        return request.method === 'POST'
          ? postToken(this.#tokens, request, switches)
          : okResponse(this.#tokens.list())
      case 'sites':
        return this.#getSites(route.org, request, switches)
      case 'wlans':
        return this.#getWlans(route.site, request, switches)
      case 'wlan':
        return request.method === 'PUT'
          ? this.#putWlan(route.site, route.wlan, request, switches)
          : this.#getWlan(route.site, route.wlan, request, switches)
    }
  }

  #isStale(request: SimulatedRequest): boolean {
    return this.#faults.isStale(request, this.switches.staleReads)
  }

  /** `GET /orgs/<org>/sites`: a page of the sites of an organization. */
  #getSites(org: string, { query }: SimulatedRequest, { pageSize }: Switches): SimulatedResponse {
    const records = this.store.sitesOf(org)
    return records === undefined ? notFoundResponse(org) : pageResponse(records, query, pageSize)
  }

  /** `GET /sites/<site>/wlans`: a page of the records of a site. */
  #getWlans(site: string, request: SimulatedRequest, switches: Switches): SimulatedResponse {
    const { pageSize, hiddenSecrets } = switches
    const records = this.store.list(site, this.#isStale(request))
    return records === undefined
      ? notFoundResponse(site)
      : pageResponse(records, request.query, pageSize, each => maskSecrets(each, hiddenSecrets))
  }

  /** `GET /sites/<site>/wlans/<wlan>`: one record. */
  #getWlan(
    site: string,
    wlan: string,
    request: SimulatedRequest,
    { hiddenSecrets }: Switches
  ): SimulatedResponse {
    const record = this.store.read(site, wlan, this.#isStale(request))
    if (record === undefined) return this.#notFound(site, wlan)
    return okResponse(maskSecrets(record, hiddenSecrets))
  }

  /** `PUT /sites/<site>/wlans/<wlan>`: stores the fields of the body and returns the record. */
  #putWlan(
    site: string,
    wlan: string,
    request: SimulatedRequest,
    switches: Switches
  ): SimulatedResponse {
    const { store } = this
    const before = store.read(site, wlan, false)
    if (before === undefined) return this.#notFound(site, wlan)
    const sent = parseBody(request)
    if ('refused' in sent) return sent.refused
    if (isInherited(before)) return errorResponse(400, 'The WLAN belongs to the organization.')
    const problems = validateBody(sent.body)
    if (Object.keys(problems).length > 0) return fieldErrorsResponse(problems)
    const next = applyPut(before, sent.body, switches)
    const after = store.put(site, wlan, sent.body, next, switches.staleFor)
    if (switches.editBetween !== null) store.edit(site, wlan, switches.editBetween)
    return okResponse(maskSecrets(after, switches.hiddenSecrets))
  }

  #notFound(site: string, wlan: string): SimulatedResponse {
    return notFoundResponse(this.store.hasSite(site) ? wlan : site)
  }
}

type Mask = (secret: string) => string | undefined

const masks: Readonly<Record<Exclude<SecretMasking, 'no'>, Mask>> = {
  masked: () => '********',
  partly: secret => (secret.length < 8 ? '*****' : `${secret.slice(0, 2)}*****${secret.slice(-2)}`),
  empty: () => '',
  absent: () => undefined
}

/** The record for callers who may not see secrets. No document says how the service masks them. */
export function maskSecrets(record: JsonObject, hiding: SecretMasking): JsonObject {
  return hiding === 'no' ? record : maskObject(record, wlanField, masks[hiding])
}

function maskObject(object: JsonObject, field: Field, veil: Mask): JsonObject {
  return objectOf(Object.keys(object), name =>
    maskValue(object[name] ?? null, field.member(name), veil)
  )
}

function maskValue(value: Json, field: Field, veil: Mask): Json | undefined {
  if (isList(value)) return value.flatMap(each => maskValue(each, field.item(), veil) ?? [])
  if (isObject(value)) return maskObject(value, field, veil)
  return field.secret && typeof value === 'string' && value !== '' ? veil(value) : value
}
