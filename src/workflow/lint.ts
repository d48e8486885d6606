import { Linter, type LintFinding } from '../lint/lint.ts'
import { isLintRefusal } from '../lint/policy.ts'
import type { LintWlan } from '../lint/site-views.ts'
import { compact } from '../model/collections.ts'
import {
  type Desired,
  type DesiredSite,
  type DesiredWlan,
  defaultPolicy,
  type LintPolicy,
  type Site
} from '../model/desired.ts'
import {
  aboutAddresses,
  byPlace,
  type Finding,
  type FindingLevel,
  finding,
  type Location
} from '../model/finding.ts'
import { isInherited, type LiveSite } from '../model/live.ts'
import { quote } from '../model/text.ts'
import { valueAt } from '../model/value.ts'
import { matchSite } from '../plan/match.ts'
import type { PlannedSite } from '../plan/plan.ts'

/** What the linter found in a run. */
export interface LintResult {
  /** Equal findings of several WLANs as one. */
  readonly findings: readonly Finding[]
  /** Findings that depend on the value of a secret: for text alone, never for a saved plan, a record or JSON. */
  readonly secretFindings: readonly Finding[]
  /** The lowest level that reports for people list. */
  readonly lintLevel: FindingLevel
}

/** Equal findings of the linter. */
interface Group {
  readonly found: LintFinding
  readonly message: string
  readonly place: Location | undefined
  readonly owner: string | undefined
  readonly addresses: string[]
}

/**
 * Lints the sites of a run, one after the other, and gives the findings as those of a plan. An error is an
 * error only where it refuses the run: where a change brings it in, or the policy is strict.
 */
export class RunLinter {
  readonly #policy: LintPolicy
  readonly #placeOf: Desired['placeOf']
  readonly #linter: Linter
  /** By name, for findings about the fleet. */
  readonly #sites = new Map<string, SubjectSite>()
  readonly #groups = new Map<string, Group>()
  readonly #isWhole: boolean

  constructor({ policy, placeOf, part = {} }: Pick<Desired, 'policy' | 'placeOf' | 'part'>) {
    this.#isWhole = part.shard === undefined && part.continues === undefined
    this.#policy = policy.lint
    this.#placeOf = placeOf
    // Reports decide what they list: JSON and HTML show all levels.
    this.#linter = new Linter({ ...policy.lint, level: 'info' })
  }

  /** Lints the declared WLANs of a site alone: a rule holds only where all of its values are declared. */
  addDeclared(site: DesiredSite): void {
    const wlans = site.wlans.map(({ key, fields }) => ({ name: key, declared: fields }))
    this.#add(site, wlans)
  }

  /** Lints a site as it will be after its planned changes. WLANs that the plan blocks stay as they are live. */
  addPlanned(site: DesiredSite, live: LiveSite, planned: PlannedSite): void {
    const isPlanned = new Set(
      planned.wlanPlans.flatMap(({ status, address }) =>
        status === 'changed' || status === 'unchanged' ? address : []
      )
    )
    const declared = new Map(
      [...matchSite(site, live)].flatMap(([wlan, match]) => {
        if (!('live' in match)) return []
        return [[match.live, wlan] as const]
      })
    )
    const wlans = live.wlans.map((wlan): LintWlan => {
      const by = declared.get(wlan)
      if (by === undefined) return { name: undeclaredName(wlan.ssid, site), live: wlan.record }
      const isChanged = isPlanned.has(by.address) && !isInherited(wlan.record)
      return { name: by.key, ...(isChanged && { declared: by.fields }), live: wlan.record }
    })
    this.#add(site, wlans)
  }

  /** Lints the live WLANs of a site that no file declares. */
  addLive({ site, wlans }: LiveSite): void {
    this.#add(
      { ...site, wlans: [] },
      wlans.map(({ ssid, record }) => ({ name: ssid, live: record }))
    )
  }

  /**
   * All findings, with those about relations across the sites unless the run covers a part of the fleet: other
   * parts would find others. Call it once, after the last site.
   */
  result(): LintResult {
    for (const found of this.#isWhole ? this.#linter.lintFleet() : []) {
      const subject = this.#sites.get(found.site)
      if (subject !== undefined) this.#push(found, subject)
    }
    const groups = [...this.#groups.values()]
    const findings = (isSecret: boolean) =>
      groups
        .filter(({ found }) => (found.fromSecret === true) === isSecret)
        .map(group => findingOf(group, this.#policy))
        .sort(byPlace)
    const lintLevel = this.#policy.level
    return { findings: findings(false), secretFindings: findings(true), lintLevel }
  }

  #add(site: SubjectSite, wlans: readonly LintWlan[]): void {
    this.#sites.set(site.name, site)
    const { id, name } = site
    for (const found of this.#linter.lintSite({ id, name, wlans })) this.#push(found, site)
  }

  #push(found: LintFinding, site: SubjectSite): void {
    const wlan = site.wlans.find(({ key }) => key === found.wlan)
    if (wlan?.excluded) return
    const { address, message } = subjectOf(found, site, wlan)
    const place = wlan && this.#placeFor(found, wlan, site)
    const owner = wlan?.owner
    const { rule, level, existing, advice } = found
    const key = JSON.stringify([rule, level, existing, message, advice, place, owner])
    const group = this.#groups.get(key)
    if (group !== undefined) group.addresses.push(address)
    else this.#groups.set(key, { found, message, place, owner, addresses: [address] })
  }

  /** The first declared field of a new finding, else the WLAN. An existing one has no place: no file brings it in. */
  #placeFor(found: LintFinding, wlan: DesiredWlan, site: Site): Location | undefined {
    if (found.existing) return undefined
    const field = found.fields.find(pointer => valueAt(wlan.fields, pointer) !== undefined)
    if (field === undefined || found.level === 'info') return wlan.place
    return this.#placeOf?.(wlan, site, field) ?? wlan.place
  }
}

/** A site with its declared WLANs. */
type SubjectSite = Pick<DesiredSite, 'id' | 'name' | 'wlans'>

/** The SSID of an undeclared WLAN, unless a declared one has it as its key. */
function undeclaredName(ssid: string, { wlans }: SubjectSite): string {
  return wlans.some(({ key }) => key === ssid) ? `${ssid} (not declared)` : ssid
}

/** The address of a finding: the declared WLAN, or the site. */
function subjectOf(
  { wlan: name, message }: LintFinding,
  site: Site,
  wlan: DesiredWlan | undefined
): { readonly address: string; readonly message: string } {
  if (wlan !== undefined) return { address: wlan.address, message }
  if (name === undefined) return { address: site.name, message }
  return { address: site.name, message: `${quote(name)}: ${message}` }
}

function findingOf(
  { found, message, place, owner, addresses }: Group,
  policy: LintPolicy
): Finding {
  const { rule, existing, advice } = found
  const about = aboutAddresses(addresses)
  const level = levelOf(found, policy)
  return finding(
    'LINT',
    { ...compact({ place, owner }), ...about, rule, ...(existing && { existing: true }) },
    { level, message, advice, existing }
  )
}

/** An error that the live state has already does not fail the run, unless the policy is strict. */
function levelOf(found: LintFinding, policy: LintPolicy): FindingLevel {
  return found.level === 'error' && !isLintRefusal(policy, found) ? 'warning' : found.level
}

/** Lints the files alone; nothing where they are wrong. */
export function lintDeclared(desired: Desired | undefined): LintResult {
  if (desired === undefined) return { findings: [], secretFindings: [], lintLevel: 'warning' }
  const linter = new RunLinter(desired)
  for (const site of desired.sites) linter.addDeclared(site)
  return linter.result()
}

/** A linter of live WLANs that no file declares yet, by the default policy. */
export function liveLinter(): RunLinter {
  return new RunLinter({ policy: defaultPolicy })
}
