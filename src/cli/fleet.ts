import { type LoadedFleet, loadFleet } from '../config/load.ts'
import { count } from '../model/identity.ts'
import { formatShard } from '../model/shard.ts'
import { escapeText } from '../report/escape.ts'
import type { SecretSource } from '../secrets/source.ts'
import { type Io, say } from './io.ts'
import type { FleetOptions, ReportOptions } from './options.ts'

/** Reads the files of a fleet, narrowed to what the options say; and says so, where that is nothing. */
export async function loadSelected(
  fleet: string,
  options: FleetOptions & Pick<ReportOptions, 'quiet'>,
  secrets: SecretSource,
  io: Io
): Promise<LoadedFleet> {
  const { site: sites, wlan: wlans, shard, changedSince } = options
  const loaded = await loadFleet({
    directory: fleet,
    cwd: io.cwd,
    sites,
    wlans,
    shard,
    secrets,
    since: changedSince === undefined ? undefined : () => revision(changedSince, fleet, io)
  })
  if (!options.quiet) await sayNarrowed(loaded, options, io)
  return loaded
}

async function revision(name: string, fleet: string, io: Io) {
  const { revisionOf } = await import('./git.ts')
  return revisionOf(name, fleet, io)
}

/** A run that covers no site is no mistake where it is one of several, or where nothing changed. */
async function sayNarrowed(
  { desired, sites }: LoadedFleet,
  { shard, changedSince }: FleetOptions,
  io: Io
): Promise<void> {
  if (desired === undefined || (shard === undefined && changedSince === undefined)) return
  const left = desired.sites.length
  const parts = [
    ...(shard === undefined ? [] : [`in shard ${formatShard(shard)}`]),
    ...(changedSince === undefined ? [] : [`changed since ${escapeText(changedSince)}`])
  ]
  const which = left === 0 ? 'none' : String(left)
  await say(io, `wlanctl: ${which} of ${count(sites, 'site')} ${parts.join(' and ')}`)
}
