import { checkBaseUrl } from '../api/connection.ts'
import { type Io, writeLine } from '../cli/io.ts'
import type { FleetOptions, ReportOptions, ServiceOptions } from '../cli/options.ts'
import type { Ahead } from '../config/ahead.ts'
import { type LoadedFleet, loadFleet } from '../config/load.ts'
import type { Desired, Part } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { formatShard } from '../model/shard.ts'
import { formatNumber, plural } from '../model/text.ts'
import { escapeText } from '../report/escape.ts'
import { thousands } from '../report/words.ts'
import type { SecretSource } from '../secrets/source.ts'

/** What narrows a run; what it continues has to be about the service it asks. */
type Narrowing = FleetOptions & Pick<ReportOptions, 'quiet'> & Pick<ServiceOptions, 'baseUrl'>

/** Reads the files of a fleet, narrowed to what the options say; and says so, where that is nothing. */
export async function loadSelected(
  fleet: string,
  options: Narrowing,
  secrets: SecretSource,
  io: Io,
  ahead?: Ahead
): Promise<LoadedFleet> {
  const { site: sites, wlan: wlans, shard, changedSince, base, maxNewSites } = options
  const left =
    options.continue === undefined ? undefined : await leftBy(options.continue, options, io)
  const loaded = await loadFleet({
    directory: fleet,
    cwd: io.cwd,
    sites,
    wlans,
    shard,
    ids: left,
    secrets,
    ahead,
    signal: io.interrupted,
    since: changedSince === undefined ? undefined : () => revision(changedSince, fleet, io),
    base: base === undefined ? undefined : () => revision(base, fleet, io),
    maxNewSites
  })
  if (!options.quiet) await sayNarrowed(loaded, options, io)
  const { desired } = loaded
  return desired ? { ...loaded, desired: { ...desired, part: partOf(desired, options) } } : loaded
}

/** A run that continues another covers what that one was to cover: of a shard it is none by itself. */
function partOf({ sites }: Desired, options: FleetOptions): Part {
  if (options.continue !== undefined) return { continues: sites.map(({ id }) => id) }
  return options.shard === undefined ? {} : { shard: formatShard(options.shard) }
}

/** The sites that an earlier run could not read, by id in lower case; it was on the same service. */
async function leftBy(file: string, { baseUrl }: Narrowing, io: Io): Promise<ReadonlySet<string>> {
  const { leftoverOf, planForm, snapshotForm } = await import('../plan/merge/left.ts')
  const { readSaved } = await import('../cli/files/saved-files.ts')
  const { base_url, unread } = leftoverOf(await readSaved(file, io, planForm, snapshotForm), file)
  if (baseUrl !== undefined && checkBaseUrl(baseUrl) !== base_url) {
    throw new Failure(
      exit.wrongInput,
      `${file} is about ${base_url}, and this run is for ${baseUrl}`,
      'continue what an earlier run on this service left'
    )
  }
  return new Set(unread.map(({ id }) => id.toLowerCase()))
}

async function revision(name: string, fleet: string, io: Io) {
  const { revisionOf } = await import('../cli/files/git.ts')
  return revisionOf(name, fleet, io)
}

/** A run that covers no site is no mistake where it is one of several, or where nothing changed. */
async function sayNarrowed(
  { desired, sites }: LoadedFleet,
  { shard, changedSince, continue: earlier }: FleetOptions,
  io: Io
): Promise<void> {
  const left = desired?.sites.length
  const parts = [
    ...(earlier === undefined ? [] : [`left by ${escapeText(earlier)}`]),
    ...(shard === undefined ? [] : [`in shard ${formatShard(shard)}`]),
    ...(changedSince === undefined ? [] : [`changed since ${escapeText(changedSince)}`])
  ]
  if (left === undefined || parts.length === 0) return
  const which = left === 0 ? 'none' : formatNumber(left)
  const whole = thousands(plural(sites, 'site'))
  await writeLine(io, `wlanctl: ${which} of ${whole} ${parts.join(' and ')}`)
}
