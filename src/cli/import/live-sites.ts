import { matchSite } from '../../core/diff/match.ts'
import type { Desired, DesiredSite, Site } from '../../core/model/desired.ts'
import { wrongInput } from '../../core/model/failure.ts'
import type { LiveSite, LiveWlan, UnreadSite } from '../../core/model/live.ts'
import { append, compact, sortBy } from '../../core/values/collections.ts'
import { type Snapshot, sitesIn } from '../../files/snapshot.ts'
import { Findings } from '../../fleet/findings.ts'
import { checkWlanGlobs, isSelected, select } from '../../fleet/select.ts'
import { limitHeapGrowth } from '../../fleet/v8-flags.ts'
import { readSitesAsTask } from '../../run/read-sites.ts'
import type { Reader } from '../../service/client.ts'
import { withReader } from '../connect.ts'
import type { FleetOptions, ReportOptions, ServiceOptions } from '../options.ts'
import type { Io } from '../terminal/io.ts'
import { runContext } from '../terminal/progress.ts'
import { type SiteListOptions, sitesOf, withRequestedSites } from './requested-sites.ts'

/** The sites that a command reads: of a fleet, else of the command line, `--from` and `--org`, or all of a snapshot. */
export interface RequestedLive {
  readonly desired?: Desired | undefined
  readonly ids?: readonly string[]
  readonly verb: string
}

export interface LiveSites {
  readonly sites: readonly DesiredSite[]
  /** Calls `visit` for each site as it is read; the results are in the order of the sites. */
  readonly read: <T>(visit: (site: DesiredSite, live: LiveSite | UnreadSite) => T) => Promise<T[]>
  readonly origin: Reader | Snapshot
}

interface ServiceSites extends LiveSites {
  readonly origin: Reader
}

type Options = ServiceOptions &
  SiteListOptions &
  Partial<Pick<FleetOptions, 'site' | 'excludeSite' | 'shard' | 'changedSince'>> &
  Pick<ReportOptions, 'quiet' | 'verbose'> & { readonly against?: string }

/** Opens the requested sites for the time of `use`. Throws a `Failure` (exit 3) for a glob over sites without a match. */
export async function withLiveSites<Result>(
  requested: RequestedLive,
  options: Options,
  io: Io,
  use: (live: LiveSites) => Promise<Result>
): Promise<Result> {
  if (options.against === undefined) return withServiceSites(requested, options, io, use)
  const { readState } = await import('../files/states.ts')
  const origin = await readState(options.against, io)
  const all = sortBy([...origin.sites, ...origin.unread], ({ name }) => name)
  const sites = requested.desired?.sites ?? selectSites(all, options)
  const liveOf = sitesIn(origin)
  return use({ sites, origin, read: async visit => sites.map(site => visit(site, liveOf(site))) })
}

/** A number of sites above which memory matters more than time. */
const MANY_SITES = 2000

/** As `withLiveSites`, of the service alone. */
export async function withServiceSites<Result>(
  { desired, ids = [], verb }: RequestedLive,
  options: Options,
  io: Io,
  use: (live: ServiceSites) => Promise<Result>
): Promise<Result> {
  const { parallelism } = options
  const context = runContext(options, io)
  const useLive = async (sites: readonly DesiredSite[], origin: Reader) => {
    if (sites.length > MANY_SITES) await limitHeapGrowth()
    return use({
      sites,
      origin,
      read: visit => readSitesAsTask(origin, sites, { parallelism, visit }, context)
    })
  }
  if (desired !== undefined) {
    return withReader(options, io, desired, reader => useLive(desired.sites, reader))
  }
  return withRequestedSites(ids, options, verb, io, (requested, reader) =>
    useLive(selectSites(sitesOf(requested), options), reader)
  )
}

/** Throws a `Failure` (exit 3) for a glob without a match, or a revision without a fleet. */
export function selectSites(
  sites: readonly Site[],
  {
    site,
    excludeSite,
    shard,
    changedSince
  }: Pick<Options, 'site' | 'excludeSite' | 'shard' | 'changedSince'>
): readonly DesiredSite[] {
  if (changedSince !== undefined) {
    throw wrongInput('--changed-since: expected a fleet, got sites without files', 'give a fleet')
  }
  const findings = new Findings()
  const all = sites.map(({ id, name }) => ({ id, name, wlans: [] }))
  const found = select(all, { sites: site, excludedSites: excludeSite, shard }, findings)
  refuseFirst(findings)
  return found
}

/** Selects live WLANs by `--wlan`: by their SSID, and by the key of the declaration that matches them. */
export class WlanSelection {
  readonly #wlans: readonly string[]
  readonly #names: { readonly key: string; readonly address: string }[] = []

  constructor(globs: readonly string[]) {
    this.#wlans = globs
  }

  of(site: DesiredSite, live: LiveSite): { readonly wlan: LiveWlan; readonly key?: string }[] {
    const keys = new Map<unknown, string>()
    for (const [{ key }, match] of matchSite(site, live)) {
      if ('live' in match) keys.set(match.live, key)
    }
    return live.wlans.flatMap(wlan => {
      const key = keys.get(wlan)
      const own = key === undefined ? [wlan.ssid] : [wlan.ssid, key]
      const names = own.map(name => ({ key: name, address: `${site.name}/${name}` }))
      append(this.#names, names)
      const isFound = own.some(name => isSelected({ wlans: this.#wlans }, site, name))
      return isFound ? { wlan, ...compact({ key }) } : []
    })
  }

  narrow(site: DesiredSite, live: LiveSite): LiveSite {
    if (this.#wlans.length === 0) return live
    return { ...live, wlans: this.of(site, live).map(({ wlan }) => wlan) }
  }

  /** Throws a `Failure` (exit 3) for a glob without a match. */
  check(): void {
    const findings = new Findings()
    checkWlanGlobs(this.#names, this.#wlans, findings)
    refuseFirst(findings)
  }
}

export function refuseFirst(findings: Findings): void {
  const [problem] = findings.inOrder()
  if (problem !== undefined) throw wrongInput(problem.message, problem.hint)
}
