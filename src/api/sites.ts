import type { DesiredSite } from '../model/desired.ts'
import { reasonOf } from '../model/failure.ts'
import type { LiveSite, UnreadSite } from '../model/live.ts'
import type { Reader } from './client.ts'
import { ApiError } from './error.ts'
import { inParallel } from './parallel.ts'

/**
 * Reads each site with one list request, at most `parallelism` sites at a time, and hands each to
 * `visit` as it comes; gives what `visit` makes of them, in the order of the sites. A site that
 * cannot be read is handed over with the reason and hides no other. A token that was refused is not
 * tried again: the sites that are left are handed over unread. Throws if the run is interrupted.
 */
export async function readSites<Result>(
  reader: Reader,
  sites: readonly DesiredSite[],
  parallelism: number,
  visit: (site: DesiredSite, live: LiveSite | UnreadSite) => Result
): Promise<Result[]> {
  let refused: string | undefined
  return inParallel(sites, parallelism, async site => {
    if (refused !== undefined) return visit(site, { site, reason: refused })
    try {
      return visit(site, await reader.listWlans(site))
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.kind === 'aborted') throw error
      const reason = reasonOf(error)
      if (error.problem.kind === 'status' && error.problem.status === 401) refused ??= reason
      return visit(site, {
        site,
        reason,
        ...(error.hint === undefined ? {} : { hint: error.hint })
      })
    }
  })
}
