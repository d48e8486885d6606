import type { Pointer } from '../model/pointer.ts'
import type { FaultRates } from './faults/faults.ts'
import type { Allowance } from './faults/rate-limit.ts'
import type { FailRule } from './faults/rules.ts'
import { DEFAULT_PAGE } from './http/pages.ts'
import type { JsonObject } from './json.ts'

/** How the service shows a secret: not hidden, `********`, `te*****23`, `""`, or left out. */
export const hidings = ['no', 'masked', 'partly', 'empty', 'absent'] as const

export type Hiding = (typeof hidings)[number]

/** The manners of the service that tests and trials vary. All may be set while it runs. */
export interface Switches {
  /** Milliseconds before any answer. */
  readonly latency: number
  /** The WLANs on a page where the request gives no `limit`. */
  readonly pageSize: number
  readonly hiddenSecrets: Hiding
  /** Milliseconds for which reads show the old record after a PUT. */
  readonly staleFor: number
  /** Whether a PUT merges objects below the top level; the service replaces them. */
  readonly merge: boolean
  /** Whether values are stored in another form that means the same, and empty objects added. */
  readonly normalise: boolean
  /** Whether the answer to a created token is an array that holds it. */
  readonly tokenAsList: boolean
  /** Fields that a PUT is answered for as if they were stored, and that are not. */
  readonly dropFields: readonly Pointer[]
  /** A field, and what moves with it when a PUT turns it on. */
  readonly coupled: Readonly<Record<string, JsonObject>>
  /** Fields that somebody edits right after each PUT. */
  readonly editBetween: JsonObject | null
  readonly faults: FaultRates
  readonly fail: readonly FailRule[]
  /** Seconds that an injected 429 asks for. */
  readonly retryAfter: number
  readonly rateLimit: Allowance | null
  /** Where every call is redirected to (302), as by a proxy. */
  readonly redirectTo: string | null
}

/** The one documented case of a field that moves others. */
export const documentedCoupling: Switches['coupled'] = {
  bonjour: { limit_bcast: true, allow_mdns: false }
}

/** The service on a good day. */
export const defaultSwitches: Switches = {
  latency: 0,
  pageSize: DEFAULT_PAGE,
  hiddenSecrets: 'no',
  staleFor: 0,
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
