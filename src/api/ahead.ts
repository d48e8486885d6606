import { setImmediate } from 'node:timers/promises'
import type { Site } from '../model/desired.ts'
import { Semaphore } from './concurrency.ts'
import type { ApiResponse } from './response.ts'

/** Lists that may be begun before anybody asks for them, and bytes that may wait in them. */
const MOST_LISTS = 512
const MOST_BYTES = 8 * 1024 * 1024

/** Lists that are taken in one turn of the event loop: a few milliseconds. */
const AT_ONCE = 16

/** Asks for the lists of sites before anybody wants them. They wait as they came, which takes least room. */
export class ListsAhead {
  readonly #ask: (site: Site) => Promise<ApiResponse>
  /** By id in lower case. */
  readonly #begun = new Map<string, Promise<ApiResponse>>()
  #waiting = 0
  /** Of many that wait, each is dealt with before the next one is looked at, and answers are taken in between. */
  readonly #turn = new Semaphore(AT_ONCE)

  constructor(ask: (site: Site) => Promise<ApiResponse>) {
    this.#ask = ask
  }

  /** Begins to list a site; does nothing once enough lists wait to be taken. */
  begin(site: Site): void {
    const key = site.id.toLowerCase()
    const isFull = this.#begun.size >= MOST_LISTS || this.#waiting >= MOST_BYTES
    if (isFull || this.#begun.has(key)) return
    const list = this.#ask(site)
    this.#begun.set(key, list)
    // Whoever takes it is told why there is none; if nobody does, nobody minds.
    list.then(
      ({ bytes }) => {
        this.#waiting += bytes
      },
      () => undefined
    )
  }

  /** The list of a site, once; undefined if it was not begun. */
  async take({ id }: Site): Promise<ApiResponse | undefined> {
    const key = id.toLowerCase()
    const begun = this.#begun.get(key)
    this.#begun.delete(key)
    if (begun === undefined) return undefined
    const answer = await begun
    this.#waiting -= answer.bytes
    await this.#turn.acquire()
    await setImmediate()
    this.#turn.release()
    return answer
  }
}
