import type { ListedSite, Site } from '../core/model/desired.ts'
import type { LiveSite } from '../core/model/live.ts'
import { invalidContent, type TransportError } from './http/error.ts'
import { type ApiResponse, MAX_VALUES, MEBIBYTE } from './http/response.ts'
import type { Transport } from './http/transport.ts'
import { readRecords, readSiteRecords } from './live.ts'
import type { ApiOperation } from './operation.ts'

/** The maximum size of a list, regardless of the pages and counts that the service reports. */
export const listLimits = {
  pages: 200,
  items: 20_000,
  bytes: 16 * MEBIBYTE,
  /** Values in the JSON of all pages. */
  values: MAX_VALUES
} as const

const MAX_PAGE_SIZE = 1_000

/**
 * Lists all WLANs of a site. The first request does not specify a page; if the response reports more WLANs
 * than it contains, requests for the other pages follow. Rejects if the final count is wrong or an id occurs
 * twice.
 */
export async function fetchWlans(
  transport: Pick<Transport, 'send'>,
  { id, name }: Site,
  large: LargeLists
): Promise<LiveSite> {
  const site: Site = { id, name }
  const kind = { item: 'WLAN', whole: 'WLANs of the site' }
  let began: number | undefined
  const list = new Listing(kind, large, response => {
    began ??= response.sentAt
    return readRecords(response, site, began)
  })
  return { site, wlans: await readPages(transport, { name: 'list WLANs', siteId: id }, list) }
}

/** Lists all sites of an organization, with the paging and the limits of `fetchWlans`. */
export async function fetchSites(
  transport: Pick<Transport, 'send'>,
  orgId: string
): Promise<readonly ListedSite[]> {
  const kind = { item: 'site', whole: 'sites of the organization' }
  const list = new Listing(kind, new LargeLists(), response => readSiteRecords(response, orgId))
  return readPages(transport, { name: 'list sites', orgId }, list)
}

async function readPages<Item extends { readonly id: string }>(
  transport: Pick<Transport, 'send'>,
  operation: Extract<ApiOperation, { readonly name: 'list WLANs' | 'list sites' }>,
  list: Listing<Item>
): Promise<Item[]> {
  await transport.send(operation, response => list.add(response))
  for (let number = 2; list.isIncomplete; number += 1) {
    const page = { number, limit: list.limit }
    await transport.send({ ...operation, page }, response => list.add(response))
  }
  return list.items
}

interface ListKind {
  readonly item: string
  readonly whole: string
}

class Listing<Item extends { readonly id: string }> {
  readonly items: Item[] = []
  readonly #kind: ListKind
  readonly #read: (response: ApiResponse) => readonly Item[]
  readonly #large: LargeLists
  readonly #ids = new Set<string>()
  #total: number | undefined
  #limit = 0
  #pages = 0
  #bytes = 0
  #values = 0
  #memory = 0

  constructor(kind: ListKind, large: LargeLists, read: (response: ApiResponse) => readonly Item[]) {
    this.#kind = kind
    this.#large = large
    this.#read = read
  }

  get isIncomplete(): boolean {
    return this.items.length < (this.#total ?? 0)
  }

  get limit(): number {
    return this.#limit
  }

  /** Adds a page. Throws a `TransportError` if it contradicts earlier pages or exceeds a limit. */
  add(response: ApiResponse): void {
    const values = response.bytes > UNCOUNTED_BYTES ? response.values : 0
    this.#reserveMemory(response.bytes, values)
    const page = this.#read(response)
    this.#readHeaders(response)
    for (const item of page) {
      const id = item.id.toLowerCase()
      if (this.#ids.has(id)) throw invalidContent(`the ${this.#kind.item} ${id} is listed twice`)
      this.#ids.add(id)
      this.items.push(item)
    }
    this.#checkLimits(response, values)
    this.#checkCount(page.length)
  }

  #readHeaders(response: ApiResponse): void {
    const total = countIn(response, 'x-page-total')
    if (this.#pages === 0) {
      this.#total = total
      this.#limit = Math.min(countIn(response, 'x-page-limit') ?? 0, MAX_PAGE_SIZE)
    } else if (total !== undefined && total !== this.#total) {
      throw invalidContent(`the number of ${this.#kind.item}s changed while they were listed`)
    }
  }

  /** Called before the page is parsed, which takes the memory. */
  #reserveMemory(bytes: number, values: number): void {
    if (values > MAX_VALUES) return
    const before = this.#memory
    this.#memory += BYTE_SIZE * bytes + VALUE_SIZE * values
    this.#large.reserve(excess(this.#memory) - excess(before))
  }

  /** Limits the received items, not the reported number. */
  #checkLimits(response: ApiResponse, values: number): void {
    this.#pages += 1
    this.#bytes += response.bytes
    // A single page is limited when it is decoded.
    if (this.#pages > 1 || this.isIncomplete) this.#values += values || response.values
    const { length } = this.items
    const { pages, items } = listLimits
    if (length > items) throw invalidContent(`more than ${items} ${this.#kind.item}s`)
    if (this.#bytes > listLimits.bytes) throw this.#tooLarge(`${listLimits.bytes / MEBIBYTE} MiB`)
    if (this.#values > listLimits.values) throw this.#tooLarge(`${listLimits.values} values`)
    if (this.isIncomplete && this.#pages === pages) throw invalidContent(`more than ${pages} pages`)
  }

  /** Throws if the paging would never end although there may be more items. */
  #checkCount(pageSize: number): void {
    const total = this.#total
    const { length } = this.items
    const items = `${this.#kind.item}s`
    if (total === undefined || length === total) return
    if (length > total) throw invalidContent(`expected ${total} ${items}, got ${length}`)
    if (pageSize === 0 || this.#limit === 0)
      throw invalidContent(`an incomplete list of ${total} ${items}`)
    if (total > listLimits.items) throw invalidContent(`more than ${listLimits.items} ${items}`)
    if (total > this.#limit * listLimits.pages) {
      throw invalidContent(`more than ${listLimits.pages} pages`)
    }
  }

  #tooLarge(max: string): TransportError {
    return invalidContent(`the ${this.#kind.whole} take more than ${max}`)
  }
}

function countIn(response: ApiResponse, name: string): number | undefined {
  const text = response.header(name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidContent(`expected a number in the header ${name}`)
  return Number(text)
}

/** The values of a smaller page are not counted. */
const UNCOUNTED_BYTES = MEBIBYTE / 16

/** The approximate memory of a byte of JSON text, and of a parsed value, in bytes. */
const BYTE_SIZE = 2
const VALUE_SIZE = 100

/** The list of a site is large above this size in bytes of memory: about 400 WLANs. */
const LARGE_LIST = 8 * MEBIBYTE

/** The maximum memory of all large lists of a run above `LARGE_LIST` each, in bytes. */
const MAX_LARGE_LISTS = 64 * MEBIBYTE

/** Limits the memory of large lists, because a plan keeps the WLANs that it changes. */
export class LargeLists {
  #reserved = 0

  /** Throws a `TransportError` if this number of additional bytes exceeds the limit. */
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
