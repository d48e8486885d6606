import { TransportError } from './error.ts'
import type { ApiOperation } from './operation.ts'

/**
 * Limits the requests of a run, retries included. It admits an update only if its read-back fits too, and
 * reserves that request until the WLAN is read or the update is known not to be written.
 */
export class RequestBudget {
  readonly #max: number
  readonly #reserved = new Set<string>()
  #made = 0

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /** Requests sent so far. */
  get made(): number {
    return this.#made
  }

  /** Throws a `TransportError` if the operation does not fit. */
  check(operation: ApiOperation): void {
    if (this.#made + this.#reservedForOthers(operation) + costOf(operation) <= this.#max) return
    const what = operation.name === 'update WLAN' ? 'the update and its read-back do' : 'it does'
    throw new TransportError(
      { kind: 'budget-exhausted', sent: 'no' },
      `not sent: ${what} not fit into the remaining requests`,
      { hint: `the ${this.#max} requests of --max-requests are used up` }
    )
  }

  /** Counts a request; throws a `TransportError` if it does not fit. */
  spend(operation: ApiOperation): void {
    this.check(operation)
    this.#made += 1
    if (operation.name === 'update WLAN') this.#reserved.add(operation.wlanId)
    if (operation.name === 'read WLAN') this.#reserved.delete(operation.wlanId)
  }

  /** Frees the read-back of an update that is known not to be written. */
  release(operation: ApiOperation): void {
    if (operation.name === 'update WLAN') this.#reserved.delete(operation.wlanId)
  }

  /** Requests reserved for reading back other WLANs. */
  #reservedForOthers(operation: ApiOperation): number {
    const own = 'wlanId' in operation && this.#reserved.has(operation.wlanId)
    return this.#reserved.size - (own ? 1 : 0)
  }
}

function costOf({ name }: ApiOperation): number {
  return name === 'update WLAN' ? 2 : 1
}
