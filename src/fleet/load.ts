import { resolve } from 'node:path'
import type { Calendar } from '../core/model/calendar.ts'
import type { Desired, DesiredSite, ValueOrigins, Wave } from '../core/model/desired.ts'
import { type Finding, finding } from '../core/model/finding.ts'
import { Collector, type Declarations } from './documents.ts'
import { excludedSites } from './excluded-sites.ts'
import { Suggestions } from './expect.ts'
import { type FleetFile, findFiles } from './files/find.ts'
import { nodesKept, parseSource, read, reportIgnoredPolicies, TreeCache } from './files/read.ts'
import { Source } from './files/source.ts'
import { Findings } from './findings.ts'
import { Groups } from './groups.ts'
import { RunBudget } from './limits.ts'
import { type LoadContext, Pace } from './load-context.ts'
import { checkLintRules } from './policy/lint-policy.ts'
import { type DeclaredPolicy, type DeclaredWave, readPolicy } from './policy/policy.ts'
import { noRules, ruleSet } from './policy/rules/rule-set.ts'
import { currentWaivers, Waivers } from './policy/waivers.ts'
import { referencesOnly, type SecretSource } from './secrets/source.ts'
import { coversSite, type Selection, select } from './select.ts'
import type { BaseRevision, Revision } from './since/base.ts'
import type { ComparisonRun, JoinedFleet, SitesById } from './since/changed.ts'
import type { compareWithBase } from './since/compare.ts'
import type { weakenedSince } from './since/weakened.ts'
import { type FleetSite, joinSites } from './sites.ts'
import { declareWlans, fetchSecrets } from './wlans/blocks.ts'
import { Periods } from './wlans/periods.ts'
import { valueLayers } from './wlans/value-layers.ts'
import { type FleetParts, fleetParts, valuePlaces } from './wlans/value-places.ts'

export interface LoadOptions extends Selection {
  /** The fleet, absolute or relative to `cwd`. */
  readonly directory: string
  /** The working directory: places in findings are relative to it. Default: that of the process. */
  readonly cwd?: string | undefined
  /** Absent if the run needs no secrets: references are checked but not resolved. */
  readonly secrets?: SecretSource
  /** Selects only the sites whose declaration differs from this revision. */
  readonly since?: (() => Promise<Revision>) | undefined
  /** Compares with this revision, and selects all sites. Not together with `since`. */
  readonly base?: (() => Promise<Revision>) | undefined
  /** The limit of sites that the revision does not declare; `policy` takes it from the policy of the revision. */
  readonly maxNewSites?: number | 'policy' | 'all' | undefined
  /** The WLANs to evaluate rules on: declared ones, or live ones through `Desired.rules`. Default: `declared`. */
  readonly rulesOver?: 'declared' | 'live' | undefined
  /** The time of the run, for entries of the policy with an end date; default: the current time. */
  readonly now?: (() => Date) | undefined
  /** Aborts the run between two units of work. */
  readonly signal?: AbortSignal | undefined
  /** The time at which the periods of WLANs are evaluated; without one, no period is active. */
  readonly at?: Date | undefined
  /** True for a run that the policy does not limit: its errors are no errors of the files. */
  readonly ignoresPolicy?: true | undefined
  /** The budget of the run; tests lower it. */
  readonly budget?: RunBudget | undefined
}

type Wanted = Omit<LoadOptions, 'directory' | 'cwd'>

export interface LoadedFleet {
  /** Absent if the files have errors; a broken rule is not an error of the files. */
  readonly desired?: Desired
  /** All findings in the order of the files, without duplicates. */
  readonly findings: readonly Finding[]
  /** The number of declared sites, including excluded ones. */
  readonly sites: number
}

/** Reports all problems of a fleet at once. Rejects with a `Failure` if the directory cannot be read. */
export async function loadFleet(options: LoadOptions): Promise<LoadedFleet> {
  const findings = new Findings()
  const budget = options.budget ?? new RunBudget()
  const { directory, cwd = resolve() } = options
  const { files, ignored } = findFiles(directory, cwd, findings, budget)
  await reportIgnoredPolicies(ignored, findings, budget)
  const loaded = await loadSources(readAll(files, findings, budget), options, findings, budget)
  const { desired } = loaded
  if (desired === undefined || ignored.length === 0) return loaded
  return { ...loaded, desired: { ...desired, ignoredFiles: ignored.length } }
}

function* readAll(
  files: readonly FleetFile[],
  findings: Findings,
  budget: RunBudget
): Generator<Source> {
  for (const file of files) {
    if (budget.exceeded !== undefined || findings.full) return
    const source = read(file, findings, budget)
    if (source !== undefined) yield source
  }
}

/** Loads a fleet from texts by their path in it, without reading files. */
export function loadTexts(
  texts: ReadonlyMap<string, string>,
  secrets: SecretSource = referencesOnly(),
  time?: Date
): Promise<LoadedFleet> {
  const sources = [...texts].map(([file, text]) => new Source(file, file, text))
  const findings = new Findings()
  const options = { secrets, at: time }
  return loadSources(sources, options, findings, new RunBudget())
}

async function loadSources(
  files: Iterable<Source>,
  wanted: Wanted,
  findings: Findings,
  runBudget: RunBudget
): Promise<LoadedFleet> {
  const pace = new Pace(wanted.signal)
  const parsing = { pace, findings, budget: runBudget }
  const parsed = await parseAll(files, parsing)
  if (runBudget.exceeded !== undefined) return tooLarge(runBudget, findings)
  const { sources, declarations } = parsed
  // A file with errors may contain the only site that uses a profile.
  const checksUnused = !findings.hasError
  const ofPolicy = wanted.ignoresPolicy ? new Findings() : findings
  const declaredPolicy = readPolicy(declarations.policy, ofPolicy)
  const { policy, rules: demands, waves, lint } = declaredPolicy
  await checkLintRules(lint, ofPolicy)
  const today = wanted.now?.() ?? new Date()
  const ruleNames = demands.map(({ name }) => name)
  const waivers = await currentWaivers(declaredPolicy.waivers, ruleNames, today, ofPolicy)
  const rules = await ruleSet(demands, new Waivers(waivers), policy.unknownFields, ofPolicy)
  const budget = runBudget.resolving
  const groups = new Groups(declarations.groups, budget, findings)
  const joined = joinSites(declarations.sites, groups, budget, findings)
  if (declarations.sites.length === 0 && !findings.hasError) {
    findings.push(finding('EMPTY_FLEET', {}))
  }
  const options = withExclusions(wanted, declaredPolicy, joined, today, findings)
  const calendar = await calendarOf(declaredPolicy, joined, ofPolicy)
  const base = await baseOf(options, sources, parsing)
  const { profiles } = declarations
  const periods = new Periods(options.at, declaredPolicy.timezone)
  const now = { sites: joined, profiles, periods }
  const secrets = (options.secrets ?? referencesOnly()).checking
  const comparison = { secrets, findings, budget, pace }
  const { selection, before } = await narrowed(options, base, now, comparison)
  const applicableRules = wanted.rulesOver === 'live' ? noRules : rules
  const suggestions = new Suggestions()
  const exposesVars = rules.readsSite
  const shared = {
    policy,
    rules: applicableRules,
    exposesVars,
    budget,
    findings,
    suggestions,
    pace,
    periods
  }
  const given: LoadContext = { ...shared, secrets: options.secrets ?? referencesOnly() }
  const run = { ...given, secrets: await fetchSecrets(joined, profiles, selection, given) }
  const declared = await declareWlans(joined, profiles, selection, run, { checksUnused })
  if (runBudget.exceeded !== undefined) return tooLarge(runBudget, findings)
  const isWhole = coversAll(options)
  applicableRules.reportTo(findings, isWhole)
  // A fleet with errors may lack sites, so that a wave could seem to be empty.
  const rollout = findings.hasError ? undefined : await rolloutOf(waves, joined, base, ofPolicy)
  const admittedSites = await admitted(
    select(declared, selection, findings),
    base,
    options,
    findings
  )
  const sites =
    base && before
      ? await withBase(admittedSites, { base, before }, options, joined, findings)
      : admittedSites
  if (findings.hasError) return { findings: findings.inOrder(), sites: joined.length }
  const guards = { policy: declaredPolicy, sites: joined }
  // Not in `findings`, whose limit they could exceed.
  const weakened = base ? await weakenedGuards(base, guards, sites, before, today) : []
  const sorted = [...weakened, ...findings.inOrder()]
  const fleet = { declarations, sites: joined }
  const parts = fleetParts(fleet, { ...run, findings: new Findings() })
  const desired: Desired = {
    policy,
    ...(rollout && { rollout }),
    ...(calendar && { calendar }),
    sites,
    ...(policy.org === undefined ? {} : { declaredIds: idsOf(joined) }),
    findings: sorted,
    ...(demands.length > 0 && wanted.rulesOver === 'live' && { rules }),
    ...(waivers.length > 0 && { waivers }),
    ...(isWhole && { isWhole }),
    placesOf: valuePlaces(parts),
    layersOf: valueLayers(parts),
    originsOf: originsIn(parts)
  }
  return { desired, findings: sorted, sites: joined.length }
}

/** Separate, because a closure keeps its whole scope in memory, and that of the load holds the parsed fleet. */
function originsIn(parts: FleetParts): ValueOrigins {
  return async (...wlan) => {
    const { valueOrigins } = await import('./wlans/value-origins.ts')
    return valueOrigins(parts, ...wlan)
  }
}

function withExclusions(
  options: Wanted,
  { exclusions }: DeclaredPolicy,
  sites: readonly FleetSite[],
  today: Date,
  findings: Findings
): Wanted {
  if (exclusions.length === 0) return options
  return { ...options, policyExcludedSites: excludedSites(exclusions, sites, today, findings) }
}

function coversAll(options: Wanted): boolean {
  const { sites = [], excludedSites: excluded = [], policyExcludedSites, wlans = [] } = options
  const { shard, ids, since } = options
  const isNarrowed = shard !== undefined || ids !== undefined || since !== undefined
  const isExcluded = policyExcludedSites !== undefined && policyExcludedSites.size > 0
  return !isNarrowed && !isExcluded && [...sites, ...excluded, ...wlans].length === 0
}

function idsOf(sites: readonly FleetSite[]): ReadonlySet<string> {
  return new Set(sites.map(({ id }) => id.toLowerCase()))
}

function tooLarge({ exceeded }: RunBudget, findings: Findings): LoadedFleet {
  if (exceeded !== undefined) findings.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
  return { findings: findings.inOrder(), sites: 0 }
}

/** The number of characters of a fleet, and of a file, above which memory matters more than time. */
const LARGE_FLEET = 8 * 1024 * 1024
const LARGE_FILE = 128 * 1024

/** Without it the heap grows threefold: a plan of 10,000 sites with ten WLANs each takes 425 MB instead of 260. */
async function limitHeapGrowth(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--heap-growing-percent=45')
}

interface Parsing {
  readonly pace: Pace
  readonly findings: Findings
  readonly budget: RunBudget
}

async function parseAll(
  files: Iterable<Source>,
  { pace, findings, budget }: Parsing
): Promise<{ readonly sources: readonly Source[]; readonly declarations: Declarations }> {
  const sources: Source[] = []
  const collector = new Collector(findings)
  const trees = new TreeCache()
  let characters = 0
  let isLarge = false
  for (const source of files) {
    sources.push(source)
    characters += source.text.length
    if (!isLarge && (characters > LARGE_FLEET || source.text.length > LARGE_FILE)) {
      isLarge = true
      await limitHeapGrowth()
    }
    findings.pushAll(await parseSource(source, budget))
    const sites = collector.add(source)
    const isReadAgain = sites.length === 1 && source.isPlain
    const kept = nodesKept(source, isReadAgain)
    if (isReadAgain) trees.add(source)
    if (!budget.take('nodes', kept)) break
    if (pace.isOver) await pace.turn()
  }
  return { sources, declarations: collector.declarations() }
}

/** The waves of the fleet; undefined if it declares none. Loads the code for waves only if needed. */
async function rolloutOf(
  declared: readonly DeclaredWave[],
  sites: readonly FleetSite[],
  base: BaseRevision | undefined,
  findings: Findings
): Promise<readonly Wave[] | undefined> {
  if (declared.length === 0) return undefined
  const { assignWaves } = await import('./policy/waves.ts')
  const waves = assignWaves(declared, sites, findings)
  if (base === undefined) return waves
  const { settleWaves } = await import('./since/base.ts')
  return settleWaves(waves, sites, base, findings)
}

/** The windows and freezes of the fleet; checks `policy.timezone`. Loads the code for time zones only if needed. */
async function calendarOf(
  { calendar, timezone }: Pick<DeclaredPolicy, 'calendar' | 'timezone'>,
  sites: readonly FleetSite[],
  findings: Findings
): Promise<Calendar | undefined> {
  if (calendar === undefined && timezone === undefined) return undefined
  const { checkCalendar, zoneIn } = await import('./time-zones.ts')
  zoneIn(timezone, findings)
  return calendar && checkCalendar(calendar, timezone, sites, findings)
}

/** The base revision that the fleet is compared with; undefined if the files have errors. */
async function baseOf(
  { since, base }: Wanted,
  sources: readonly Source[],
  { pace, findings, budget }: Parsing
): Promise<BaseRevision | undefined> {
  const revision = since ?? base
  if (revision === undefined || findings.hasError) return undefined
  const { baseAt } = await import('./since/base.ts')
  return baseAt(await revision(), sources, budget, pace)
}

/** The sites that the run may read; those that the base does not declare are marked. */
async function admitted(
  sites: readonly DesiredSite[],
  base: BaseRevision | undefined,
  { maxNewSites = 'all' }: Wanted,
  findings: Findings
): Promise<readonly DesiredSite[]> {
  if (base === undefined || base.wrong.hasError) return sites
  const { capNewSites } = await import('./since/base.ts')
  return capNewSites(sites, base, maxNewSites, findings)
}

/** Adds the differences between the files and the base to the sites. */
async function withBase(
  ...comparison: Parameters<typeof compareWithBase>
): Promise<readonly DesiredSite[]> {
  const { compareWithBase } = await import('./since/compare.ts')
  return compareWithBase(...comparison)
}

/** The guards that the files weaken since the base; the protection of WLANs as far as they are compared. */
async function weakenedGuards(
  base: BaseRevision,
  guards: Parameters<typeof weakenedSince>[1],
  sites: readonly DesiredSite[],
  before: SitesById | undefined,
  now: Date
): Promise<readonly Finding[]> {
  const { weakenedSince, weakenedWlans } = await import('./since/weakened.ts')
  const ofWlans = before ? weakenedWlans(sites, { base, before }) : []
  return [...(await weakenedSince(base, guards, now)), ...ofWlans]
}

/** The selection of a run, with the base declarations of WLANs that may have changed. */
interface Narrowed {
  readonly selection: Selection
  readonly before?: SitesById | undefined
}

/** Narrows the selection to changed sites; files with errors are not compared. */
async function narrowed(
  options: Wanted,
  base: BaseRevision | undefined,
  now: JoinedFleet,
  run: ComparisonRun
): Promise<Narrowed> {
  const { since, ids, at } = options
  if (base === undefined) return { selection: options }
  if (since === undefined && base.wrong.hasError) {
    run.findings.push(finding('BASE_WRONG', {}, base.name, base.wrong.first()))
    return { selection: options }
  }
  const { changedSites, declaredBefore } = await import('./since/changed.ts')
  const then = { ...base, periods: new Periods(at, base.policy.timezone) }
  if (since === undefined) {
    const covered = { ...now, sites: now.sites.filter(site => coversSite(options, site)) }
    const before = await declaredBefore(then, covered, run)
    return { selection: options, before }
  }
  const { changed, before } = await changedSites(then, now, run)
  return { selection: { ...options, ids: both(ids, changed) }, before }
}

function both(
  ids: ReadonlySet<string> | undefined,
  changed: ReadonlySet<string>
): ReadonlySet<string> {
  return ids === undefined ? changed : new Set([...changed].filter(id => ids.has(id)))
}
