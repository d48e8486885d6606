import { checkBaseUrl } from '../api/connection.ts'
import { type LoadedFleet, loadFleet } from '../config/load.ts'
import { compact } from '../model/collections.ts'
import type { Desired, Part } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { byPlace, type Finding, finding, isError, isPolicyRefusal } from '../model/finding.ts'
import { formatShard, type Shard } from '../model/shard.ts'
import { formatNumber, plural } from '../model/text.ts'
import { formatTimestamp } from '../model/time.ts'
import { escapeText } from '../report/escape.ts'
import { thousands } from '../report/format-value.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { WorkflowHost } from './host.ts'

/** Which sites and WLANs a run covers; globs. */
export interface SelectionOptions {
  readonly site: readonly string[]
  readonly excludeSite?: readonly string[]
  readonly wlan: readonly string[]
}

/** Which part of the fleet a run covers. */
export interface FleetOptions extends SelectionOptions {
  readonly shard?: Shard
  /** A revision of git. */
  readonly changedSince?: string
  /** A revision of git to compare the fleet with, without narrowing the run. */
  readonly base?: string
  /** The most sites to read that the base does not declare; `policy` takes it from the policy of the base. */
  readonly maxNewSites?: number | 'policy' | 'all'
  /** A file with the number of clients of sites. */
  readonly weights?: string
  /** The time to plan for; default: now. */
  readonly at?: Date
  /** A saved plan or snapshot of an earlier run; only the sites it could not read are covered. */
  readonly continue?: string
}

/** Where the secrets come from; never set by a file of the fleet. */
export interface SecretOptions {
  readonly secretsDir?: string
  readonly secretPrefix: string
  /** The words of a command that gives the values of variables. */
  readonly secretsCommand?: readonly [program: string, ...args: string[]]
}

/** `baseUrl` is checked against the run that `--continue` names. */
type LoadingOptions = FleetOptions & { readonly baseUrl?: string }

/** A valid fleet. */
export interface Fleet {
  readonly desired: Desired
}

/** YAML → desired. Reports every problem of the files, then throws (exit 3): no plan of half a fleet. */
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

/** Reads the files of a fleet, narrowed as the options say, and prints how many sites that leaves. */
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

/** A run with `--continue` covers the sites of the earlier run, so it is no shard by itself. */
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

/** A run of no site is correct where it is one of several parts, or where nothing changed. */
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
