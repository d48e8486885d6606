import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { invalidContent, TransportError } from './error.ts'
import { readRecords } from './live.ts'
import { type ApiResponse, MAX_VALUES, MEBIBYTE } from './response.ts'
import type { Transport } from './transport.ts'

/** The most that is requested and kept for one site, whatever pages and counts the service claims. */
export const listLimits = {
  pages: 200,
  wlans: 20_000,
  bytes: 16 * MEBIBYTE,
  /** Values in the JSON of all pages. */
  values: MAX_VALUES
} as const

/** The most WLANs to request in one page. */
const MAX_PAGE_SIZE = 1_000

/** Asks for the WLANs of a site, and looks at nothing yet: the first half of `listWlans`. */
export function askForList(transport: Pick<Transport, 'send'>, { id }: Site): Promise<ApiResponse> {
  return transport.send(listOf(id), response => response)
}

/**
 * Lists all WLANs of a site. The first request names no page; where the response counts more WLANs than it
 * has, requests for the other pages follow. Rejects if the count is wrong or an id occurs twice in the
 * end. A list that was `asked` for before is requested again only if it is not a valid response.
 */
export async function fetchWlans(
  transport: Pick<Transport, 'send' | 'toApiError'>,
  { id, name }: Site,
  large: LargeLists,
  asked?: ApiResponse
): Promise<LiveSite> {
  const site: Site = { id, name }
  const operation = listOf(id)
  const list = new Listing(site, large)
  try {
    if (asked !== undefined) list.add(asked)
  } catch (thrown) {
    const isInvalid = thrown instanceof TransportError && thrown.problem.kind === 'invalid-response'
    if (!isInvalid) throw await transport.toApiError(thrown, operation)
  }
  if (list.isEmpty) await transport.send(operation, response => list.add(response))
  for (let number = 2; list.isIncomplete; number += 1) {
    const page = { number, limit: list.limit }
    await transport.send({ ...operation, page }, response => list.add(response))
  }
  return { site, wlans: list.wlans }
}

function listOf(siteId: string) {
  return { name: 'list WLANs', siteId } as const
}

/** The pages of a site that were read so far. */
class Listing {
  readonly wlans: LiveWlan[] = []
  readonly #site: Site
  readonly #large: LargeLists
  readonly #ids = new Set<string>()
  /** How many WLANs the service counts. */
  #total: number | undefined
  #limit = 0
  #pages = 0
  #bytes = 0
  #values = 0

  constructor(site: Site, large: LargeLists) {
    this.#site = site
    this.#large = large
  }

  /** True until a page was read. */
  get isEmpty(): boolean {
    return this.#pages === 0
  }

  get isIncomplete(): boolean {
    return this.wlans.length < (this.#total ?? 0)
  }

  /** How many WLANs the service gives per page. */
  get limit(): number {
    return this.#limit
  }

  /** Adds a page. Throws a `TransportError` if it contradicts the ones before, or exceeds a limit. */
  add(response: ApiResponse): void {
    const page = readRecords(response, this.#site)
    this.#readHeaders(response)
    for (const wlan of page) {
      const id = wlan.id.toLowerCase()
      if (this.#ids.has(id)) throw invalidContent(`the WLAN ${id} is listed twice`)
      this.#ids.add(id)
      this.wlans.push(wlan)
    }
    this.#checkLimits(response)
    this.#checkCount(page.length)
  }

  /** Reads the counts in the headers of a page; those of the first page hold. */
  #readHeaders(response: ApiResponse): void {
    const total = countIn(response, 'x-page-total')
    if (this.isEmpty) {
      this.#total = total
      this.#limit = Math.min(countIn(response, 'x-page-limit') ?? 0, MAX_PAGE_SIZE)
    } else if (total !== undefined && total !== this.#total) {
      throw invalidContent('the number of WLANs changed while they were listed')
    }
  }

  /** Limits what is kept, not what the service claims. */
  #checkLimits(response: ApiResponse): void {
    this.#pages += 1
    this.#bytes += response.bytes
    // One page alone is limited when it is decoded.
    const isCounted = this.#pages > 1 || this.isIncomplete || response.bytes > UNCOUNTED_BYTES
    const values = isCounted ? response.values : 0
    this.#values += values
    const { length } = this.wlans
    const { pages, wlans } = listLimits
    if (length > wlans) throw invalidContent(`more than ${wlans} WLANs`)
    if (this.#bytes > listLimits.bytes) throw tooLarge(`${listLimits.bytes / MEBIBYTE} MiB`)
    if (this.#values > listLimits.values) throw tooLarge(`${listLimits.values} values`)
    this.#large.add(response.bytes, values)
    if (this.isIncomplete && this.#pages === pages) throw invalidContent(`more than ${pages} pages`)
  }

  /** Throws if there may be more WLANs and requests for them would never end. */
  #checkCount(pageSize: number): void {
    const total = this.#total
    const { length } = this.wlans
    if (total === undefined || length === total) return
    if (length > total) throw invalidContent(`expected ${total} WLANs, got ${length}`)
    if (pageSize === 0 || this.#limit === 0)
      throw invalidContent(`an incomplete list of ${total} WLANs`)
    if (total > listLimits.wlans) throw invalidContent(`more than ${listLimits.wlans} WLANs`)
    if (total > this.#limit * listLimits.pages) {
      throw invalidContent(`more than ${listLimits.pages} pages`)
    }
  }
}

function tooLarge(max: string): TransportError {
  return invalidContent(`the WLANs of the site take more than ${max}`)
}

/** A count from a header; undefined if it is absent. */
function countIn(response: ApiResponse, name: string): number | undefined {
  const text = response.header(name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidContent(`expected a number in the header ${name}`)
  return Number(text)
}

/** A page of at most this many bytes has few values, and they are not counted. */
const UNCOUNTED_BYTES = MEBIBYTE / 16

/** Memory of a parsed value, in bytes, about. */
const VALUE_SIZE = 80

/** A page above this size is large: some 200 WLANs, many times what a site has. In bytes of memory. */
const LARGE_PAGE = 4 * MEBIBYTE

/** The most memory that all large pages of a run may take beyond `LARGE_PAGE`, in bytes. */
const MAX_LARGE_PAGES = 96 * MEBIBYTE

/** Limits what the large pages of a run take together: a plan keeps the WLANs that it changes. */
export interface LargeLists {
  /** Throws a `TransportError` if a page with so many bytes and values of JSON exceeds the limit. */
  add(bytes: number, values: number): void
}

export function largeLists(): LargeLists {
  let kept = 0
  return {
    add(bytes, values) {
      const size = Math.max(0, bytes + VALUE_SIZE * values - LARGE_PAGE)
      if (size > 0 && kept + size > MAX_LARGE_PAGES) {
        throw invalidContent(
          `the lists of this run take more than ${MAX_LARGE_PAGES / MEBIBYTE} MiB of memory`
        )
      }
      kept += size
    }
  }
}
