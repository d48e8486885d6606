import { type FaultCounts, Faults } from '../faults/faults.ts'
import { RateLimit } from '../faults/rate-limit.ts'
import { randomOf } from '../fleet/random.ts'
import { type Answer, ok, type Reply, redirect, refusal, tooMany, whole } from '../http/answers.ts'
import { authorise, type Session } from '../http/authorise.ts'
import type { Call } from '../http/call.ts'
import { methodAnswer, type Resource, resourceAt } from '../http/routes.ts'
import { defaultSwitches, type Switches } from '../switches.ts'
import { type SimulatedSite, Store } from './store.ts'
import { type Clock, createToken, Tokens } from './tokens.ts'
import { listWlans, readWlan, updateWlan } from './wlans.ts'

export interface ServiceOptions {
  readonly sites: readonly SimulatedSite[]
  /** Those that are valid; at least one. */
  readonly tokens: readonly string[]
  readonly seed: number
  readonly clock: Clock
  readonly session: Session | undefined
  readonly switches: Partial<Switches>
}

/** The service behind the sockets: calls in, replies out. */
export class Service {
  readonly store: Store
  switches: Switches = defaultSwitches
  readonly #tokens: Tokens
  readonly #session: Session | undefined
  readonly #limit: RateLimit
  readonly #faults: Faults

  constructor(options: ServiceOptions) {
    const { sites, tokens, seed, clock, session, switches } = options
    this.store = new Store(sites, clock)
    this.#tokens = new Tokens(tokens, randomOf(seed, 'tokens'), clock)
    this.#session = session
    this.#limit = new RateLimit(clock)
    this.#faults = new Faults(seed)
    this.set(switches)
  }

  get faults(): FaultCounts {
    return this.#faults.counts
  }

  /** Sets switches; rules of `fail` count from here. */
  set(switches: Partial<Switches>): void {
    this.switches = { ...this.switches, ...switches }
    if (switches.fail !== undefined) this.#faults.setRules(switches.fail)
  }

  /** Route, authorise, count, go wrong, carry out. */
  reply(call: Call): Reply {
    const { redirectTo, faults, retryAfter } = this.switches
    if (redirectTo !== null) return whole(redirect(redirectTo))
    const resource = resourceAt(call.path)
    if (resource === undefined) return whole(refusal(404, 'Not found.'))
    const refused = this.#refusal(call, resource)
    if (refused !== undefined) return whole(refused)
    const fault = this.#faults.draw(call, faults, retryAfter)
    const carryOut = () => this.#carryOut(call, resource)
    return fault === undefined ? whole(carryOut()) : fault(carryOut)
  }

  /** What is answered before anything is carried out: another method, no right, no budget. */
  #refusal(call: Call, resource: Resource): Answer | undefined {
    return (
      methodAnswer(resource, call.method) ??
      authorise(call, resource, this.#tokens, this.#session) ??
      this.#overBudget(call)
    )
  }

  #overBudget({ headers }: Call): Answer | undefined {
    const { rateLimit } = this.switches
    const caller = headers.authorization ?? 'session'
    const wait = rateLimit === null ? undefined : this.#limit.spend(rateLimit, caller)
    return wait === undefined ? undefined : tooMany(wait)
  }

  #carryOut(call: Call, resource: Resource): Answer {
    const { store, switches } = this
    switch (resource.kind) {
      case 'tokens':
        return call.method === 'POST'
          ? createToken(this.#tokens, call, switches)
          : ok(this.#tokens.list())
      case 'wlans':
        return listWlans(store, resource.site, call, switches)
      case 'wlan':
        return call.method === 'PUT'
          ? updateWlan(store, resource.site, resource.wlan, call, switches)
          : readWlan(store, resource.site, resource.wlan, switches)
    }
  }
}
