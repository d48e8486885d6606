import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { invalidContent, type TransportError } from './error.ts'
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

/**
 * Lists all WLANs of a site. The first request names no page; where the response counts more WLANs than it
 * has, requests for the other pages follow. Rejects if the count is wrong or an id occurs twice in the
 * end.
 */
export async function fetchWlans(
  transport: Pick<Transport, 'send'>,
  { id, name }: Site,
  large: LargeLists
): Promise<LiveSite> {
  const site: Site = { id, name }
  const operation = { name: 'list WLANs', siteId: id } as const
  const list = new Listing(site, large)
  await transport.send(operation, response => list.add(response))
  for (let number = 2; list.isIncomplete; number += 1) {
    const page = { number, limit: list.limit }
    await transport.send({ ...operation, page }, response => list.add(response))
  }
  return { site, wlans: list.wlans }
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
  #memory = 0

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
    const values = response.bytes > UNCOUNTED_BYTES ? response.values : 0
    this.#reserveMemory(response.bytes, values)
    const page = readRecords(response, this.#site)
    this.#readHeaders(response)
    for (const wlan of page) {
      const id = wlan.id.toLowerCase()
      if (this.#ids.has(id)) throw invalidContent(`the WLAN ${id} is listed twice`)
      this.#ids.add(id)
      this.wlans.push(wlan)
    }
    this.#checkLimits(response, values)
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

  /** Before the page is parsed, which takes the memory. */
  #reserveMemory(bytes: number, values: number): void {
    if (values > MAX_VALUES) return
    const before = this.#memory
    this.#memory += BYTE_SIZE * bytes + VALUE_SIZE * values
    this.#large.reserve(excess(this.#memory) - excess(before))
  }

  /** Limits what is kept, not what the service claims. */
  #checkLimits(response: ApiResponse, values: number): void {
    this.#pages += 1
    this.#bytes += response.bytes
    // One page alone is limited when it is decoded.
    if (this.#pages > 1 || this.isIncomplete) this.#values += values || response.values
    const { length } = this.wlans
    const { pages, wlans } = listLimits
    if (length > wlans) throw invalidContent(`more than ${wlans} WLANs`)
    if (this.#bytes > listLimits.bytes) throw tooLarge(`${listLimits.bytes / MEBIBYTE} MiB`)
    if (this.#values > listLimits.values) throw tooLarge(`${listLimits.values} values`)
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

/** About how much memory a byte of JSON takes as text, and a value once it is parsed, in bytes. */
const BYTE_SIZE = 2
const VALUE_SIZE = 100

/** The list of a site is large above this size, in bytes of memory: that is some 400 WLANs. */
const LARGE_LIST = 8 * MEBIBYTE

/** The most memory that all large lists of a run may take beyond `LARGE_LIST` each, in bytes. */
const MAX_LARGE_LISTS = 64 * MEBIBYTE

/** Limits the memory of the large lists of a run: a plan keeps the WLANs that it changes. */
export class LargeLists {
  #reserved = 0

  /** Throws a `TransportError` if so many bytes more exceed the limit. */
  reserve(bytes: number): void {
    if (bytes > 0 && this.#reserved + bytes > MAX_LARGE_LISTS) {
      const max = `${MAX_LARGE_LISTS / MEBIBYTE} MiB`
      throw invalidContent(`the large lists of this run take more than ${max} of memory`)
    }
    this.#reserved += bytes
  }
}

function excess(memory: number): number {
  return Math.max(0, memory - LARGE_LIST)
}
