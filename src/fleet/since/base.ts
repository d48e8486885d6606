import { type DesiredSite, defaultPolicy } from '../../core/model/desired.ts'
import { finding, isError, type Location } from '../../core/model/finding.ts'
import { type Pointer, steps } from '../../core/values/pointer.ts'
import { type DeclaredFleet, declaredFleet, type Parsing } from '../declared.ts'
import { Findings } from '../findings.ts'
import { RunBudget } from '../limits.ts'
import type { LoadContext } from '../load-context.ts'
import { type DeclaredPolicy, readPolicy } from '../policy/policy.ts'
import type { SecretSource } from '../secrets/source.ts'
import { coversSite, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import { declareSites } from '../wlans/blocks.ts'
import { closestNode } from '../wlans/references.ts'
import { isNotManaged } from '../wlans/validate.ts'
import { type FleetParts, fleetParts } from '../wlans/value-places.ts'
import { type Entry, type Node, sameNode } from '../yaml/tree.ts'
import { type Revision, sourcesAt } from './revision.ts'
import { isSameSite, siteKey } from './same.ts'

/** The fleet of this run or of the base, before its WLANs are resolved. */
interface JoinedFleet {
  readonly sites: readonly FleetSite[]
  readonly profiles: ReadonlyMap<string, Entry>
}

/** The declarations of a fleet at an earlier commit. */
export interface BaseRevision extends JoinedFleet {
  /** The revision as the user wrote it. */
  readonly name: string
  readonly policy: DeclaredPolicy
}

/** Sites by id in lower case. */
export type SitesById = ReadonlyMap<string, DesiredSite>

/** The base, with what may differ from it. */
export interface Base extends BaseRevision {
  /** The sites that may have changed since, as the base declares them, with profiles and variables resolved. */
  readonly before: SitesById
  /** The sites that have changed, by id in lower case; absent if the run did not ask. */
  readonly changed?: ReadonlySet<string>
  readonly placesOf: KeyPlaces
  /** The number of WLANs that it declares and manages. */
  readonly managed: number
}

/** The run that compares its fleet with a base. */
export interface ComparingRun extends Parsing {
  /** The sites to compare, unless all of them are searched for changes. */
  readonly selection: Selection
  readonly selectsChanged: boolean
  /** Checks references without reading secrets. */
  readonly secrets: SecretSource
}

/**
 * Loads the fleet of a revision as the run loaded its own, with a budget of its own, and resolves the sites that may
 * differ. What keeps the base from being read is an error; a revision without a fleet is an empty one.
 */
export async function loadBase(
  revision: Revision,
  now: DeclaredFleet,
  run: ComparingRun
): Promise<Base> {
  const { slice, findings } = run
  // The trees of both fleets are in memory.
  const budget = new RunBudget({ nodes: run.budget.nodesLeft })
  const wrong = new Findings()
  const sources = await sourcesAt(revision, [...now.files.keys()], budget, wrong)
  const then = await declaredFleet(sources, { slice, findings: wrong, budget }, now.files)
  const { profiles } = then.declarations
  reportExceeded(budget, wrong)
  const ofPolicy = new Findings()
  const policy = readPolicy(then.declarations.policy, ofPolicy)
  const placesOf = keyPlaces(fleetParts(then))
  const base = { sites: then.sites, profiles, name: revision.name, policy, placesOf }
  const current = { sites: now.sites, profiles: now.declarations.profiles }
  const compared = await comparedWith(base, current, run, wrong)
  const firstOf = (found: Findings) =>
    found.inOrder().find(each => isError(each) && !ignored.test(each.code))
  const [problem, ignoredPart] = [firstOf(wrong), firstOf(ofPolicy)]
  if (problem !== undefined) findings.push(finding('BASE_WRONG', {}, base.name, problem))
  // Else the commit that corrects it could not be planned.
  if (ignoredPart !== undefined) {
    findings.push(finding('BASE_POLICY_WRONG', {}, base.name, ignoredPart))
  }
  return { ...base, ...compared, managed: countBlocks(then.sites) }
}

/** Counts without resolving the WLANs. */
function countBlocks(sites: readonly FleetSite[]): number {
  return sites.reduce((sum, { wlans, overrides }) => {
    const managed = [...wlans].filter(
      ([key, { value }]) => !isNotManaged(value) && !isNotManaged(overrides.get(key))
    )
    return sum + managed.length
  }, 0)
}

/**
 * Errors that keep no base from being read: keys that this version does not know, and values that it refuses. Else the
 * commit that corrects one could not be planned.
 */
const ignored = /^(?:FIELD|SECRET|SSID)_|^(?:UNKNOWN|OVERRIDE)_KEY$/

/**
 * Resolves the sites that may differ, and finds those that do: in the name of the site, or, of a WLAN, in its live WLAN,
 * whether it is managed and protected, and its effective fields. The notation, the file and the policy
 * do not matter. Secrets are compared by reference, and none is read. New sites count as changed.
 */
async function comparedWith(
  base: BaseRevision,
  now: JoinedFleet,
  run: ComparingRun,
  wrong: Findings
): Promise<Pick<Base, 'before' | 'changed'>> {
  const { selection, selectsChanged } = run
  const sites = now.sites.filter(site => selectsChanged || coversSite(selection, site))
  const { added, pairs } = await sitesToCompare({ ...now, sites }, base, run)
  const before = new Map<string, DesiredSite>()
  const earlier = { ...base, sites: pairs.map(({ was }) => was) }
  for await (const site of resolved(earlier, run, wrong)) before.set(siteKey(site), site)
  if (!selectsChanged) return { before }
  const changed = new Set(added.map(siteKey))
  const later = { ...now, sites: pairs.map(({ is }) => is) }
  for await (const site of resolved(later, run, new Findings())) {
    const key = siteKey(site)
    if (isSameSite(site, before.get(key))) before.delete(key)
    else changed.add(key)
  }
  return { before, changed }
}

/** The new sites, and the others unless all that declares them is the same. */
async function sitesToCompare(now: JoinedFleet, then: JoinedFleet, { budget, slice }: Parsing) {
  const earlier = byKey(then.sites)
  const areProfilesSame = sameEntries(now.profiles, then.profiles)
  const added: FleetSite[] = []
  const pairs: { readonly is: FleetSite; readonly was: FleetSite }[] = []
  for (const is of now.sites) {
    const was = earlier.get(siteKey(is))
    if (was === undefined) {
      added.push(is)
      continue
    }
    if (!budget.resolving.spend(is.wlans.size)) break
    await slice.pause()
    if (!(areProfilesSame && isSameDeclaration(is, was))) pairs.push({ is, was })
  }
  return { added, pairs }
}

function isSameDeclaration(is: FleetSite, was: FleetSite): boolean {
  return (
    is.name === was.name &&
    sameNodes(is.vars, was.vars) &&
    sameNodes(is.overrides, was.overrides) &&
    sameEntries(is.wlans, was.wlans)
  )
}

type Entries = ReadonlyMap<string, Entry>

function sameEntries(a: Entries, b: Entries): boolean {
  return a === b || sameNodes(nodesOf(a), nodesOf(b))
}

function nodesOf(entries: Entries): ReadonlyMap<string, Node> {
  return new Map([...entries].map(([name, { value }]) => [name, value]))
}

function sameNodes(a: ReadonlyMap<string, Node>, b: ReadonlyMap<string, Node>): boolean {
  return a.size === b.size && [...a].every(([name, node]) => sameNode(node, b.get(name)))
}

function byKey<S extends Pick<FleetSite, 'id'>>(sites: readonly S[]): ReadonlyMap<string, S> {
  return new Map(sites.map(site => [siteKey(site), site]))
}

/** The sites with their WLANs, one at a time, with a budget of their own. */
async function* resolved(
  { sites, profiles }: JoinedFleet,
  run: ComparingRun,
  findings: Findings
): AsyncGenerator<DesiredSite> {
  const budget = new RunBudget()
  yield* declareSites(sites, profiles, { ...contextOf(run, budget), findings })
  reportExceeded(budget, findings)
}

/** A context in which a policy forbids nothing, so that all declarations are compared. */
function contextOf({ secrets, slice }: ComparingRun, { resolving }: RunBudget): LoadContext {
  return {
    policy: {
      ...defaultPolicy,
      unknownFields: 'warn',
      unknownValues: 'warn',
      plaintextSecrets: 'allow'
    },
    secrets,
    budget: resolving,
    findings: new Findings(),
    slice
  }
}

function reportExceeded({ exceeded }: RunBudget, findings: Findings): void {
  if (exceeded !== undefined) findings.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
}

/** Finds the place of the key that declares a field of a WLAN: in an override, in its block, or in a profile. */
export type KeyPlaces = (
  siteKey: string,
  wlanKey: string
) => (pointer: Pointer) => Location | undefined

function keyPlaces({ siteOf, profiles, declarationOf }: FleetParts): KeyPlaces {
  return (siteKey, wlanKey) => {
    const declaration = declarationOf(siteOf(siteKey), wlanKey)
    if (declaration === undefined) return () => undefined
    const declared = profiles.effective(declaration.block, declaration.override)
    return pointer => {
      const { key } = closestNode(declared, steps(pointer))
      return key?.value.source.place(key.offset)
    }
  }
}
