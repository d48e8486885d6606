import type { Pointer } from '../core/values/pointer.ts'
import type { FailRule, FaultRates } from './faults.ts'
import { DEFAULT_PAGE_SIZE } from './http.ts'
import type { JsonObject } from './json.ts'
import type { CallBudget } from './rate-limiter.ts'

/** How the service shows a secret: in full, as `********`, `te*****23` or `""`, or not at all. */
export const secretMaskings = ['no', 'masked', 'partly', 'empty', 'absent'] as const

export type SecretMasking = (typeof secretMaskings)[number]

/** The behaviour of the simulated service. All switches may be set while it runs. */
export interface Switches {
  /** Milliseconds before each response. */
  readonly latency: number
  /** WLANs per page for requests without `limit`. */
  readonly pageSize: number
  readonly hiddenSecrets: SecretMasking
  /** The tokens whose role hides secrets; empty: all of them. */
  readonly hiddenFrom: readonly string[]
  /** Milliseconds for which reads may return the old record after a PUT. */
  readonly staleFor: number
  /** The share of reads during `staleFor` that return the old record, as from a lagging replica. */
  readonly staleReads: number
  /** Whether a PUT merges objects below the top level; the service replaces them. */
  readonly merge: boolean
  /** Whether values are stored in an equivalent form, and empty objects added. */
  readonly normalise: boolean
  /** Whether a created token is returned in an array. */
  readonly tokenAsList: boolean
  /** Fields that a PUT accepts but does not store. */
  readonly dropFields: readonly Pointer[]
  /** Fields that change when a PUT turns the keyed field on. */
  readonly coupled: Readonly<Record<string, JsonObject>>
  /** Fields that another client edits right after each PUT. */
  readonly editBetween: JsonObject | null
  readonly faults: FaultRates
  readonly fail: readonly FailRule[]
  /** `Retry-After` of an injected 429, in seconds. */
  readonly retryAfter: number
  readonly rateLimit: CallBudget | null
  /** The target of a 302 for every request, as from a proxy. */
  readonly redirectTo: string | null
}

/** The only documented case of a field that changes others. */
export const documentedCoupling: Switches['coupled'] = {
  bonjour: { limit_bcast: true, allow_mdns: false }
}

/** The service without faults or deviations. */
export const defaultSwitches: Switches = {
  latency: 0,
  pageSize: DEFAULT_PAGE_SIZE,
  hiddenSecrets: 'no',
  hiddenFrom: [],
  staleFor: 0,
  staleReads: 1,
  merge: false,
  normalise: false,
  tokenAsList: false,
  dropFields: [],
  coupled: {},
  editBetween: null,
  faults: {},
  fail: [],
  retryAfter: 1,
  rateLimit: null,
  redirectTo: null
}

/** The names of switches, for a seed. */
export function isSwitch(name: string): name is keyof Switches {
  return Object.hasOwn(defaultSwitches, name)
}
