/**
 * How often one change or one request is tried: the one bound of all loops that try again.
 *
 * | loop                 | tries again                                                                     |
 * |----------------------|---------------------------------------------------------------------------------|
 * | `transport/retry.ts` | a request that was not carried out (429, no connection), a read after any fault |
 * | `apply/send.ts`      | an update with an unknown fate, once reading shows that it is not there         |
 * | `apply/change.ts`    | a change that a rate limit held back until its WLAN had to be read again        |
 *
 * All three count in the same `Attempts` of a change: no more than `--max-attempts` updates are sent for it,
 * whatever they are answered. A try in which nothing could be sent counts, too, so that each loop ends.
 * A request that belongs to no change has attempts of its own.
 */
export class Attempts {
  readonly #most: number
  #made = 0

  constructor(most: number) {
    this.#most = most
  }

  get made(): number {
    return this.#made
  }

  get left(): number {
    return Math.max(0, this.#most - this.#made)
  }

  /** Counts one, before it is made. */
  count(): void {
    this.#made += 1
  }

  /** Gives one back: what another token makes good is no attempt of a read. */
  giveBack(): void {
    this.#made -= 1
  }
}
