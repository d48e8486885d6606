import type { Site } from '../model/desired.ts'
import type { Connection } from './connection.ts'
import { readRecords } from './live.ts'
import type { ApiResponse } from './response.ts'
import { readTokens } from './tokens.ts'
import { openTransport } from './transport.ts'

/** What one cheap read tells of the way to the service. */
export interface Probe {
  /** Requests left until the rate limit; absent where the service does not tell. */
  readonly left?: number
}

/** The interface promises none of them; these are the names services give it. */
const LEFT = ['x-ratelimit-remaining', 'x-rate-limit-remaining', 'ratelimit-remaining']

/**
 * Asks the service for something that costs it little, as a run would ask: the WLANs of a site, or
 * without one the caller's tokens. Rejects with an `ApiError` if a run would fail.
 */
export async function probe(connection: Connection, site: Site | undefined): Promise<Probe> {
  const { send, close } = openTransport(connection, ['list WLANs', 'list tokens'])
  try {
    if (site === undefined) {
      return await send({ name: 'list tokens' }, answer => {
        readTokens(answer)
        return told(answer)
      })
    }
    return await send({ name: 'list WLANs', siteId: site.id }, answer => {
      readRecords(answer, site)
      return told(answer)
    })
  } finally {
    await close()
  }
}

function told({ header }: ApiResponse): Probe {
  const text = LEFT.map(header).find(value => value !== undefined)
  return text !== undefined && /^\d{1,9}$/.test(text) ? { left: Number(text) } : {}
}
