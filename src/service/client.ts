import type { ListedSite, Site } from '../core/model/desired.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../core/model/live.ts'
import type { ValueObject } from '../core/values/value.ts'
import { inParallel } from './http/concurrency.ts'
import type { Connection } from './http/connection.ts'
import { ApiError } from './http/error.ts'
import type { ApiResponse } from './http/response.ts'
import { type SendOptions, Transport } from './http/transport.ts'
import { fetchSites, fetchWlans, LargeLists } from './list.ts'
import { readLiveWlan, readRecords, readUpdated } from './live.ts'
import { type ApiOperation, encodeBody } from './operation.ts'
import { readCreated, readTokens, type TokenRecord, type TokenSummary } from './tokens.ts'

/** Every request rejects with an `ApiError`. */
export interface Reader {
  readonly baseUrl: string
  listSites(orgId: string): Promise<readonly ListedSite[]>
  listWlans(site: Site): Promise<LiveSite>
  readWlan(site: Site, wlanId: string): Promise<LiveWlan>
  readonly requests: number
  /** The number of lists of sites that were received, or given up, so far. */
  readonly listed: number
  /** The time at which requests continue, if all of them wait for a rate limit. */
  readonly waitUntil: Date | undefined
  readonly retrying: number
  /** The reason why this run can send no further request; undefined if it can. */
  readonly end: ApiError | undefined
  /** The message of the first error of an observer of rate limits; undefined if there is none. */
  readonly observerError: string | undefined
  close(): Promise<void>
}

export interface Writer extends Reader {
  /**
   * Replaces the top-level fields in `body`. Resolves when the service accepts the update; only a read shows
   * the stored values. It may wait for a free connection or a rate limit; if it is no longer fresh then, it
   * is not sent. It is retried only if the service did not process it.
   */
  updateWlan(site: Site, wlanId: string, body: ValueObject, options?: SendOptions): Promise<void>
}

export interface TokenClient {
  create(name?: string): Promise<TokenRecord>
  list(): Promise<readonly TokenSummary[]>
  close(): Promise<void>
}

const readOperations: readonly ApiOperation['name'][] = ['list sites', 'list WLANs', 'read WLAN']

/** Opens the service for reading: neither this client nor its transport can send a change. */
export function openReader(connection: Connection): Reader {
  return readerOver(connection, new Transport(connection, readOperations))
}

export function openWriter(connection: Connection): Writer {
  const transport = new Transport(connection, [...readOperations, 'update WLAN'])
  return Object.assign(readerOver(connection, transport), {
    updateWlan: async (site: Site, wlanId: string, body: ValueObject, options?: SendOptions) =>
      transport.send(
        { name: 'update WLAN', siteId: site.id, wlanId, body: encodeBody(body) },
        readUpdated,
        options
      )
  })
}

export function openTokens(connection: Connection): TokenClient {
  const transport = new Transport(connection, ['create token', 'list tokens'])
  return {
    create: async name =>
      transport.send(
        { name: 'create token', body: encodeBody(name === undefined ? {} : { name }) },
        readCreated
      ),
    list: () => transport.send({ name: 'list tokens' }, readTokens),
    close: () => transport.close()
  }
}

function readerOver({ baseUrl }: Connection, transport: Transport): Reader {
  const large = new LargeLists()
  let listed = 0
  return {
    baseUrl,
    listSites: orgId => fetchSites(transport, orgId),
    listWlans: async site => {
      if (transport.end !== undefined) throw transport.end
      return fetchWlans(transport, site, large).finally(() => {
        listed += 1
      })
    },
    readWlan: (site, wlanId) =>
      transport.send({ name: 'read WLAN', siteId: site.id, wlanId }, response =>
        readLiveWlan(response, site, wlanId)
      ),
    get requests() {
      return transport.requests
    },
    get listed() {
      return listed
    },
    get waitUntil() {
      return transport.waitUntil
    },
    get retrying() {
      return transport.retrying
    },
    get end() {
      return transport.end
    },
    get observerError() {
      return transport.observerError
    },
    close: () => transport.close()
  }
}

/**
 * Reads each site with one list request, `parallelism` of them at the same time, and passes each to `visit`
 * as soon as it arrives; returns the results of `visit` in the order of the sites. A site that cannot be read
 * is passed with the reason and does not stop the others. If nothing more can be requested in this run (the
 * token was rejected, or the request budget is exhausted), the remaining sites are passed as unread. Throws
 * if the run is interrupted.
 */
export async function readSites<S extends Site, Result>(
  reader: Reader,
  sites: readonly S[],
  parallelism: number,
  visit: (site: S, live: LiveSite | UnreadSite) => Result
): Promise<Result[]> {
  // While a response is processed, the next request is in flight: as many tasks again wait for the semaphore.
  return inParallel(sites, 2 * parallelism, async site => {
    try {
      return visit(site, await reader.listWlans(site))
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.kind === 'aborted') throw error
      return visit(site, unreadSite(site, error))
    }
  })
}

function unreadSite(site: Site, { message: reason, hint }: ApiError): UnreadSite {
  return { site, reason, ...(hint === undefined ? {} : { hint }) }
}

/** The API does not document these headers, but services use them. */
const REMAINING_HEADERS = ['x-ratelimit-remaining', 'x-rate-limit-remaining', 'ratelimit-remaining']

/**
 * Sends one cheap request as a run would: lists the WLANs of a site, or the account's tokens without one.
 * Resolves to the number of requests left until the rate limit, undefined if the service does not report it. Rejects with
 * an `ApiError` if a run would fail.
 */
export async function probe(
  connection: Connection,
  site: Site | undefined
): Promise<number | undefined> {
  const transport = new Transport(connection, ['list WLANs', 'list tokens'])
  try {
    if (site === undefined) {
      return await transport.send({ name: 'list tokens' }, response => {
        readTokens(response)
        return remainingIn(response)
      })
    }
    return await transport.send({ name: 'list WLANs', siteId: site.id }, response => {
      readRecords(response, site)
      return remainingIn(response)
    })
  } finally {
    await transport.close()
  }
}

function remainingIn({ header }: ApiResponse): number | undefined {
  const text = REMAINING_HEADERS.map(header).find(value => value !== undefined)
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
