import { resolve } from 'node:path'
import { countManaged, type Desired, type Wave } from '../core/model/desired.ts'
import { type Finding, finding } from '../core/model/finding.ts'
import { compact } from '../core/values/collections.ts'
import { type DeclaredFleet, declaredFleet, type Parsing } from './declared.ts'
import { type FleetFile, findFiles } from './files/find.ts'
import { read, reportIgnoredPolicies } from './files/read.ts'
import { Source } from './files/source.ts'
import { Findings } from './findings.ts'
import type { RunLimits } from './limits.ts'
import { judgementOf } from './policy/judgement.ts'
import { type DeclaredWave, readPolicy } from './policy/policy.ts'
import { referencesOnly, type SecretSource } from './secrets/source.ts'
import { type Selection, select } from './select.ts'
import type { Base, loadBase } from './since/base.ts'
import type { compareWithBase } from './since/compare.ts'
import type { Revision } from './since/revision.ts'
import type { FleetSite } from './sites.ts'
import type { DeclaredTest, FleetTests } from './tests/declared.ts'
import { FleetTooLarge, RunTime, Usage } from './usage.ts'
import { declareWlans } from './wlans/blocks.ts'
import type { LoadContext } from './wlans/load-context.ts'
import { provenanceOf } from './wlans/provenance.ts'

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
  /** The WLANs to evaluate rules on: declared ones, or live ones through `Desired.rules`. Default: `declared`. */
  readonly rulesOver?: 'declared' | 'live' | undefined
  /** The time of the run, for entries of the policy with an end date; default: the current time. */
  readonly now?: (() => Date) | undefined
  /** Aborts the run between two units of work. */
  readonly signal?: AbortSignal | undefined
  /** True for a run that the policy does not limit: its errors are no errors of the files. */
  readonly ignoresPolicy?: true | undefined
  readonly readsTests?: true | undefined
  /** The sites have their variables, also without a rule that reads `$site`. */
  readonly exposesVars?: true | undefined
  /** Lower limits than those of a run. */
  readonly limits?: Partial<RunLimits> | undefined
  /** The CPU seconds of the process; default: as it measures them. */
  readonly clock?: (() => number) | undefined
}

type Wanted = Omit<LoadOptions, 'directory' | 'cwd'>

export interface LoadedFleet {
  /** Absent if the files have errors; a broken rule is not an error of the files. */
  readonly desired?: Desired
  /** All findings in the order of the files, without duplicates. */
  readonly findings: readonly Finding[]
  readonly sites: number
  readonly tests?: FleetTests
}

export async function loadFleet(options: LoadOptions): Promise<LoadedFleet> {
  const { directory, cwd = resolve(), limits, clock, signal } = options
  const findings = new Findings()
  const usage = new Usage(limits, new RunTime({ seconds: limits?.seconds, clock, signal }))
  return unlessTooLarge({ usage, findings }, async run => {
    const { files, ignored } = findFiles(directory, cwd, findings, usage)
    await reportIgnoredPolicies(ignored, findings, usage)
    const loaded = await loadSources(readAll(files, run), options, run)
    const { desired } = loaded
    if (desired === undefined || ignored.length === 0) return loaded
    return { ...loaded, desired: { ...desired, ignoredFiles: ignored.length } }
  })
}

function* readAll(files: readonly FleetFile[], { findings, usage }: Parsing): Generator<Source> {
  for (const file of files) {
    if (findings.full) return
    const source = read(file, findings, usage)
    if (source !== undefined) yield source
  }
}

export function loadTexts(
  texts: ReadonlyMap<string, string>,
  secrets: SecretSource = referencesOnly(),
  options: Pick<LoadOptions, 'exposesVars'> = {}
): Promise<LoadedFleet> {
  const sources = [...texts].map(([file, text]) => new Source(file, file, text))
  return unlessTooLarge({ usage: new Usage(), findings: new Findings() }, run =>
    loadSources(sources, { ...options, secrets }, run)
  )
}

/** The result of a load, or a finding if the files exceed a limit of a run. */
async function unlessTooLarge(
  run: Parsing,
  load: (run: Parsing) => Promise<LoadedFleet>
): Promise<LoadedFleet> {
  const { usage, findings } = run
  usage.time.resume()
  try {
    return await load(run)
  } catch (thrown) {
    if (!(thrown instanceof FleetTooLarge)) throw thrown
    findings.push(thrown.finding)
    return { findings: findings.inOrder(), sites: 0 }
  } finally {
    usage.time.stop()
  }
}

async function loadSources(
  files: Iterable<Source>,
  wanted: Wanted,
  parsing: Parsing
): Promise<LoadedFleet> {
  const { findings, usage } = parsing
  const fleet = await declaredFleet(files, parsing)
  const { declarations, sites: joined } = fleet
  const ofPolicy = wanted.ignoresPolicy ? new Findings() : findings
  const declaredPolicy = readPolicy(declarations.policy, ofPolicy)
  const today = wanted.now?.() ?? new Date()
  if (declarations.sites.length === 0 && !findings.hasError) {
    findings.push(finding('EMPTY_FLEET', {}))
  }
  const { profiles } = declarations
  const secrets = wanted.secrets ?? referencesOnly()
  const base = await baseOf(wanted, fleet, { ...parsing, secrets: secrets.checking })
  const selection = base?.changed === undefined ? wanted : { ...wanted, ids: base.changed }
  const judgement = await judgementOf(declaredPolicy, joined, base, today, {
    findings: ofPolicy,
    usage
  })
  const { policy, policyDigest, rules, waivers, waiversAtBase, calendar } = judgement
  const applicableRules = wanted.rulesOver === 'live' ? undefined : rules
  const tests = wanted.readsTests && (await testsOf(fleet, parsing))
  const exposesVars = wanted.exposesVars || rules?.readsSite || tests?.declared.some(readsSite)
  const run: LoadContext = {
    policy,
    rules: applicableRules,
    ...(exposesVars && { exposesVars }),
    usage,
    findings,
    secrets
  }
  // A file with errors may contain the only site that uses a profile.
  const checks = { checksUnused: fleet.isComplete }
  const declared = await declareWlans(joined, profiles, selection, run, checks)
  const isWhole = coversAll(wanted)
  // A fleet with errors may lack sites, so that a wave could seem to be empty.
  const { waves } = declaredPolicy
  const rollout = findings.hasError
    ? undefined
    : await rolloutOf(waves, joined, base, {
        findings: ofPolicy,
        usage
      })
  const selected = select(declared, selection, findings)
  const compared = base && (await comparedWith(base, selected, joined, judgement, wanted))
  const isStrict = policy.lint?.strict === true
  applicableRules?.reportTo(findings, isWhole, isStrict ? undefined : compared?.sites)
  findings.pushAll(compared?.removed ?? [])
  if (findings.hasError) return { findings: findings.inOrder(), sites: joined.length }
  const { sites, relaxed } = compared ?? { sites: selected, relaxed: [] }
  const sorted = [...relaxed, ...findings.inOrder()]
  const desired: Desired = {
    policy,
    ...compact({ policyDigest, rollout, calendar }),
    sites,
    managed: base ? [countManaged(declared), base.managed] : [countManaged(declared)],
    declaredIds: new Set(joined.map(({ id }) => id.toLowerCase())),
    findings: sorted,
    ...(wanted.rulesOver === 'live' && compact({ rules })),
    ...(waivers.length > 0 && { waivers, ...compact({ waiversAtBase }) }),
    ...(isWhole && { isWhole }),
    ...provenanceOf(fleet)
  }
  return { desired, findings: sorted, sites: joined.length, ...(tests && { tests }) }
}

/** Reads the tests. Loads the code for them only if there are some. */
async function testsOf(
  { declarations, sites }: DeclaredFleet,
  { findings, usage: { time } }: Parsing
): Promise<FleetTests> {
  const { groups, tests } = declarations
  const declared =
    tests.length === 0
      ? []
      : await (await import('./tests/declared.ts')).readTests(
          tests,
          { sites, groups },
          time,
          findings
        )
  return { declared, time }
}

function readsSite({ expectations }: DeclaredTest): boolean {
  return expectations.some(each => each.kind === 'require' && each.requirement.named.has('$site'))
}

function coversAll(options: Wanted): boolean {
  const { sites = [], excludedSites = [], wlans = [], shard, since } = options
  const isNarrowed = shard !== undefined || since !== undefined
  return !isNarrowed && [...sites, ...excludedSites, ...wlans].length === 0
}

/** The waves, with a base those that it declares; loads the code for waves only if needed. */
async function rolloutOf(
  declared: readonly DeclaredWave[],
  sites: readonly FleetSite[],
  base: Base | undefined,
  run: Parsing
): Promise<readonly Wave[] | undefined> {
  const isByBase = base !== undefined && base.policy.waves.length > 0
  if (declared.length === 0 && !isByBase) return undefined
  const { assignWaves, wavesAtBase } = await import('./policy/waves.ts')
  const waves = declared.length > 0 ? assignWaves(declared, sites, run) : undefined
  return isByBase ? wavesAtBase(base, sites, run.usage) : waves
}

async function baseOf(
  options: Wanted,
  fleet: Parameters<typeof loadBase>[1],
  run: Parsing & { readonly secrets: SecretSource }
): Promise<Base | undefined> {
  const { since, base } = options
  const revision = since ?? base
  if (revision === undefined || run.findings.hasError) return undefined
  const { loadBase } = await import('./since/base.ts')
  const comparing = { ...run, selection: options, selectsChanged: since !== undefined }
  return loadBase(await revision(), fleet, comparing)
}

async function comparedWith(...compared: Parameters<typeof compareWithBase>) {
  const { compareWithBase } = await import('./since/compare.ts')
  return compareWithBase(...compared)
}
