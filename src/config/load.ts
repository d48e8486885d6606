import { setFlagsFromString } from 'node:v8'
import type { Desired, Site } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { Wave } from '../model/rollout.ts'
import { referencesOnly, type SecretSource } from '../secrets/source.ts'
import { type Ahead, Foresight } from './ahead.ts'
import { budgetFor } from './checks/budget.ts'
import { Findings } from './checks/findings.ts'
import { Suggestions } from './checks/suggest.ts'
import { Collector, type Declarations } from './documents.ts'
import { type FleetFile, findFiles } from './files/find.ts'
import { read } from './files/read.ts'
import { Source } from './files/source.ts'
import { readPolicy } from './policy.ts'
import type { DeclaredWave } from './rollout/read.ts'
import { type Rulebook, rulebook } from './rules/book.ts'
import type { Run } from './run.ts'
import { type Selection, select } from './select.ts'
import type { Joined } from './since/changed.ts'
import type { Revision } from './since/revision.ts'
import { joinSites } from './sites.ts'
import { Texts } from './wlans/texts.ts'
import { declareWlans } from './wlans/wlans.ts'
import { Familiar } from './yaml/familiar.ts'
import { parse } from './yaml/parse.ts'

export interface LoadOptions extends Selection {
  /** The fleet, absolute or relative to `cwd`. */
  readonly directory: string
  /** The working directory: places in findings are relative to it. */
  readonly cwd: string
  /** Absent for a run that needs no secrets: references are checked and not followed. */
  readonly secrets?: SecretSource
  /** Told of sites that the run is about while others are still being read; of all of them, or of none. */
  readonly ahead?: Ahead | undefined
  /** Leaves only the sites that are not declared as they were then. */
  readonly since?: (() => Promise<Revision>) | undefined
}

/** What a run wants of a fleet, wherever its files are. */
type Wanted = Omit<LoadOptions, 'directory' | 'cwd'>

export interface LoadedFleet {
  /** Absent if the files are wrong. One that breaks a rule of its policy is here all the same. */
  readonly desired?: Desired
  /** All of them, in the order of the files; each is shown once. */
  readonly findings: readonly Finding[]
  /** The rules of the policy; absent if the files are wrong. */
  readonly rules?: Rulebook
  /** Sites that the files declare, before anything was left out. */
  readonly sites: number
}

/**
 * Reads what a fleet declares. Everything that is wrong with it is found in one go.
 *
 * Rejects with a `Failure` if the directory itself cannot be read.
 */
export async function loadFleet(options: LoadOptions): Promise<LoadedFleet> {
  const findings = new Findings()
  const files = findFiles(options.directory, options.cwd, findings)
  return loadSources(readAll(files, findings), options, findings)
}

/** Reads each file when its turn comes. */
function* readAll(files: readonly FleetFile[], findings: Findings): Generator<Source> {
  for (const file of files) {
    const source = read(file, findings)
    if (source !== undefined) yield source
  }
}

/** What a fleet of these files would declare, by their names in it; no file is read. */
export function loadTexts(
  texts: ReadonlyMap<string, string>,
  secrets: SecretSource = referencesOnly()
): Promise<LoadedFleet> {
  const sources = [...texts].map(([file, text]) => new Source(file, file, text))
  return loadSources(sources, { sites: [], wlans: [], secrets }, new Findings())
}

async function loadSources(
  files: Iterable<Source>,
  options: Wanted,
  findings: Findings
): Promise<LoadedFleet> {
  // What changed is known at the end only.
  const foresight = new Foresight(options, findings, options.since ? undefined : options.ahead)
  const { sources, declarations } = await parseAll(files, options, foresight, findings)
  const { policy, rules: demands, waves } = readPolicy(declarations.policy, findings)
  const rules = await rulebook(demands, findings)
  const budget = budgetFor(sources)
  const joined = joinSites(declarations.sites, budget, findings)
  if (declarations.sites.length === 0 && !findings.hasError) {
    findings.push(finding('EMPTY_FLEET', {}))
  }
  const secrets = options.secrets ?? referencesOnly()
  const selection = await narrowed(
    options,
    { sources, sites: joined, profiles: declarations.profiles },
    findings
  )
  const run: Run = {
    policy,
    rules,
    secrets,
    budget,
    findings,
    suggestions: new Suggestions(),
    texts: new Texts()
  }
  const { profiles } = declarations
  const declared = await declareWlans(joined, profiles, selection, run, foresight)
  rules.tell(findings)
  // Of a fleet with errors nobody knows all sites, and a wave may only seem to be empty.
  const rollout = findings.hasError ? undefined : await rolloutOf(waves, joined, findings)
  const sites = select(declared, selection, findings)
  const sorted = findings.inOrder()
  if (findings.hasError) return { findings: sorted, sites: joined.length }
  const desired: Desired = { policy, ...(rollout && { rollout }), sites, findings: sorted }
  return { desired, rules, findings: sorted, sites: joined.length }
}

/** Characters of files whose trees are held; those of a larger fleet are read again when needed. */
const HELD = 2 * 1024 * 1024

/** From so many sites on memory counts for more than time. */
const MANY = 2000

/** Lets the heap grow to little more than what is in it: left alone, V8 takes three times as much. */
function saveMemory(): void {
  setFlagsFromString('--heap-growing-percent=45')
}

/** Parses the files, and collects what they declare. Files that are compared by identity are all held. */
async function parseAll(
  files: Iterable<Source>,
  { since }: Wanted,
  foresight: Foresight,
  findings: Findings
): Promise<{ readonly sources: readonly Source[]; readonly declarations: Declarations }> {
  const sources: Source[] = []
  const collector = new Collector(findings)
  const familiar = new Familiar()
  let held: Source[] = []
  let length = 0
  let declared = 0
  for (const source of files) {
    sources.push(source)
    findings.pushAll(await parse(source, familiar))
    const sites = collector.add(source)
    foresight.see(sites)
    const before = declared
    declared += sites.length
    if (before <= MANY && declared > MANY) saveMemory()
    length += source.text.length
    if (sites.length === 1 && since === undefined) held.push(source)
    if (length > HELD) {
      for (const one of held) one.release()
      held = []
    }
    await foresight.step()
  }
  return { sources, declarations: collector.declarations() }
}

/** The waves of the fleet, undefined where it declares none; only one that does loads what it takes. */
async function rolloutOf(
  declared: readonly DeclaredWave[],
  sites: readonly Site[],
  findings: Findings
): Promise<readonly Wave[] | undefined> {
  if (declared.length === 0) return undefined
  const { assignWaves } = await import('./rollout/assign.ts')
  return assignWaves(declared, sites, findings)
}

/** What the run is about, with the sites that changed; where the files are wrong, nobody compares them. */
async function narrowed(options: Wanted, now: Joined, findings: Findings): Promise<Selection> {
  const { since, secrets = referencesOnly(), ids } = options
  if (since === undefined || findings.hasError) return options
  const { changedSites } = await import('./since/changed.ts')
  const changed = await changedSites(await since(), now, secrets.checking, findings)
  return { ...options, ids: both(ids, changed) }
}

function both(
  ids: ReadonlySet<string> | undefined,
  changed: ReadonlySet<string>
): ReadonlySet<string> {
  return ids === undefined ? changed : new Set([...changed].filter(id => ids.has(id)))
}
