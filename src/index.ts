// wlanctl as a library: examples/library/README.md.
import { type LintFinding, lint as lintSites } from './core/lint/lint.ts'
import { defaultLintPolicy, runDefaults } from './core/model/defaults.ts'
import { type Desired, declaredSecrets, type LintPolicy, type Site } from './core/model/desired.ts'
import { exit, Failure, Observers, wrongInput } from './core/model/failure.ts'
import type { Finding } from './core/model/finding.ts'
import type { LiveSite, UnreadSite } from './core/model/live.ts'
import type { Plan } from './core/model/plan.ts'
import { tool } from './core/model/tool.ts'
import type { Allowances } from './core/plan/guards.ts'
import { compact } from './core/values/collections.ts'
import type { Environment } from './core/values/environment.ts'
import { quote } from './core/values/text.ts'
import { isUuid } from './core/values/uuid.ts'
import { type LoadedFleet, loadFleet as load } from './fleet/load.ts'
import { type SecretLocations, type SecretSource, secretSource } from './fleet/secrets/source.ts'
import { type LintResult, lintDeclared } from './run/checks/run-linter.ts'
import type { RunContext, RunEvent } from './run/context.ts'
import { type Execution, executePlan, planApply } from './run/execute-plan.ts'
import { makeDrift } from './run/make-drift.ts'
import { makePlan, type PlanRequest } from './run/make-plan.ts'
import { readSitesAsTask } from './run/read-sites.ts'
import type { OpenRecord } from './run/record/recorder.ts'
import type { RolloutSettings } from './run/rollout.ts'
import { openReader, openWriter, type Reader } from './service/client.ts'
import { clockUntil } from './service/http/clock.ts'
import { type Connection, checkBaseUrl } from './service/http/connection.ts'

export { diff, type FieldDifferences } from './core/diff/diff.ts'
export type { LintFinding } from './core/lint/lint.ts'
export type {
  Desired,
  DesiredSite,
  DesiredWlan,
  LintPolicy,
  Policy,
  Site
} from './core/model/desired.ts'
export { Failure } from './core/model/failure.ts'
export type { Finding, FindingCode, FindingLevel, Location } from './core/model/finding.ts'
export { isInherited, type LiveSite, type LiveWlan, type UnreadSite } from './core/model/live.ts'
export type { FieldOutcome, Outcome, Status } from './core/model/outcome.ts'
export type { Change, PatchOperation, Plan, PlanSummary, WlanPlan } from './core/model/plan.ts'
export type { Allowances } from './core/plan/guards.ts'
export type { PlannedWave } from './core/plan/planned-waves.ts'
export type { Environment } from './core/values/environment.ts'
export type { Pointer } from './core/values/pointer.ts'
export { Secret, type SecretReference } from './core/values/secret.ts'
export { type Value, type ValueObject, valueAt } from './core/values/value.ts'
export type { LoadedFleet } from './fleet/load.ts'
export type { SecretLocations, SecretSource } from './fleet/secrets/source.ts'
export type { RunEvent } from './run/context.ts'
export type { Execution } from './run/execute-plan.ts'
export type { OpenRecord, RecordFile } from './run/record/recorder.ts'
export type { RolloutSettings } from './run/rollout.ts'
export { ApiError, type ApiProblem } from './service/http/error.ts'

/** The service, the tokens, and the limits of a call, which by default are those of the command line. */
export interface Service {
  /** `https://…`; plain http is for loopback hosts only. */
  readonly baseUrl: string
  /** API tokens with the same permissions, each with its own rate limit. */
  readonly tokens: readonly string[]
  /** The number of sites that are read or changed at the same time. */
  readonly parallelism?: number
  /** The timeout of one request in seconds. */
  readonly timeout?: number
  /** The number of attempts for one result, including the first one. */
  readonly maxAttempts?: number
  /** The longest wait for a rate limit in seconds. */
  readonly maxWait?: number
  /** The source of `https_proxy` and `no_proxy`, such as `process.env`; default: no proxy. */
  readonly env?: Environment
}

/** What a call reports, and when it stops. */
export interface CallOptions {
  /** When aborted, nothing new starts; updates that were sent are read back first. */
  readonly signal?: AbortSignal
  /** Receives the progress. An error of it ends reading, but never an execution. */
  readonly on?: (event: RunEvent) => void
  /** The time of day; default: that of the machine. */
  readonly now?: () => Date
}

/** The part of a fleet to load, and where its secrets are. */
export interface FleetOptions extends Pick<CallOptions, 'signal' | 'now'> {
  /** Absent if the call needs no secrets: references are checked but not resolved. */
  readonly secrets?: SecretSource
  /** Globs over the name or the id of a site; default: all sites. */
  readonly sites?: readonly string[]
  /** Globs over the name or the id of a site; sites that match one are excluded. */
  readonly excludedSites?: readonly string[]
  /** Globs over the key or the address of a WLAN; default: all WLANs. */
  readonly wlans?: readonly string[]
  /** Where the rules of the policy are evaluated: on the plan (default), or on the files alone. */
  readonly rulesOver?: 'live' | 'declared'
}

/**
 * Loads the fleet in a directory and reports all of its problems at once. Rejects with a `Failure` if the directory
 * cannot be read.
 */
export function loadFleet(directory: string, options: FleetOptions = {}): Promise<LoadedFleet> {
  const { now = currentTime } = options
  return load({ rulesOver: 'live', ...options, directory, now })
}

/**
 * A source of secrets: `env` for variables, and the files of a directory. The names of variables start with the prefix,
 * which is `WLAN_SECRET_` by default.
 */
export function secretsFrom(
  locations: Partial<Omit<SecretLocations, 'fromFile'>> & { readonly env?: Environment }
): SecretSource {
  return secretSource({ env: {}, prefix: runDefaults.secretPrefix, ...locations })
}

/**
 * Reads all WLANs of these sites, or of all sites of an organization, with one request for each site. A site that cannot be
 * read is in the result with the reason. Rejects with a `Failure` if an id is not a UUID, or the sites cannot be listed.
 */
export function readLive(
  subject: Subject,
  service: Service,
  options: CallOptions = {}
): Promise<readonly (LiveSite | UnreadSite)[]> {
  return withReader(service, options, undefined, async (reader, run) => {
    const sites = await sitesOf(subject, reader)
    const { parallelism } = limitsOf(service)
    return readSitesAsTask(reader, sites, { parallelism, visit: (_, live) => live }, run)
  })
}

/** An organization by its id, or sites. */
export type Subject = { readonly org: string } | { readonly sites: readonly Site[] }

async function sitesOf(subject: Subject, reader: Reader): Promise<readonly Site[]> {
  const [about, ids] =
    'org' in subject
      ? ['an organization', [subject.org]]
      : ['a site', subject.sites.map(({ id }) => id)]
  const wrong = ids.find(id => !isUuid(id))
  if (wrong !== undefined) {
    throw wrongInput(`expected the UUID of ${about}, got ${quote(wrong, 100)}`)
  }
  return 'org' in subject ? reader.listSites(subject.org) : subject.sites
}

/**
 * Lints the files of a fleet, with its policy and waivers; no findings if its policy turns the linter off.
 * `secretFindings` depend on the values of secrets: do not store or publish them.
 */
export function lint(desired: Desired): Pick<LintResult, 'findings' | 'secretFindings'> {
  const { lint: policy } = desired.policy
  return policy === undefined ? { findings: [], secretFindings: [] } : lintDeclared(desired, policy)
}

/**
 * Lints live WLANs without files; every finding is an existing one. Findings with `fromSecret` depend on the value of a
 * secret: do not store or publish them.
 */
export function lintLive(
  sites: readonly LiveSite[],
  policy: LintPolicy = defaultLintPolicy
): readonly LintFinding[] {
  const linted = sites.map(({ site, wlans }) => ({
    ...site,
    wlans: wlans.map(({ ssid, record }) => ({ name: ssid, live: record }))
  }))
  return lintSites(linted, policy)
}

export interface PlanOptions extends CallOptions {
  /** Limits for this call, which replace or extend those of the policy. */
  readonly allowances?: Allowances
  /** Plans changes outside of their windows and during a freeze, too. */
  readonly ignoreWindows?: true
}

/** Compares a fleet with the live WLANs; sends nothing. `refusals` of the plan are the reasons why `apply` would refuse it. */
export async function plan(
  desired: Desired,
  service: Service,
  options: PlanOptions = {}
): Promise<Planned> {
  const { plan, lint } = await withReader(service, options, desired, (reader, run) =>
    makePlan(desired, reader, requestOf(service, options), run)
  )
  return { plan, secretFindings: lint.secretFindings ?? [] }
}

/**
 * Compares the live WLANs with a fleet, and its sites with those of `policy.org` if all of it was loaded; sends nothing. The
 * plan has the dangers of what is live, and what no file declares.
 */
export async function drift(
  desired: Desired,
  service: Service,
  options: CallOptions = {}
): Promise<Planned> {
  const { parallelism } = limitsOf(service)
  const request = { parallelism, listsSites: desired.isWhole === true }
  const { plan, lint } = await withReader(service, options, desired, (reader, run) =>
    makeDrift(desired, reader, request, run)
  )
  return { plan, secretFindings: lint.secretFindings ?? [] }
}

/** A plan, and the findings that it must not contain because they depend on the values of secrets. */
export interface Planned {
  readonly plan: Plan
  readonly secretFindings: readonly Finding[]
}

export interface ApplyOptions extends PlanOptions, RolloutSettings {
  /** Decides whether to send the changes of this plan; called only if the plan has changes that are not refused. */
  readonly approve: (planned: Planned) => boolean | Promise<boolean>
  /** How long to wait for a change to be visible, in seconds. */
  readonly verifyTimeout?: number
  /** The record of the run for `wlanctl revert`; default: none. */
  readonly record?: OpenRecord
}

/** The plan of a run, and the result of its execution. */
export type Applied = Planned & Execution

/**
 * Plans a fleet, sends the changes that `approve` accepts, and reads each one back. Every change has an outcome.
 * Rejects with a `Failure`, and sends nothing, if a secret is missing, if the policy or a limit forbids the changes,
 * and if they are not approved.
 */
export async function apply(
  desired: Desired,
  service: Service,
  options: ApplyOptions
): Promise<Applied> {
  const observers = new Observers()
  const on = (event: RunEvent) => observers.notify(() => options.on?.(event))
  const run = contextOf({ ...options, on })
  const writer = openWriter(connectionOf(service, run, desired))
  try {
    const { check, allowances = {}, approve, record, ignoreWindows } = options
    const { verifyTimeout = runDefaults.verifyTimeout } = options
    const request = requestOf(service, options)
    const limited = check && limitedCheck(check, desired.policy.rollout.checkTimeout)
    const input = await planApply(desired, writer, { request, check: limited }, run)
    const planned = { plan: input.plan, secretFindings: input.lint.secretFindings ?? [] }
    const confirm = async () => {
      if (input.changes.length === 0 || (await approve(planned))) return
      throw new Failure(exit.refused, 'the plan was not approved; nothing was sent')
    }
    const limits = { ...limitsOf(service), verifyTimeout, allowances, confirm }
    const settings = { ...limits, ...compact({ record, ignoreWindows }) }
    const execution = await executePlan(input, writer, settings, run)
    return { ...planned, ...execution, ...compact({ observerError: observers.error }) }
  } finally {
    await writer.close()
  }
}

function limitedCheck(
  check: NonNullable<RolloutSettings['check']>,
  seconds: number
): RolloutSettings['check'] {
  return wave => {
    const ended = new AbortController()
    const late = clockUntil(ended.signal).sleep(seconds * 1000)
    const problem = late.then(() => `the check took longer than ${seconds} s`)
    return Promise.race([check(wave), problem]).finally(() => ended.abort())
  }
}

/** Opens the service for reading, with the secrets of `desired` redacted in errors, until `work` ends. */
async function withReader<Result>(
  service: Service,
  options: CallOptions,
  desired: Desired | undefined,
  work: (reader: Reader, run: RunContext) => Promise<Result>
): Promise<Result> {
  const run = contextOf(options)
  const { interrupted: abortSignal } = run
  const reader = openReader(connectionOf(service, { ...run, abortSignal }, desired))
  try {
    return await work(reader, run)
  } finally {
    await reader.close()
  }
}

const currentTime = () => new Date()

function contextOf({ signal, on, now = currentTime }: CallOptions): RunContext {
  return {
    tool: tool.name,
    now,
    interrupted: signal ?? new AbortController().signal,
    abortSignal: new AbortController().signal,
    on(event) {
      on?.(event)
      return undefined
    }
  }
}

function limitsOf({ parallelism, maxAttempts, timeout, maxWait }: Service) {
  return { ...runDefaults, ...compact({ parallelism, maxAttempts, timeout, maxWait }) }
}

function requestOf(service: Service, { allowances, ignoreWindows }: PlanOptions): PlanRequest {
  const { parallelism } = limitsOf(service)
  return { parallelism, ...compact({ allowances, ignoreWindows }) }
}

function connectionOf(
  service: Service,
  { interrupted, abortSignal: signal }: Pick<RunContext, 'interrupted' | 'abortSignal'>,
  desired: Desired | undefined
): Connection {
  const { baseUrl, tokens, env = {} } = service
  const { parallelism, timeout, maxAttempts, maxWait } = limitsOf(service)
  const clock = clockUntil(signal)
  return {
    baseUrl: checkBaseUrl(baseUrl),
    tokens,
    ...(desired && { secrets: () => declaredSecrets(desired) }),
    parallelism,
    timeout,
    userAgent: tool.name,
    env,
    retryPolicy: { maxAttempts, maxWait, clock, random: Math.random, interrupted },
    signal
  }
}
