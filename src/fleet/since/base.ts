import { defaultPolicy } from '../../core/model/defaults.ts'
import type { DesiredSite, Policy } from '../../core/model/desired.ts'
import { finding, isError } from '../../core/model/finding.ts'
import { type DeclaredFleet, declaredFleet, type Parsing } from '../declared.ts'
import { Findings } from '../findings.ts'
import { type DeclaredPolicy, readPolicy } from '../policy/policy.ts'
import type { SecretSource } from '../secrets/source.ts'
import { coversSite, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import { FleetTooLarge } from '../usage.ts'
import { declareSites } from '../wlans/blocks.ts'
import { type Provenance, provenanceOf } from '../wlans/provenance.ts'
import { isNotManaged } from '../wlans/validate.ts'
import { type Entry, sameNode } from '../yaml/tree.ts'
import { type Revision, sourcesAt } from './revision.ts'
import { isSameSite, siteKey } from './same.ts'

/** The fleet of an earlier commit, with what may differ from it. */
export interface Base extends Pick<DeclaredFleet, 'sites'> {
  readonly name: string
  readonly policy: DeclaredPolicy
  /** The sites that may have changed since, as the base declares them, with profiles and variables resolved; by `siteKey`. */
  readonly before: ReadonlyMap<string, DesiredSite>
  /** The sites that have changed, by id in lower case; absent if the run did not ask. */
  readonly changed?: ReadonlySet<string>
  readonly keyPlaceOf: Provenance['keyPlaceOf']
  readonly managed: number
}

export interface ComparingRun extends Parsing {
  /** The sites to compare, unless all of them are searched for changes. */
  readonly selection: Selection
  readonly selectsChanged: boolean
  readonly secrets: SecretSource
}

/**
 * Loads the fleet of a revision as the run loaded its own, with limits of its own, and resolves the sites that may
 * differ. What keeps the base from being read is an error; a revision without a fleet is an empty one.
 */
export async function loadBase(
  revision: Revision,
  now: DeclaredFleet,
  run: ComparingRun
): Promise<Base> {
  const { findings } = run
  const wrong = new Findings()
  const { then, compared } = await comparedFleet(revision, now, run, wrong)
  const ofPolicy = new Findings()
  const policy = readPolicy(then.declarations.policy, ofPolicy)
  const { name } = revision
  const firstOf = (found: Findings) =>
    found.inOrder().find(each => isError(each) && !ignored.test(each.code))
  const [problem, ignoredPart] = [firstOf(wrong), firstOf(ofPolicy)]
  if (problem !== undefined) findings.push(finding('BASE_WRONG', {}, name, problem))
  // Else the commit that corrects it could not be planned.
  if (ignoredPart !== undefined) findings.push(finding('BASE_POLICY_WRONG', {}, name, ignoredPart))
  const { sites } = then
  const { keyPlaceOf } = provenanceOf(then)
  return { name, sites, policy, ...compared, keyPlaceOf, managed: countBlocks(sites) }
}

/** Reads the fleet of a revision, and compares. Throws a `FleetTooLarge` of the base if it exceeds a limit. */
async function comparedFleet(
  revision: Revision,
  now: DeclaredFleet,
  run: ComparingRun,
  wrong: Findings
) {
  const usage = run.usage.again()
  try {
    const sources = await sourcesAt(revision, [...now.files.keys()], usage, wrong)
    const then = await declaredFleet(sources, { findings: wrong, usage }, now.files)
    return { then, compared: await comparedWith(then, now, run, wrong) }
  } catch (thrown) {
    if (!(thrown instanceof FleetTooLarge)) throw thrown
    throw new FleetTooLarge(finding('BASE_WRONG', {}, revision.name, thrown.finding))
  }
}

/** Counts without resolving the WLANs, unlike `resolved`. */
function countBlocks(sites: readonly FleetSite[]): number {
  return sites.reduce((sum, { wlans, overrides }) => {
    const managed = [...wlans].filter(
      ([key, { value }]) => !isNotManaged(value) && !isNotManaged(overrides.get(key))
    )
    return sum + managed.length
  }, 0)
}

/**
 * Keys that this version does not know and values that it refuses do not keep a base from being
 * read: else the commit that corrects one could not be planned.
 */
const ignored = /^(?:FIELD|SECRET|SSID)_|^(?:UNKNOWN|OVERRIDE)_KEY$/

/**
 * Resolves the sites that may differ, and finds those that do: in the name of the site, or, of a WLAN, in its live WLAN,
 * whether it is managed and protected, and its effective fields. The notation, the file and the policy
 * do not matter. Secrets are compared by reference, and none is read. New sites count as changed.
 */
async function comparedWith(
  then: DeclaredFleet,
  now: DeclaredFleet,
  run: ComparingRun,
  wrong: Findings
): Promise<Pick<Base, 'before' | 'changed'>> {
  const { selection, selectsChanged } = run
  const sites = now.sites.filter(site => selectsChanged || coversSite(selection, site))
  const { added, pairs } = await sitesToCompare({ ...now, sites }, then, run)
  const before = new Map<string, DesiredSite>()
  const earlier = pairs.map(({ was }) => was)
  for await (const site of resolved(then, earlier, run, wrong)) before.set(siteKey(site), site)
  if (!selectsChanged) return { before }
  const changed = new Set(added.map(siteKey))
  const later = pairs.map(({ is }) => is)
  for await (const site of resolved(now, later, run, new Findings())) {
    const key = siteKey(site)
    if (isSameSite(site, before.get(key))) before.delete(key)
    else changed.add(key)
  }
  return { before, changed }
}

/** The new sites, and the others unless all that declares them is the same. */
async function sitesToCompare(now: DeclaredFleet, then: DeclaredFleet, run: Parsing) {
  const earlier = new Map(then.sites.map(site => [siteKey(site), site]))
  const [{ profiles }, { profiles: former }] = [now.declarations, then.declarations]
  const areProfilesSame = sameMembers(profiles, former, sameEntry)
  const added: FleetSite[] = []
  const pairs: { readonly is: FleetSite; readonly was: FleetSite }[] = []
  for (const is of now.sites) {
    const was = earlier.get(siteKey(is))
    if (was === undefined) {
      added.push(is)
      continue
    }
    await run.usage.time.pause()
    if (!(areProfilesSame && isSameDeclaration(is, was))) pairs.push({ is, was })
  }
  return { added, pairs }
}

function isSameDeclaration(is: FleetSite, was: FleetSite): boolean {
  return (
    is.name === was.name &&
    sameMembers(is.vars, was.vars, sameNode) &&
    sameMembers(is.overrides, was.overrides, sameNode) &&
    sameMembers(is.wlans, was.wlans, sameEntry)
  )
}

function sameMembers<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  isSame: (a: T, b: T | undefined) => boolean
): boolean {
  return a === b || (a.size === b.size && [...a].every(([name, each]) => isSame(each, b.get(name))))
}

function sameEntry(a: Entry, b: Entry | undefined): boolean {
  return sameNode(a.value, b?.value)
}

/** A policy that forbids nothing, so that all declarations are compared. */
const lenientPolicy: Policy = {
  ...defaultPolicy,
  unknownFields: 'warn',
  unknownValues: 'warn',
  plaintextSecrets: 'allow'
}

async function* resolved(
  { declarations: { profiles } }: DeclaredFleet,
  sites: readonly FleetSite[],
  { secrets, usage }: ComparingRun,
  findings: Findings
): AsyncGenerator<DesiredSite> {
  const run = { policy: lenientPolicy, secrets, usage: usage.again(), findings }
  yield* declareSites(sites, profiles, run)
}
