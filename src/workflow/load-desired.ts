import { type LoadedFleet, loadFleet } from '../config/load.ts'
import { compact } from '../model/collections.ts'
import type { Desired, Part } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { byPlace, isError, isPolicyRefusal } from '../model/finding.ts'
import type { Pointer } from '../model/pointer.ts'
import { formatShard, type Shard } from '../model/shard.ts'
import { plural } from '../model/text.ts'
import { formatTimestamp } from '../model/time.ts'
import { type RotatedSites, withRotations } from '../plan/rotation.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { WorkflowHost } from './host.ts'

/**
 * Loads a fleet from YAML. Reports every problem of the files, then throws (exit 3): a fleet with errors is
 * not planned.
 */
export async function loadDesired(
  fleet: string,
  options: LoadingOptions,
  secrets: SecretSource,
  host: WorkflowHost
): Promise<Fleet> {
  const { desired, findings } = await loadSelected(fleet, options, secrets, host, 'live')
  if (desired !== undefined) return { desired }
  await host.reportRejectedInput(findings)
  const errors = findings.filter(found => isError(found) && !isPolicyRefusal(found)).length
  throw new Failure(
    exit.wrongInput,
    plural(errors, 'error') + (options.isOffline ? '' : '; nothing was sent')
  )
}

/**
 * Loads a fleet from YAML for the commands that rotate secrets. Throws (exit 3) as `loadDesired` does, and if
 * no selected WLAN declares a secret that the command line selects.
 */
export async function loadRotated(
  fleet: string,
  options: LoadingOptions & RotationOptions,
  secrets: SecretSource,
  host: WorkflowHost
): Promise<RotatedFleet> {
  const { desired } = await loadDesired(fleet, options, secrets, host)
  const { sites, unmatched, rotates } = withRotations(desired.sites, options.sendSecret)
  const [first] = unmatched
  if (first === undefined || sites.length === 0) return { desired: { ...desired, sites }, rotates }
  throw new Failure(
    exit.wrongInput,
    `--send-secret ${first}: no selected WLAN declares a secret at this pointer; nothing was sent`,
    'give the pointer of a declared secret, e.g. /auth/psk, and select its WLANs with --site and --wlan'
  )
}

/** Loads a fleet, narrowed by the options, and prints the number of selected sites. */
export async function loadSelected(
  fleet: string,
  options: LoadingOptions,
  secrets: SecretSource,
  host: WorkflowHost,
  rulesOver: 'declared' | 'live' = 'declared'
): Promise<LoadedFleet> {
  const { shard, changedSince, base, continue: earlier } = options
  const loaded = await loadFleet({
    directory: fleet,
    cwd: host.cwd,
    sites: options.site,
    excludedSites: options.excludeSite,
    wlans: options.wlan,
    shard,
    ids: earlier === undefined ? undefined : await host.readUnread(earlier, options.baseUrl),
    since: changedSince === undefined ? undefined : () => host.readRevision(changedSince, fleet),
    base: base === undefined ? undefined : () => host.readRevision(base, fleet),
    maxNewSites: options.maxNewSites,
    ignoresPolicy: options.ignoresPolicy,
    secrets,
    rulesOver,
    signal: host.interrupted,
    now: host.now,
    at: options.at ?? host.now()
  })
  const { desired } = loaded
  if (desired === undefined) return loaded
  await host.printSelection({ selected: desired.sites.length, all: loaded.sites }, options)
  const at = compact({ at: options.at && formatTimestamp(options.at) })
  const { lint } = desired.policy
  const mayRefuse = lint !== undefined && Object.values(lint.rules).includes('error')
  const unchecked = mayRefuse
    ? (await import('../checks/relations.ts')).uncheckedSites(lint, options)
    : []
  const findings = [...loaded.findings, ...unchecked].sort(byPlace)
  return {
    ...loaded,
    findings,
    desired: { ...desired, ...at, findings, part: partOf(desired, options) }
  }
}

/** The sites and WLANs that a run covers, as globs. */
export interface SelectionOptions {
  readonly site: readonly string[]
  readonly excludeSite?: readonly string[]
  readonly wlan: readonly string[]
}

/** The part of the fleet that a run covers. */
export interface FleetOptions extends SelectionOptions {
  readonly shard?: Shard
  /** A revision of Git; the run covers the sites that changed since. */
  readonly changedSince?: string
  /** A revision of Git to compare the fleet with; it does not narrow the run. */
  readonly base?: string
  /**
   * The maximum number of sites that the base does not declare; `policy` takes it from the policy of the
   * base.
   */
  readonly maxNewSites?: number | 'policy' | 'all'
  /** The time to plan for; default: now. */
  readonly at?: Date
  /** A saved plan or snapshot of an earlier run; this run covers only the sites that it could not read. */
  readonly continue?: string
}

/** `baseUrl` is compared with the service of the run that `--continue` names. */
type LoadingOptions = FleetOptions & {
  readonly baseUrl?: string
  /** True for a command that only reads files, so that messages do not say that nothing was sent. */
  readonly isOffline?: true
  /** True for a command that the policy does not limit: its errors do not make the files invalid. */
  readonly ignoresPolicy?: true
}

/** The secrets that the command line selects for rotation. */
interface RotationOptions {
  readonly sendSecret: readonly Pointer[]
}

/** A valid fleet. */
export interface Fleet {
  readonly desired: Desired
}

/** A valid fleet, marked with the secrets to send although the service hides their live values. */
type RotatedFleet = Fleet & Pick<RotatedSites, 'rotates'>

/**
 * The part of the fleet. A run with `--continue` covers the sites of the earlier run, so it is not a shard of
 * its own.
 */
function partOf({ sites }: Desired, options: FleetOptions): Part {
  if (options.continue !== undefined) return { continues: sites.map(({ id }) => id) }
  return options.shard === undefined ? {} : { shard: formatShard(options.shard) }
}
