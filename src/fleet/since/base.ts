import { createHash } from 'node:crypto'
import type { DesiredSite, Wave } from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { collect } from '../documents.ts'
import { isOfFleet } from '../files/find.ts'
import {
  IGNORE_FILE,
  type IgnoreRules,
  isIgnored,
  MAX_IGNORE_BYTES,
  parseIgnoreFile
} from '../files/ignore.ts'
import { declaresOneSite, nodesKept, parseSource, sourceFrom, TreeCache } from '../files/read.ts'
import type { Source } from '../files/source.ts'
import { Findings } from '../findings.ts'
import { Groups } from '../groups.ts'
import { RunBudget } from '../limits.ts'
import type { Pace } from '../load-context.ts'
import { type DeclaredPolicy, readPolicy } from '../policy/policy.ts'
import { assignWaves } from '../policy/waves.ts'
import { type FleetSite, joinSites } from '../sites.ts'
import type { Entry } from '../yaml/tree.ts'

/** The declarations of a fleet at an earlier commit. */
export interface BaseRevision {
  /** The revision as the user wrote it. */
  readonly name: string
  readonly sites: readonly FleetSite[]
  readonly profiles: ReadonlyMap<string, Entry>
  readonly policy: DeclaredPolicy
  /** The problems of its files, apart from its policy, which does not apply to the comparison. */
  readonly wrong: Findings
}

/**
 * Loads the fleet of a revision; files with the same content as in `now` are not read again. Its trees and
 * those of `now` share the nodes of the run's `budget`.
 */
export async function baseAt(
  revision: Revision,
  now: readonly Source[],
  budget: RunBudget,
  pace: Pace
): Promise<BaseRevision> {
  const wrong = new Findings()
  const sources = await sourcesThen(
    revision,
    now,
    new RunBudget({ nodes: budget.nodesLeft }),
    wrong,
    pace
  )
  const declared = collect(sources, wrong)
  const ofSites = new RunBudget()
  const groups = new Groups(declared.groups, ofSites.resolving, wrong)
  const sites = joinSites(declared.sites, groups, ofSites.resolving, wrong)
  const { exceeded } = ofSites
  if (exceeded !== undefined) wrong.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
  return {
    name: revision.name,
    sites,
    profiles: declared.profiles,
    policy: readPolicy(declared.policy, new Findings()),
    wrong
  }
}

/**
 * Limits the number of new sites, so that they cannot exhaust the run at the expense of known ones. The
 * policy of the base sets the limit, or the command line; the first sites by name are kept.
 */
export function capNewSites(
  sites: readonly DesiredSite[],
  base: BaseRevision,
  override: number | 'policy' | 'all',
  findings: Findings
): DesiredSite[] {
  const known = new Set(base.sites.map(({ id }) => id.toLowerCase()))
  const marked = sites.map(
    (site): DesiredSite => (known.has(site.id.toLowerCase()) ? site : { ...site, isNew: true })
  )
  const fresh = marked.filter(({ isNew }) => isNew)
  const { maxNewSites } = base.policy.policy
  const most = override === 'policy' ? maxNewSites : override
  if (most === 'all' || fresh.length <= most) return marked
  const source = override === 'policy' ? 'policy.max_new_sites' : '--max-new-sites'
  findings.push(finding('OVER_MAX_NEW_SITES', {}, fresh.length, base.name, most, source))
  const left = new Set(fresh.slice(most))
  return marked.filter(site => !left.has(site))
}

/**
 * Moves each site whose wave differs from the base to the last wave, so that a pull request which renames a
 * site or edits the waves cannot choose the sites that change first. Sites are compared by id.
 */
export function settleWaves(
  waves: readonly Wave[],
  sites: readonly FleetSite[],
  base: BaseRevision,
  findings: Findings
): readonly Wave[] {
  if (base.wrong.hasError || base.policy.waves.length === 0) return waves
  const then = placesIn(assignWaves(base.policy.waves, base.sites, new Findings()), base.sites)
  const now = placesIn(waves, sites)
  const isReordered = orderOf(waves, base) !== orderThen(waves, base)
  const moved = sites.filter(({ id }) => {
    const [is, was] = [now.get(id.toLowerCase()), then.get(id.toLowerCase())]
    if (is === undefined || was === undefined || is.index === was.index) return false
    return isReordered || is.name !== was.name
  })
  if (moved.length === 0) return waves
  const names = moved.map(({ name }) => name)
  findings.push(finding('WAVE_CHANGED', {}, names, base.name))
  return moveLast(waves, new Set(names))
}

/** The names of waves that both revisions have, in the order of these waves. */
function orderOf(waves: readonly Wave[], { policy }: BaseRevision): string {
  const common = new Set(policy.waves.map(({ name }) => name))
  return JSON.stringify(waves.flatMap(({ name }) => (name && common.has(name) ? name : [])))
}

/** The names of waves that both revisions have, in the order of the base. */
function orderThen(waves: readonly Wave[], { policy }: BaseRevision): string {
  const common = new Set(waves.map(({ name }) => name))
  return JSON.stringify(policy.waves.flatMap(({ name }) => (common.has(name) ? name : [])))
}

interface WavePlace {
  readonly index: number
  readonly name: string | undefined
}

/** The wave of each site, by the site's id in lower case. */
function placesIn(
  waves: readonly Wave[],
  sites: readonly FleetSite[]
): ReadonlyMap<string, WavePlace> {
  const ids = new Map(sites.map(({ id, name }) => [name, id.toLowerCase()]))
  return new Map(
    waves.flatMap(({ name, sites: names }, index) =>
      names.map(site => [ids.get(site) ?? '', { index, name }] as const)
    )
  )
}

/** Moves these sites to a last wave without a name. */
function moveLast(waves: readonly Wave[], moved: ReadonlySet<string>): Wave[] {
  const named = waves.filter(({ name }) => name !== undefined)
  const others = waves.flatMap(({ name, sites }) => (name === undefined ? sites : []))
  const last = [...new Set([...others, ...moved])].sort(byCodeUnit)
  return [
    ...named.map(wave => ({ ...wave, sites: wave.sites.filter(site => !moved.has(site)) })),
    { sites: last }
  ]
}

/**
 * The parsed files of a fleet at a revision. A file that is unchanged in `now` is not read and parsed again:
 * it is the same source, so that its declarations are identical objects.
 */
async function sourcesThen(
  revision: Revision,
  now: readonly Source[],
  budget: RunBudget,
  findings: Findings,
  pace: Pace
): Promise<Source[]> {
  const folder = folderOf(now)
  const present = new Map(now.map(source => [source.inFleet, source]))
  const ignores = await ignoreRulesThen(revision)
  const files = [...revision.files].filter(
    ([path]) => isOfFleet(path) && !(ignores && isIgnored(path, ignores))
  )
  files.sort(([a], [b]) => byCodeUnit(a, b))
  const kept = new Map<string, Source>()
  for (const [path, id] of files) {
    const source = present.get(path)
    if (source !== undefined && idOf(source.text, id.length) === id) kept.set(path, source)
  }
  const others = files.filter(([path]) => !kept.has(path))
  const contents = await revision.read([...new Set(others.map(([, id]) => id))])
  const trees = new TreeCache()
  const sources: Source[] = []
  for (const [path, id] of files) {
    const source =
      kept.get(path) ??
      (await parsed({ file: folder + path, inFleet: path }, contents.get(id), findings, {
        budget,
        trees
      }))
    if (source !== undefined) sources.push(source)
    if (pace.isOver) await pace.turn()
    if (budget.exceeded !== undefined) break
  }
  const { exceeded } = budget
  if (exceeded !== undefined) findings.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
  return sources
}

/** The rules of the ignore file at the revision; undefined without one. */
async function ignoreRulesThen({ files, read }: Revision): Promise<IgnoreRules | undefined> {
  const id = files.get(IGNORE_FILE)
  const content = id === undefined ? undefined : (await read([id])).get(id)
  if (content === undefined || content.length > MAX_IGNORE_BYTES) return undefined
  return parseIgnoreFile(content.toString('utf8'))
}

/** The prefix that makes paths of the fleet relative to the working directory, as for the files of today. */
function folderOf([source]: readonly Source[]): string {
  if (source === undefined || !source.file.endsWith(source.inFleet)) return ''
  return source.file.slice(0, source.file.length - source.inFleet.length)
}

/** The parsed file with this content; undefined if it does not exist or is not text. */
async function parsed(
  name: Pick<Source, 'file' | 'inFleet'>,
  content: Buffer | undefined,
  findings: Findings,
  { budget, trees }: { readonly budget: RunBudget; readonly trees: TreeCache }
): Promise<Source | undefined> {
  const source = content && sourceFrom(content, name, findings)
  if (source === undefined || !budget.take('bytes', source.text.length)) return source
  findings.pushAll(await parseSource(source, budget))
  const isReadAgain = source.isPlain && declaresOneSite(source)
  budget.take('nodes', nodesKept(source, isReadAgain))
  if (isReadAgain) trees.add(source)
  return source
}

/**
 * The object id of a file with this text in Git: a digest of its length and bytes. The length of the id
 * determines the hash. The text has no byte order mark, so a file with one does not match.
 */
function idOf(text: string, length: number): string {
  const bytes = Buffer.from(text)
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
}

/** The files of a fleet at an earlier commit. */
export interface Revision {
  /** As the user wrote it, e.g. `origin/main`. */
  readonly name: string
  /** The object ids of regular files in hexadecimal, by their path in the fleet with `/`. */
  readonly files: ReadonlyMap<string, string>
  /** Reads the contents with these ids. Rejects with a `Failure` if one cannot be read. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
}
