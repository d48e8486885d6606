import { checkBaseUrl } from '../api/connection.ts'
import { type LoadedFleet, loadFleet } from '../config/load.ts'
import { compact } from '../model/collections.ts'
import type { Desired, Part } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { byPlace, type Finding, finding, isError, isPolicyRefusal } from '../model/finding.ts'
import type { Pointer } from '../model/pointer.ts'
import { formatShard, type Shard } from '../model/shard.ts'
import { formatNumber, plural } from '../model/text.ts'
import { formatTimestamp } from '../model/time.ts'
import { withRotations } from '../plan/rotation.ts'
import { escapeText } from '../report/escape.ts'
import { thousands } from '../report/format-value.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { WorkflowHost } from './host.ts'

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
  /** A file with the number of clients of each site. */
  readonly weights?: string
  /** The time to plan for; default: now. */
  readonly at?: Date
  /** A saved plan or snapshot of an earlier run; this run covers only the sites that it could not read. */
  readonly continue?: string
}

/** The sources of secrets; never set by a file of the fleet. */
export interface SecretOptions {
  readonly secretsDir?: string
  readonly secretPrefix: string
  /** The command that returns the values of variables, as words. */
  readonly secretsCommand?: readonly [program: string, ...args: string[]]
}

/** `baseUrl` is compared with the service of the run that `--continue` names. */
type LoadingOptions = FleetOptions & { readonly baseUrl?: string }

/** A valid fleet. */
export interface Fleet {
  readonly desired: Desired
}

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
  throw new Failure(exit.wrongInput, `${plural(errors, 'error')}; nothing was sent`)
}

/** Loads a fleet, narrowed by the options, and prints the number of selected sites. */
export async function loadSelected(
  fleet: string,
  options: LoadingOptions,
  secrets: SecretSource,
  host: WorkflowHost,
  rulesOver: 'declared' | 'live' = 'declared'
): Promise<LoadedFleet> {
  const {
    site: sites,
    excludeSite: excludedSites,
    wlan: wlans,
    shard,
    changedSince,
    base,
    maxNewSites
  } = options
  const loaded = await loadFleet({
    directory: fleet,
    cwd: host.cwd,
    sites,
    excludedSites,
    wlans,
    shard,
    now: host.now,
    rulesOver,
    ids:
      options.continue === undefined ? undefined : await unreadIn(options.continue, options, host),
    secrets,
    signal: host.interrupted,
    since: changedSince === undefined ? undefined : () => host.readRevision(changedSince, fleet),
    base: base === undefined ? undefined : () => host.readRevision(base, fleet),
    maxNewSites,
    weights: options.weights === undefined ? undefined : await host.readWeights(options.weights),
    at: options.at ?? host.now()
  })
  await printNarrowed(loaded, options, host)
  const { desired } = loaded
  if (desired === undefined) return loaded
  const at = compact({ at: options.at && formatTimestamp(options.at) })
  const findings = [...loaded.findings, ...(await uncheckedSites(desired, options))].sort(byPlace)
  const part = partOf(desired, options)
  return { ...loaded, findings, desired: { ...desired, ...at, findings, part } }
}

/** A warning where a rule of level error compares all sites, and the options leave some of them out. */
async function uncheckedSites(
  { policy: { lint } }: Desired,
  { site, excludeSite = [], changedSince }: FleetOptions
): Promise<Finding[]> {
  const narrowedBy = [
    ...(site.length > 0 ? ['--site'] : []),
    ...(excludeSite.length > 0 ? ['--exclude-site'] : []),
    ...(changedSince === undefined ? [] : ['--changed-since'])
  ]
  const hasError = lint !== undefined && Object.values(lint.rules).includes('error')
  if (!hasError || narrowedBy.length === 0) return []
  const { relationLevels } = await import('../lint/relations.ts')
  const { refusingRules } = await import('../plan/relations.ts')
  const rules = refusingRules({ levels: relationLevels(lint) })
  return rules.length === 0 ? [] : [finding('RELATIONS_NOT_CHECKED', {}, rules, { narrowedBy })]
}

/**
 * The part of the fleet. A run with `--continue` covers the sites of the earlier run, so it is not a shard of
 * its own.
 */
function partOf({ sites }: Desired, options: FleetOptions): Part {
  if (options.continue !== undefined) return { continues: sites.map(({ id }) => id) }
  return options.shard === undefined ? {} : { shard: formatShard(options.shard) }
}

/** The sites that an earlier run on the same service could not read, by id in lower case. */
async function unreadIn(
  file: string,
  { baseUrl }: LoadingOptions,
  host: WorkflowHost
): Promise<ReadonlySet<string>> {
  const { unreadSitesOf, planForm, snapshotForm } = await import('../plan/earlier-run.ts')
  const { base_url, unread } = unreadSitesOf(
    await host.readSaved(file, planForm, snapshotForm),
    file
  )
  if (baseUrl !== undefined && checkBaseUrl(baseUrl) !== base_url) {
    throw new Failure(
      exit.wrongInput,
      `${file} is about ${base_url}, and this run is for ${baseUrl}`,
      'continue an earlier run on this service'
    )
  }
  return new Set(unread.map(({ id }) => id.toLowerCase()))
}

/**
 * Prints the number of sites. A run without sites is correct if it is one of several parts, or if nothing
 * changed.
 */
async function printNarrowed(
  { desired, sites }: LoadedFleet,
  { shard, changedSince, continue: earlier }: FleetOptions,
  host: WorkflowHost
): Promise<void> {
  const covered = desired?.sites.length
  const parts = [
    ...(earlier === undefined ? [] : [`not read by ${escapeText(earlier)}`]),
    ...(shard === undefined ? [] : [`in shard ${formatShard(shard)}`]),
    ...(changedSince === undefined ? [] : [`changed since ${escapeText(changedSince)}`])
  ]
  if (covered === undefined || parts.length === 0) return
  const number = covered === 0 ? 'none' : formatNumber(covered)
  const all = thousands(plural(sites, 'site'))
  await host.printNotice(`wlanctl: ${number} of ${all} ${parts.join(' and ')}`)
}

/** A valid fleet, marked with the secrets to send although the service hides their live values. */
export interface RotatedFleet {
  readonly desired: Desired
  /** True if there is such a secret. */
  readonly rotates: boolean
}

/** The options to load a fleet, and the secrets that the command line selects for rotation. */
type RotationOptions = Parameters<typeof loadDesired>[1] & {
  readonly sendSecret: readonly Pointer[]
}

/**
 * Loads a fleet from YAML for the commands that rotate secrets. Throws (exit 3) as `loadDesired` does, and if
 * no selected WLAN declares a secret that the command line selects.
 */
export async function loadRotated(
  fleet: string,
  options: RotationOptions,
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
