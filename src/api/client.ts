import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import type { ValueObject } from '../model/value.ts'
import type { Attempts } from './attempts.ts'
import { encodeBody } from './body.ts'
import type { Connection } from './connection.ts'
import type { ApiError } from './error.ts'
import { fetchWlans } from './list.ts'
import { readRecord, readUpdated } from './live.ts'
import type { ApiOperation } from './operation.ts'
import { readCreated, readTokens, type TokenRecord, type TokenSummary } from './tokens.ts'
import { openTransport, type Transport } from './transport.ts'

/** The service, to be read. Every request rejects with an `ApiError`. */
export interface Reader {
  /** The service it reads. */
  readonly baseUrl: string
  /** All WLANs of the site, or it rejects. */
  listWlans(site: Site): Promise<LiveSite>
  readWlan(site: Site, wlanId: string): Promise<LiveWlan>
  /** HTTP requests made so far. */
  readonly requests: number
  /** Lists of sites that were answered, or given up, so far. */
  readonly listed: number
  /** When requests go on, if all of them wait for a rate limit. */
  readonly waitUntil: Date | undefined
  /** Why nothing more can be asked in this run; undefined as long as something can. */
  readonly end: ApiError | undefined
  /** What an observer of the waits for a rate limit has thrown; undefined as long as none has. */
  readonly observerError: string | undefined
  /** Closes the connections; what is under way fails. */
  close(): Promise<void>
}

/** The service, to be read and written. */
export interface Writer extends Reader {
  /**
   * Replaces the top-level fields in `body`. Resolves when the service says it did; only a read
   * tells whether that is so. It may have to wait for its turn, and for a rate limit: if it is no longer
   * fresh then, it is not sent. It is sent once more only if it was not carried out.
   */
  updateWlan(site: Site, wlanId: string, body: ValueObject, manner?: UpdateManner): Promise<void>
}

/** How an update is sent. */
export interface UpdateManner {
  /** Asked when its turn has come. Without it, an update is always fresh. */
  readonly isFresh?: () => boolean
  /** Those of the change that it belongs to; without them, `--max-attempts` bounds it alone. */
  readonly attempts?: Attempts
}

/** The API tokens of the caller. */
export interface TokenClient {
  create(name?: string): Promise<TokenRecord>
  list(): Promise<readonly TokenSummary[]>
  close(): Promise<void>
}

const reading: readonly ApiOperation['name'][] = ['list WLANs', 'read WLAN']

/** Opens the service for reading: neither this client nor what is below it can send a change. */
export function openReader(connection: Connection): Reader {
  return readerOver(connection, openTransport(connection, reading))
}

export function openWriter(connection: Connection): Writer {
  const transport = openTransport(connection, [...reading, 'update WLAN'])
  return Object.assign(readerOver(connection, transport), {
    updateWlan: async (site: Site, wlanId: string, body: ValueObject, manner: UpdateManner = {}) =>
      transport.send(
        { name: 'update WLAN', siteId: site.id, wlanId, body: encodeBody(body), ...manner },
        readUpdated
      )
  })
}

export function openTokens(connection: Connection): TokenClient {
  const { send, close } = openTransport(connection, ['create token', 'list tokens'])
  return {
    create: async name =>
      send(
        { name: 'create token', body: encodeBody(name === undefined ? {} : { name }) },
        readCreated
      ),
    list: () => send({ name: 'list tokens' }, readTokens),
    close
  }
}

function readerOver({ baseUrl }: Connection, transport: Transport): Reader {
  const { send } = transport
  let listed = 0
  return {
    baseUrl,
    listWlans: async site => {
      if (transport.end !== undefined) throw transport.end
      return fetchWlans(send, site).finally(() => {
        listed += 1
      })
    },
    readWlan: (site, wlanId) =>
      send({ name: 'read WLAN', siteId: site.id, wlanId }, answer =>
        readRecord(answer, site, wlanId)
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
    get end() {
      return transport.end
    },
    get observerError() {
      return transport.observerError
    },
    close: () => transport.close()
  }
}
