import type { SitePair } from './plain.ts'
import type { RequestedSite } from './request.ts'
import type { ImportedSite } from './site.ts'

/** Hands sites on in the order in which they were asked for, whatever comes first. */
export class Turns {
  readonly #requested: readonly RequestedSite[]
  readonly #take: (site: SitePair) => void
  readonly #settled = new Map<string, ImportedSite | undefined>()
  #next = 0

  constructor(requested: readonly RequestedSite[], take: (site: SitePair) => void) {
    this.#requested = requested
    this.#take = take
  }

  /** A site was read, or (undefined) could not be. */
  settle(id: string, imported: ImportedSite | undefined): void {
    this.#settled.set(id, imported)
    for (;;) {
      const requested = this.#requested[this.#next]
      if (requested === undefined || !this.#settled.has(requested.id)) return
      const ready = this.#settled.get(requested.id)
      this.#settled.delete(requested.id)
      this.#next += 1
      if (ready !== undefined) this.#take([requested, ready])
    }
  }
}
