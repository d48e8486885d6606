import type { Period } from '../../core/model/calendar.ts'
import {
  type DesiredSite,
  type DesiredWlan,
  defaultPolicy,
  type Policy
} from '../../core/model/desired.ts'
import { finding } from '../../core/model/finding.ts'
import { Secret } from '../../core/values/secret.ts'
import { sameId } from '../../core/values/uuid.ts'
import { isList, isObject, isSameJson, member, type Value } from '../../core/values/value.ts'
import { Suggestions } from '../expect.ts'
import { Findings } from '../findings.ts'
import { RunBudget } from '../limits.ts'
import { type LoadContext, Pace, type PeriodReader } from '../load-context.ts'
import { noRules } from '../policy/rules/rule-set.ts'
import type { SecretSource } from '../secrets/source.ts'
import type { FleetSite } from '../sites.ts'
import { declareSites } from '../wlans/blocks.ts'
import { extendedNames } from '../wlans/profiles.ts'
import { type Entry, type Node, sameNode, textOf } from '../yaml/tree.ts'
import type { BaseRevision } from './base.ts'

/** The joined declarations of a fleet. */
export interface JoinedFleet {
  readonly sites: readonly FleetSite[]
  readonly profiles: ReadonlyMap<string, Entry>
  readonly periods?: PeriodReader | undefined
}

/** The parts of a run that a comparison with a revision uses. Secrets are not read. */
export type ComparisonRun = Pick<LoadContext, 'secrets' | 'findings' | 'budget' | 'pace'>

/** A permissive policy: declarations that a policy forbids are compared, too. */
const policy: Policy = {
  ...defaultPolicy,
  unknownFields: 'warn',
  unknownValues: 'warn',
  plaintextSecrets: 'allow'
}

/**
 * The sites, by id in lower case, that are declared differently at a revision. It compares the name of the
 * site and, of each WLAN, its live WLAN, whether it is managed and protected, its periods, and its effective
 * fields, with profiles, variables and overrides resolved. It ignores the notation and the file, owners, and
 * the policy. Secrets are compared by reference, and none is read.
 *
 * New sites count as changed. If the files of the revision are invalid, all sites do, with a finding. Only
 * WLANs whose text or profiles differ are resolved.
 */
export async function changedSites(
  base: BaseRevision & JoinedFleet,
  now: JoinedFleet,
  run: ComparisonRun
): Promise<ChangedSites> {
  const { wrong } = base
  const { added, are, were } = await sitesToCompare(now, base, run)
  const before = byId(await declared({ ...base, sites: were }, run, wrong))
  if (wrong.hasError) {
    run.findings.push(finding('REVISION_WRONG', {}, base.name, wrong.first()))
    return { changed: new Set(now.sites.map(siteKey)) }
  }
  const after = await declared({ ...now, sites: are }, run, new Findings())
  const changed = after.filter(site => !sameSite(site, before.get(siteKey(site))))
  return { changed: new Set([...added, ...changed].map(siteKey)), before }
}

/** The result of `changedSites`. */
export interface ChangedSites {
  /** By id in lower case. */
  readonly changed: ReadonlySet<string>
  /** As `declaredBefore`; absent if the files of the revision are invalid. */
  readonly before?: SitesById
}

/** Sites by id in lower case. */
export type SitesById = ReadonlyMap<string, DesiredSite>

/**
 * The WLANs that may have changed since a revision, as that revision declares them, with profiles and
 * variables resolved; no other WLAN is resolved. Undefined, with a finding, if the files of the revision are
 * invalid.
 */
export async function declaredBefore(
  base: BaseRevision & JoinedFleet,
  now: JoinedFleet,
  run: ComparisonRun
): Promise<SitesById | undefined> {
  // Not `base.wrong`, because new sites and waves are checked in any case.
  const wrong = new Findings()
  const { were } = await sitesToCompare(now, base, run)
  const before = byId(await declared({ ...base, sites: were }, run, wrong))
  if (!wrong.hasError) return before
  run.findings.push(finding('BASE_NOT_COMPARED', {}, base.name, wrong.first()))
  return undefined
}

/** The new sites, and the parts of the other sites that must be compared. */
async function sitesToCompare(
  now: JoinedFleet,
  then: JoinedFleet,
  { budget, pace }: ComparisonRun
) {
  const earlier = byId(then.sites)
  const prefilter = new ChangePrefilter(now, then)
  const added: FleetSite[] = []
  const are: FleetSite[] = []
  const were: FleetSite[] = []
  for (const site of now.sites) {
    const before = earlier.get(siteKey(site))
    if (before === undefined) {
      added.push(site)
      continue
    }
    if (!budget.spend(site.wlans().size)) break
    if (pace.isOver) await pace.turn()
    const keys = prefilter.keysIn(site, before)
    if (keys.size === 0 && before.name === site.name) continue
    are.push(withOnly(site, keys))
    were.push(withOnly(before, keys))
  }
  return { added, are, were }
}

function withOnly(site: FleetSite, keys: ReadonlySet<string>): FleetSite {
  return { ...site, wlans: () => new Map([...site.wlans()].filter(([key]) => keys.has(key))) }
}

async function declared(
  { sites, profiles, periods }: JoinedFleet,
  { secrets, pace }: ComparisonRun,
  findings: Findings
): Promise<DesiredSite[]> {
  const runBudget = new RunBudget()
  const context = { ...contextOf(secrets, runBudget, findings, pace), periods }
  const all = await declareSites(sites, profiles, context)
  const { exceeded } = runBudget
  if (exceeded !== undefined) findings.push(finding('FLEET_TOO_LARGE', {}, ...exceeded))
  return all
}

/** The context for resolving the declarations of two revisions. */
export function contextOf(
  secrets: SecretSource,
  { resolving: budget } = new RunBudget(),
  findings = new Findings(),
  pace = new Pace()
): LoadContext {
  const suggestions = new Suggestions()
  return { policy, rules: noRules, secrets, budget, findings, suggestions, pace }
}

function byId<S extends Pick<FleetSite, 'id'>>(sites: readonly S[]): ReadonlyMap<string, S> {
  return new Map(sites.map(site => [siteKey(site), site]))
}

/** The key of a site in maps of sites. */
export function siteKey({ id }: Pick<FleetSite, 'id'>): string {
  return id.toLowerCase()
}

/** True if two declarations of a site are equivalent and have the same name. */
export function sameSite(a: DesiredSite, b: DesiredSite | undefined): boolean {
  if (b === undefined || a.name !== b.name || a.wlans.length !== b.wlans.length) return false
  return a.wlans.every((wlan, place) => sameWlan(wlan, b.wlans[place]))
}

function sameWlan(a: DesiredWlan, b: DesiredWlan | undefined): boolean {
  return (
    b !== undefined &&
    a.key === b.key &&
    sameId(a.id ?? '', b.id ?? '') &&
    a.matchSsid === b.matchSsid &&
    (a.periods ?? []).length === (b.periods ?? []).length &&
    changedPeriods(a, b).length === 0 &&
    a.managed === b.managed &&
    a.protect === b.protect &&
    sameValue(a.fields, b.fields)
  )
}

/**
 * The periods of a WLAN that an earlier declaration lacks: it has none with these times, and with these fields of the
 * WLAN when it begins and when it has ended.
 */
export function changedPeriods(now: DesiredWlan, then: DesiredWlan): readonly Period[] {
  const { periods = [] } = now
  return periods.filter(
    ({ from, until, begins, ends }) =>
      !then.periods?.some(
        was =>
          was.from === from &&
          was.until === until &&
          sameValue(begins, was.begins) &&
          sameValue(ends, was.ends)
      )
  )
}

/**
 * Compares values: members may be in any order, items of lists may not. Plaintext secrets are compared by
 * their text.
 */
export function sameValue(a: Value, b: Value | undefined): boolean {
  if (a instanceof Secret) return b instanceof Secret && isSameJson(a, b) && a.mayEqual(b)
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, place) => sameValue(item, b[place]))
  }
  if (!isObject(a)) return a === b
  if (!isObject(b) || Object.keys(a).length !== Object.keys(b).length) return false
  return Object.entries(a).every(([name, value]) => sameValue(value, member(b, name)))
}

type Profiles = ReadonlyMap<string, Entry>

/**
 * Excludes WLANs of a site that cannot have changed at little cost: their text and variables are equal, and
 * so are all profiles that they extend, directly or indirectly.
 */
export class ChangePrefilter {
  /** The names of the profiles that changed, directly or through one that they extend. */
  readonly #changed: ReadonlySet<string>
  /** True if the time zone of sites that name none changed. */
  readonly #isMoved: boolean

  constructor(now: Omit<JoinedFleet, 'sites'>, then: Omit<JoinedFleet, 'sites'>) {
    this.#isMoved = textOf(now.periods?.timezone) !== textOf(then.periods?.timezone)
    this.#changed = changedProfiles(now.profiles, then.profiles)
  }

  /** The keys of the WLANs that may have changed, or were added or removed. */
  keysIn(now: FleetSite, then: FleetSite): ReadonlySet<string> {
    const [wlans, earlier] = [now.wlans(), then.wlans()]
    const keys = new Set([...wlans.keys(), ...earlier.keys()])
    if (this.#isMoved || !sameVars(now, then)) return keys
    for (const key of keys) {
      const block = wlans.get(key)
      const isUnchanged =
        block !== undefined &&
        sameNode(block.value, earlier.get(key)?.value) &&
        sameNode(now.overrides.get(key), then.overrides.get(key))
      const isAffected = isUnchanged && this.#changed.size > 0 && this.#extendsChanged(block.value)
      if (isUnchanged && !isAffected) keys.delete(key)
    }
    return keys
  }

  #extendsChanged(block: Node): boolean {
    if (block.kind !== 'map') return false
    return extendedNames(block).some(name => this.#changed.has(name))
  }
}

function changedProfiles(now: Profiles, then: Profiles): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  for (const [name, { value }] of now) {
    for (const extended of value.kind === 'map' ? extendedNames(value) : []) {
      const known = users.get(extended) ?? []
      users.set(extended, known)
      known.push(name)
    }
  }
  const isUnchanged = (name: string) => {
    const value = now.get(name)?.value
    return value !== undefined && sameNode(value, then.get(name)?.value)
  }
  const changed = new Set([...now.keys(), ...then.keys()].filter(name => !isUnchanged(name)))
  // A set is iterated with the members that are added meanwhile.
  for (const name of changed) for (const user of users.get(name) ?? []) changed.add(user)
  return changed
}

function sameVars(now: FleetSite, then: FleetSite): boolean {
  if (now.vars.size !== then.vars.size) return false
  return [...now.vars].every(([name, value]) => sameNode(value, then.vars.get(name)))
}
