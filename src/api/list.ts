import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { invalidContent, type TransportError } from './error.ts'
import { MOST_VALUES } from './json-limits.ts'
import { readRecords } from './live.ts'
import { type ApiResponse, MEBIBYTE } from './response.ts'
import type { Send } from './transport.ts'

/** What is asked and kept for one site, whatever the service claims of pages and counts. */
export const listLimits = {
  pages: 200,
  wlans: 20_000,
  bytes: 16 * MEBIBYTE,
  /** Values in the JSON of all pages. */
  values: MOST_VALUES
} as const

/** A page may hold as many WLANs, at most, as we ask for. */
const LARGEST_PAGE = 1_000

/**
 * Lists the WLANs of a site, all of them. The first request says nothing of pages; where the answer
 * names more than it holds, the others follow. In the end the count is right and no id occurs
 * twice, or it rejects.
 */
export async function fetchWlans(send: Send, { id, name }: Site): Promise<LiveSite> {
  const site: Site = { id, name }
  const operation = { name: 'list WLANs', siteId: id } as const
  const list = new Listing(site)
  await send(operation, answer => list.add(answer))
  for (let number = 2; list.isIncomplete; number += 1) {
    const page = { number, limit: list.limit }
    await send({ ...operation, page }, answer => list.add(answer))
  }
  return { site, wlans: list.wlans }
}

/** The pages of a site that were read so far, and what they claim. */
class Listing {
  readonly wlans: LiveWlan[] = []
  readonly #site: Site
  readonly #ids = new Set<string>()
  /** How many WLANs the service says there are. */
  #total: number | undefined
  #limit = 0
  #pages = 0
  #bytes = 0
  #values = 0

  constructor(site: Site) {
    this.#site = site
  }

  /** True until a page was read. */
  get isEmpty(): boolean {
    return this.#pages === 0
  }

  get isIncomplete(): boolean {
    return this.wlans.length < (this.#total ?? 0)
  }

  /** How many WLANs the service gives at once. */
  get limit(): number {
    return this.#limit
  }

  /** Adds a page. Throws a `Fault` if it does not fit the ones before, or is one too many. */
  add(answer: ApiResponse): void {
    const page = readRecords(answer, this.#site)
    this.#claim(answer)
    for (const wlan of page) {
      const id = wlan.id.toLowerCase()
      if (this.#ids.has(id)) throw invalidContent(`the WLAN ${id} is listed twice`)
      this.#ids.add(id)
      this.wlans.push(wlan)
    }
    this.#hold(answer)
    this.#checkCount(page.length)
  }

  /** Takes in what the headers of a page say; what the first one says holds. */
  #claim(answer: ApiResponse): void {
    const total = countIn(answer, 'x-page-total')
    if (this.isEmpty) {
      this.#total = total
      this.#limit = Math.min(countIn(answer, 'x-page-limit') ?? 0, LARGEST_PAGE)
    } else if (total !== undefined && total !== this.#total) {
      throw invalidContent('the number of WLANs changed while they were listed')
    }
  }

  /** Counts what is held, not what is claimed. */
  #hold(answer: ApiResponse): void {
    this.#pages += 1
    this.#bytes += answer.bytes
    // One page alone is bounded when it is decoded.
    if (this.#pages > 1 || this.isIncomplete) this.#values += answer.values
    const { length } = this.wlans
    const { pages, wlans } = listLimits
    if (length > wlans) throw invalidContent(`more than ${wlans} WLANs`)
    if (this.#bytes > listLimits.bytes) throw tooLarge(`${listLimits.bytes / MEBIBYTE} MiB`)
    if (this.#values > listLimits.values) throw tooLarge(`${listLimits.values} values`)
    if (this.isIncomplete && this.#pages === pages) throw invalidContent(`more than ${pages} pages`)
  }

  /** There may be more WLANs: will asking for them ever end? */
  #checkCount(got: number): void {
    const total = this.#total
    const { length } = this.wlans
    if (total === undefined || length === total) return
    if (length > total) throw invalidContent(`${length} WLANs where ${total} are counted`)
    if (got === 0 || this.#limit === 0) throw invalidContent(`an incomplete list of ${total} WLANs`)
    if (total > listLimits.wlans) throw invalidContent(`more than ${listLimits.wlans} WLANs`)
    if (total > this.#limit * listLimits.pages) {
      throw invalidContent(`more than ${listLimits.pages} pages`)
    }
  }
}

function tooLarge(most: string): TransportError {
  return invalidContent(`the WLANs of the site take more than ${most}`)
}

/** A count from a header; undefined if it is absent. */
function countIn(answer: ApiResponse, name: string): number | undefined {
  const text = answer.header(name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidContent(`no number in the header ${name}`)
  return Number(text)
}
