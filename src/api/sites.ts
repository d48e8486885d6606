import type { DesiredSite } from '../model/desired.ts'
import type { LiveSite, UnreadSite } from '../model/live.ts'
import type { Reader } from './client.ts'
import { ApiError } from './error.ts'
import { inParallel } from './parallel.ts'

/**
 * Reads each site with one list request, `parallelism` of them under way, and hands each to
 * `visit` as it comes; gives what `visit` makes of them, in the order of the sites. A site that
 * cannot be read is handed over with the reason and hides no other. Where nothing more can be asked in
 * this run (the token was refused, or the calls are used up), the sites that are left are handed over
 * unread. Throws if the run is interrupted.
 */
export async function readSites<Result>(
  reader: Reader,
  sites: readonly DesiredSite[],
  parallelism: number,
  visit: (site: DesiredSite, live: LiveSite | UnreadSite) => Result
): Promise<Result[]> {
  // While an answer is looked at, the next request is under way: as many more wait for their turn.
  return inParallel(sites, 2 * parallelism, async site => {
    try {
      return visit(site, await reader.listWlans(site))
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.kind === 'aborted') throw error
      return visit(site, unread(site, error))
    }
  })
}

function unread(site: DesiredSite, { message: reason, hint }: ApiError): UnreadSite {
  return { site, reason, ...(hint === undefined ? {} : { hint }) }
}
