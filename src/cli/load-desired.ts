import type { Desired } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import { byPlace, isError } from '../core/model/finding.ts'
import { isPolicyRefusal } from '../core/model/refusals.ts'
import { formatShard } from '../core/model/shard.ts'
import { withRotations } from '../core/plan/rotation.ts'
import { compact } from '../core/values/collections.ts'
import { plural } from '../core/values/text.ts'
import { formatTimestamp } from '../core/values/time.ts'
import { type LoadedFleet, loadFleet } from '../fleet/load.ts'
import { referencesOnly, type SecretSource } from '../fleet/secrets/source.ts'
import type { Revision } from '../fleet/since/revision.ts'
import type { FleetOptions, ReportOptions } from './options.ts'
import { writeReport, writeReportToStderr } from './output.ts'
import type { Io } from './terminal/io.ts'
import { printSelection } from './terminal/request-summary.ts'

/** Reports all problems, then throws (exit 3). By default, it resolves no secret. */
export async function loadDesired(
  fleet: string,
  options: LoadingOptions,
  io: Io,
  secrets: SecretSource = referencesOnly(options.secretPrefix)
): Promise<Desired> {
  const [{ desired, findings }, commit] = await Promise.all([
    loadSelected(fleet, options, io, secrets, 'live'),
    options.isOffline
      ? undefined
      : import('./files/git.ts').then(git => git.checkedOutCommit(fleet, io))
  ])
  if (desired !== undefined) return { ...desired, ...compact({ commit }) }
  if (!options.isGuess) {
    const report = { kind: 'findings', findings } as const
    const isText = options.format === 'text'
    if (isText) await writeReportToStderr(report, options, io)
    // As text, the errors are no result.
    await writeReport(report, options, io, { text: isText ? '' : undefined })
  }
  const errors = findings.filter(found => isError(found) && !isPolicyRefusal(found)).length
  throw wrongInput(plural(errors, 'error') + (options.isOffline ? '' : '; nothing was sent'))
}

/** As `loadDesired`, and marks the secrets to send although the service hides their live values */
export async function loadRotated(
  fleet: string,
  options: LoadingOptions,
  io: Io,
  secrets?: SecretSource
): Promise<Desired> {
  const desired = await loadDesired(fleet, options, io, secrets)
  return { ...desired, sites: withRotations(desired.sites) }
}

export async function loadSelected(
  fleet: string,
  options: LoadingOptions,
  io: Io,
  secrets: SecretSource = referencesOnly(options.secretPrefix),
  rulesOver: 'declared' | 'live' = 'declared'
): Promise<LoadedFleet> {
  const { shard, changedSince, base } = options
  const loaded = await loadFleet({
    directory: fleet,
    cwd: io.cwd,
    sites: options.site,
    excludedSites: options.excludeSite,
    wlans: options.wlan,
    shard,
    since: changedSince === undefined ? undefined : () => revision(changedSince, fleet, io),
    base: base === undefined ? undefined : () => revision(base, fleet, io),
    ignoresPolicy: options.ignoresPolicy,
    readsTests: options.readsTests,
    secrets,
    rulesOver,
    signal: io.interrupted,
    now: io.now
  })
  const { desired } = loaded
  if (desired === undefined) return loaded
  await printSelection(desired.sites.length, loaded.sites, options, io)
  const at = compact({ at: options.at && formatTimestamp(options.at) })
  const { lint } = desired.policy
  const mayRefuse = lint !== undefined && Object.values(lint.rules).includes('error')
  const unchecked = mayRefuse
    ? (await import('../run/checks/unchecked-sites.ts')).uncheckedSites(lint, options)
    : []
  const findings = [...loaded.findings, ...unchecked].sort(byPlace)
  return {
    ...loaded,
    findings,
    desired: {
      ...desired,
      ...at,
      findings,
      part: shard === undefined ? {} : { shard: formatShard(shard) }
    }
  }
}

async function revision(name: string, fleet: string, io: Io): Promise<Revision> {
  const { revisionOf } = await import('./files/git.ts')
  return revisionOf(name, fleet, io)
}

type LoadingOptions = FleetOptions &
  Pick<ReportOptions, 'format' | 'report' | 'color' | 'quiet' | 'verbose' | 'fleet'> & {
    readonly secretPrefix?: string
    /** The time to plan for; default: now. */
    readonly at?: Date
    /** True for a command that only reads files, so that messages do not say that nothing was sent. */
    readonly isOffline?: true
    /** True for a command that the policy does not limit: its errors do not make the files invalid. */
    readonly ignoresPolicy?: true
    /** Checks the tests of the fleet, too, without running them. */
    readonly readsTests?: true
    /** True for a directory that may be no fleet at all: its findings are not reported. */
    readonly isGuess?: true
  }
