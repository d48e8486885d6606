import { TransportError } from './error.ts'
import type { ApiOperation } from './operation.ts'

/**
 * The requests that a run may make, retries included. An update is let through only if there is room for
 * reading it back, too; that room is kept until the WLAN is read or the update is known not to be written.
 */
export class RequestBudget {
  readonly #most: number
  readonly #toReadBack = new Set<string>()
  #made = 0

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  /** Requests made so far. */
  get made(): number {
    return this.#made
  }

  /** Throws a `Fault` if there is no room for the operation. */
  check(operation: ApiOperation): void {
    if (this.#made + this.#kept(operation) + needed(operation) <= this.#most) return
    const what =
      operation.name === 'update WLAN' ? 'it and reading it back do not fit' : 'it does not fit'
    throw new TransportError(
      { kind: 'spent', sent: 'no' },
      `not sent: ${what} into the requests that are left`,
      { hint: `the ${this.#most} requests of --max-requests are used up` }
    )
  }

  /** Counts a request; throws a `Fault` if there is no room for it. */
  spend(operation: ApiOperation): void {
    this.check(operation)
    this.#made += 1
    if (operation.name === 'update WLAN') this.#toReadBack.add(operation.wlanId)
    if (operation.name === 'read WLAN') this.#toReadBack.delete(operation.wlanId)
  }

  /** Gives back what was kept for an update that is known not to be written. */
  release(operation: ApiOperation): void {
    if (operation.name === 'update WLAN') this.#toReadBack.delete(operation.wlanId)
  }

  /** What is kept for reading back others than this one. */
  #kept(operation: ApiOperation): number {
    const own = 'wlanId' in operation && this.#toReadBack.has(operation.wlanId)
    return this.#toReadBack.size - (own ? 1 : 0)
  }
}

function needed({ name }: ApiOperation): number {
  return name === 'update WLAN' ? 2 : 1
}
