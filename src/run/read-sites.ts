import { changedPointers } from '../core/diff/diff.ts'
import type { Site } from '../core/model/desired.ts'
import { exit, Failure } from '../core/model/failure.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../core/model/live.ts'
import { fieldName, overlap, type Pointer } from '../core/values/pointer.ts'
import { listFirst, plural } from '../core/values/text.ts'
import { type Reader, readSites } from '../service/client.ts'
import { inParallel } from '../service/http/concurrency.ts'
import type { RunContext, StepEvent } from './context.ts'

export interface SiteReading<S extends Site, Result> {
  readonly parallelism: number
  /** Receives each site as soon as it was read, or could not be. */
  readonly visit: (site: S, live: LiveSite | UnreadSite) => Result
  /** The step of the progress for a site that was read; default: its number of WLANs. */
  readonly stepOf?: (live: LiveSite, result: Result) => SiteStep
}

/** What the progress says about a site after its name, and what it adds to the counts by result. */
export type SiteStep = readonly [text: StepEvent['text'], found?: StepEvent['found']]

/** One list request for each site; the results of `visit` in their order. Throws if the run is interrupted. */
export async function readSitesAsTask<S extends Site, Result>(
  reader: Reader,
  sites: readonly S[],
  { parallelism, visit, stepOf = wlansRead }: SiteReading<S, Result>,
  { on }: Pick<RunContext, 'on'>
): Promise<Result[]> {
  const total = sites.length
  const answered = () => reader.listed
  await on({
    type: 'started',
    task: { doing: 'reading sites', total, requests: total, reader, answered }
  })
  return readSites(reader, sites, parallelism, (site, live) => {
    const result = visit(site, live)
    const [text, found] = 'wlans' in live ? stepOf(live, result) : (['not read'] as const)
    void on({ type: 'step', text: `${site.name}: ${text}`, found })
    return result
  }).finally(() => on({ type: 'ended' }))
}

function wlansRead({ wlans }: LiveSite): SiteStep {
  return [`${plural(wlans.length, 'WLAN')} read`]
}

export interface SeenWlan {
  readonly address: string
  readonly site: Site
  readonly live: LiveWlan
  /** The values that the user saw: these and all below them. */
  readonly pointers: readonly Pointer[]
}

/**
 * Throws a `Failure` (exit 4) if a value that the user saw has changed; `undone` says what then.
 */
export async function checkStillLive(
  shown: readonly SeenWlan[],
  reader: Pick<Reader, 'readWlan'>,
  parallelism: number,
  undone: string
): Promise<void> {
  const moved = await inParallel(shown, parallelism, async ({ address, site, live, pointers }) => {
    const { record } = await reader.readWlan(site, live.id)
    return changedPointers(live.record, record)
      .filter(at => pointers.some(pointer => overlap(at, pointer)))
      .map(at => `${address} ${fieldName(at)}`)
  })
  const all = moved.flat()
  if (all.length === 0) return
  throw new Failure(
    exit.refused,
    `${listFirst(all, 1)} changed in the service after it was shown; ${undone}`,
    'run the command again'
  )
}
