import type { LoggedRequest } from '../../src/simulator/server.ts'

/** The maximum delay, in milliseconds, until a busy program receives a 429. */
const MAX_DELAY = 300

/** The maximum difference, in milliseconds, between clocks and timers of two processes. */
const TOLERANCE = 5

/**
 * The requests of a site that the program sent during the delay of a 429, by path. Active requests are
 * allowed: the program has one active request per site, so one request of every other site may follow a 429.
 * A second one is early, as is any request of the site that got the 429.
 */
export function earlyRequests(requests: readonly LoggedRequest[], seconds = 1): string[] {
  return requests.flatMap((limited, at) => {
    if (limited.status !== 429) return []
    const end = limited.at + seconds * 1000 - TOLERANCE
    const later = requests.slice(at + 1).filter(request => request.at > limited.at + MAX_DELAY)
    const until = later.findIndex(request => request.at >= end)
    const meanwhile = until === -1 ? later : later.slice(0, until)
    const seen = new Set([siteOf(limited)])
    return meanwhile.flatMap(request => {
      const site = siteOf(request)
      if (seen.has(site))
        return [`${request.method} ${request.path} after ${request.at - limited.at} ms`]
      seen.add(site)
      return []
    })
  })
}

function siteOf({ path }: LoggedRequest): string {
  return path.split('/')[4] ?? ''
}
