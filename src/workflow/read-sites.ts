import { type Reader, readSites } from '../api/client.ts'
import type { Site } from '../model/desired.ts'
import type { LiveSite, UnreadSite } from '../model/live.ts'
import { plural } from '../model/text.ts'
import type { Progress, WorkflowHost } from './host.ts'

/** How a run reads sites. */
export interface SiteReading<S extends Site, Result> {
  /** The number of sites that are read at the same time. */
  readonly parallelism: number
  /** Receives each site as soon as it was read, or could not be. */
  readonly visit: (site: S, live: LiveSite | UnreadSite) => Result
  /** The step of the progress for a site that was read; default: its number of WLANs. */
  readonly stepOf?: (live: LiveSite, result: Result) => SiteStep
}

/** What the progress says about a site after its name, and what it adds to the counts by result. */
export type SiteStep = Readonly<Parameters<Progress['step']>>

/**
 * Reads each site with one list request, after the estimate of the requests, and displays the progress until
 * the last one. Returns the results of `visit` in the order of the sites. Throws if the run is interrupted.
 */
export async function readSitesWithProgress<S extends Site, Result>(
  reader: Reader,
  sites: readonly S[],
  { parallelism, visit, stepOf = wlansRead }: SiteReading<S, Result>,
  host: Pick<WorkflowHost, 'printEstimate' | 'startProgress'>
): Promise<Result[]> {
  const total = sites.length
  await host.printEstimate(total)
  const answered = () => reader.listed
  const progress = host.startProgress({ doing: 'reading sites', total, reader, answered })
  return readSites(reader, sites, parallelism, (site, live) => {
    const result = visit(site, live)
    const [text, counts] = 'wlans' in live ? stepOf(live, result) : (['not read'] as const)
    progress.step(`${site.name}: ${text}`, counts)
    return result
  }).finally(progress.end)
}

function wlansRead({ wlans }: LiveSite): SiteStep {
  return [`${plural(wlans.length, 'WLAN')} read`]
}
