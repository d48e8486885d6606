import { Waivers, waivesSite } from '../config/waivers.ts'
import { Linter } from '../lint/lint.ts'
import { lintRelations, type MemberGroup, relationLevels } from '../lint/relations.ts'
import type { LintWlan } from '../lint/view.ts'
import { compact } from '../model/collections.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  LintPolicy,
  Site,
  Waiver
} from '../model/desired.ts'
import { byPlace, type Finding, type FindingLevel } from '../model/finding.ts'
import { isInherited, type LiveSite } from '../model/live.ts'
import type { Relations } from '../model/relations.ts'
import type { Match } from '../plan/match.ts'
import type { PlannedSite } from '../plan/plan.ts'
import type { RelatedKind, RelationPlaces } from '../plan/relations.ts'
import { LintFindings, type SubjectSite } from './lint-findings.ts'
import { kindsOf, relationFindings, relationsByPolicy } from './relations.ts'

/** The findings of the linter in a run. */
export interface LintResult {
  /** Equal findings of several WLANs are one finding. */
  readonly findings: readonly Finding[]
  /**
   * Findings that depend on the value of a secret: for text output only, never for saved plans, records or
   * JSON.
   */
  readonly secretFindings: readonly Finding[]
  /** The lowest level that text reports list. */
  readonly lintLevel: FindingLevel
  /** For `merge`; absent unless asked for. */
  readonly relations?: Relations
}

/** What the findings about relations across sites need of a plan. */
export interface RelationContext {
  readonly placeOf: RelationPlaces
  /** Sites could not be read: a later run may read them, and both are merged. */
  readonly isIncomplete: boolean
}

/**
 * `all`: every site that was read. `changed`: the sites that the plan changes, and relations across all
 * sites; other sites have only existing findings. With a strict policy every site is linted.
 */
export type LintScope = 'all' | 'changed'

/**
 * Lints the sites of a run, one after the other, and converts the results to findings of a plan. An error
 * refuses the run only if a change causes it or the policy is strict; otherwise it becomes a warning.
 */
export class RunLinter {
  readonly #policy: LintPolicy
  readonly #linter: Linter
  readonly #findings: LintFindings
  /** The sites by name, for findings about the fleet. */
  readonly #sites = new Map<string, SubjectSite>()
  /** The sites that only count for relations across sites. */
  readonly #unlinted: Site[] = []
  readonly #isWhole: boolean
  readonly #scope: LintScope
  readonly #waivers: Waivers

  /** `mayWeaken`: true for the address of a WLAN that is allowed to become less secure; default: none is. */
  constructor(
    desired: Pick<Desired, 'placesOf' | 'part'>,
    policy: LintPolicy,
    scope: LintScope = 'all',
    waivers = new Waivers(),
    mayWeaken: (address: string) => boolean = () => false
  ) {
    const { part = {} } = desired
    this.#scope = policy.strict ? 'all' : scope
    this.#waivers = waivers
    this.#isWhole = part.shard === undefined && part.continues === undefined
    this.#policy = policy
    this.#findings = new LintFindings(desired, policy, waivers, mayWeaken)
    // All levels: each report decides which levels it lists, and JSON and HTML list all.
    this.#linter = new Linter({ ...policy, level: 'info' })
  }

  /** True if every site that the waiver covers was linted, so that it is unused if it covered no finding. */
  hasLinted(waiver: Waiver): boolean {
    return !this.#unlinted.some(site => waivesSite(waiver, site))
  }

  /**
   * Lints the declared WLANs of a site without live records: a rule applies only if all of its values are
   * declared.
   */
  addDeclared(site: DesiredSite): void {
    const managed = site.wlans.filter(wlan => wlan.managed === undefined)
    const wlans = managed.map(({ key, fields }) => ({ name: key, declared: fields }))
    this.#add(site, wlans)
  }

  /**
   * Lints a site as its planned changes leave it. WLANs that the plan blocks keep their live state. `matches`: those
   * of `matchSite`.
   */
  addPlanned(
    site: DesiredSite,
    live: LiveSite,
    { wlanPlans }: Pick<PlannedSite, 'wlanPlans'>,
    matches: ReadonlyMap<DesiredWlan, Match>
  ): void {
    const isPlanned = new Set(
      wlanPlans.flatMap(({ status, address }) =>
        status === 'changed' || status === 'unchanged' ? address : []
      )
    )
    const declared = new Map(
      [...matches].flatMap(([wlan, match]) => {
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
    const isChanged = wlanPlans.some(({ status }) => status === 'changed')
    if (this.#scope === 'all' || isChanged) this.#add(site, wlans)
    else {
      this.#sites.set(site.name, site)
      this.#unlinted.push(site)
      this.#linter.addSite({ id: site.id, name: site.name, wlans })
    }
  }

  /** Lints a site as it was read, with the WLANs that its files declare. All findings are existing ones. */
  addImported({ site, wlans }: LiveSite, declared: readonly ImportedWlan[]): void {
    const byId = new Map(declared.map(wlan => [wlan.id, wlan]))
    const addressed = declared.map(wlan => ({ ...wlan, address: `${site.name}/${wlan.key}` }))
    const subject = { ...site, wlans: addressed }
    const linted = wlans.map(({ id, ssid, record }) => {
      const by = byId.get(id)
      if (by === undefined) return { name: undeclaredName(ssid, subject), live: record }
      return { name: by.key, declared: by.fields, live: record }
    })
    this.#add(subject, linted)
  }

  /**
   * All findings, with those about relations across the sites unless the run covers a part of the fleet: other
   * parts would find others. For a plan, the facts about relations of such a part. Call it once, after the last site.
   */
  result(plan?: RelationContext): LintResult {
    const related = this.#isWhole ? this.#relationFindings(plan?.placeOf) : []
    const isPart = !this.#isWhole || plan?.isIncomplete === true
    const relations = plan && isPart && this.#sites.size > 0 ? this.#relations() : undefined
    const { findings, secret } = this.#findings.result()
    return {
      findings: [...findings, ...related].sort(byPlace),
      secretFindings: secret,
      lintLevel: this.#policy.level,
      ...compact({ relations })
    }
  }

  #relationFindings(placeOf: RelationPlaces = this.#declaredPlace): Finding[] {
    const groups = this.#linter.fleetGroups()
    const found = lintRelations(groups, { ...this.#policy, level: 'info' }).flatMap(
      ({ group, found }) => this.#kindsOf(group, [found.rule]).map(kind => ({ ...kind, found }))
    )
    return relationFindings(found, this.#policy, placeOf)
  }

  #relations(): Relations {
    const rules = Object.keys(relationLevels(this.#policy))
    const kinds = this.#linter.fleetGroups().flatMap(group => this.#kindsOf(group, rules))
    return relationsByPolicy(this.#policy, kinds)
  }

  #kindsOf(group: MemberGroup, rules: readonly string[]): RelatedKind[] {
    return kindsOf(group, rules, { sites: this.#sites, waivers: this.#waivers })
  }

  /** The place of a field that files alone declare. */
  readonly #declaredPlace: RelationPlaces = ({ site: name, wlan: key }, fields) => {
    const site = this.#sites.get(name)
    const wlan = site?.wlans.find(each => each.key === key)
    if (site === undefined || wlan === undefined) return undefined
    return this.#findings.placeOf(fields, wlan, site)
  }

  #add(site: SubjectSite, wlans: readonly LintWlan[]): void {
    this.#sites.set(site.name, site)
    const { id, name } = site
    this.#linter.lintSite({ id, name, wlans }, (found, wlan) =>
      this.#findings.add(found, wlan, site)
    )
  }
}

/** A live WLAN as an imported file declares it. */
interface ImportedWlan extends Pick<DesiredWlan, 'key' | 'fields'> {
  readonly id: string
}

/**
 * The name of an undeclared WLAN: its SSID, marked as not declared if a declared WLAN has that SSID as its
 * key.
 */
function undeclaredName(ssid: string, { wlans }: SubjectSite): string {
  return wlans.some(({ key }) => key === ssid) ? `${ssid} (not declared)` : ssid
}

/** Lints the files without reading the service. */
export function lintDeclared(desired: Desired, policy: LintPolicy): LintResult {
  const linter = new RunLinter(desired, policy, 'all', new Waivers(desired.waivers))
  for (const site of desired.sites) linter.addDeclared(site)
  return linter.result()
}
