import type { Site } from '../model/desired.ts'
import type { LiveSite } from '../model/live.ts'

/** Lists that may be begun before anybody asks for them, and WLANs that may wait in them. */
const MOST_LISTS = 256
const MOST_WLANS = 4096

/** Lists the WLANs of sites, some of them before they are asked for; each site once. */
export class ListsAhead {
  readonly #list: (site: Site) => Promise<LiveSite>
  /** By id in lower case. */
  readonly #begun = new Map<string, Promise<LiveSite>>()
  #waiting = 0

  constructor(list: (site: Site) => Promise<LiveSite>) {
    this.#list = list
  }

  /** Begins to list a site; does nothing once enough lists wait to be asked for. */
  begin(site: Site): void {
    const key = site.id.toLowerCase()
    const isFull = this.#begun.size >= MOST_LISTS || this.#waiting >= MOST_WLANS
    if (isFull || this.#begun.has(key)) return
    const list = this.#list(site)
    this.#begun.set(key, list)
    // Whoever asks for it is told why there is none; if nobody does, nobody minds.
    list.then(
      ({ wlans }) => {
        this.#waiting += wlans.length
      },
      () => undefined
    )
  }

  async take(site: Site): Promise<LiveSite> {
    const key = site.id.toLowerCase()
    const begun = this.#begun.get(key)
    if (begun === undefined) return this.#list(site)
    this.#begun.delete(key)
    const { wlans } = await begun
    this.#waiting -= wlans.length
    return { site: { id: site.id, name: site.name }, wlans }
  }
}
