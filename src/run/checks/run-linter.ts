import type { Match } from '../../core/diff/match.ts'
import type { FleetMember } from '../../core/lint/fleet.ts'
import { Linter } from '../../core/lint/lint.ts'
import type { RuleFinding } from '../../core/lint/rule-finding.ts'
import type { LayersOf, LintWlan } from '../../core/lint/view.ts'
import { ruleDangers } from '../../core/model/danger.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  LintPolicy,
  Site,
  SiteSinceBase,
  Waiver
} from '../../core/model/desired.ts'
import type { Finding, FindingLevel } from '../../core/model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import { Pairs } from '../../core/model/pairs.ts'
import type { PlannedSite } from '../../core/model/plan.ts'
import type { ChangePlaces } from '../../core/plan/change-places.ts'
import { secretsShownAt } from '../../core/schema/shown-secrets.ts'
import { compact, sortBy } from '../../core/values/collections.ts'
import { overlap, type Pointer } from '../../core/values/pointer.ts'
import { type ValueObject, valueAt } from '../../core/values/value.ts'
import { Waivers, waivesSite } from '../../fleet/policy/waivers.ts'
import { type DeclaredWlan, type PlaceOf, RuleFindings, type SubjectSite } from './rule-findings.ts'

export interface LintResult {
  /** Equal findings of several WLANs are one finding. */
  readonly findings: readonly Finding[]
  /** They depend on the value of a secret: for text output only, never for saved plans, records or JSON. */
  readonly secretFindings: readonly Finding[]
  /** The lowest level that text reports list. */
  readonly lintLevel: FindingLevel
}

/**
 * `all`: every site that was read. `changed`: the sites that the plan changes, and relations across
 * all sites. With a strict policy every site is linted.
 */
export type LintScope = 'all' | 'changed'

/** True for an error about a WLAN, or about the site, that does not refuse the run. */
export type IsTolerated = (
  found: RuleFinding,
  site: SubjectSite,
  wlan: DeclaredWlan['wlan'] | undefined
) => boolean

interface Judging {
  readonly scope?: LintScope
  readonly findings?: RuleFindings
  readonly isTolerated?: IsTolerated
  /** Existing errors of unmanaged WLANs stay errors. Default: false. */
  readonly judgesUnmanaged?: boolean
  /** Networks that anybody can join are errors, whenever they were made. Default: false. */
  readonly isDrift?: boolean
}

/**
 * Lints the sites of a run, one after the other, and converts the results to findings of a plan. An error
 * refuses the run only if a change causes it or the policy is strict; otherwise it becomes a warning.
 */
export class RunLinter {
  readonly #policy: LintPolicy
  readonly #linter: Linter
  readonly #findings: RuleFindings
  readonly #sites = new Map<string, SubjectSite>()
  readonly #unlinted: Site[] = []
  readonly #isWhole: boolean
  readonly #judging: Judging
  readonly #layersOf: Desired['layersOf']
  readonly #pairs = new Pairs()

  constructor(
    desired: Pick<Desired, 'placesOf' | 'layersOf' | 'part'>,
    policy: LintPolicy,
    judging: Judging = {}
  ) {
    const { part = {} } = desired
    this.#layersOf = desired.layersOf
    this.#judging = judging
    this.#isWhole = part.shard === undefined
    this.#policy = policy
    this.#findings = judging.findings ?? new RuleFindings(desired, policy, new Waivers())
    // All levels: each report decides which levels it lists, and JSON and HTML list all.
    this.#linter = new Linter({ ...policy, level: 'info' })
  }

  /** True if every site that the waiver covers was linted, so that it is unused if it covered no finding. */
  hasLinted(waiver: Waiver): boolean {
    return !this.#unlinted.some(site => waivesSite(waiver, site))
  }

  /** Without live records: a rule applies only if all of its values are declared. */
  addDeclared(site: DesiredSite): void {
    const managed = site.wlans.filter(wlan => wlan.managed === undefined)
    const wlans = managed.map(wlan => ({
      ...this.#declared(site, wlan),
      pair: this.#pairs.pairOf(wlan, undefined, false)
    }))
    this.#add(site, wlans)
  }

  /**
   * Lints a site as its planned changes leave it; WLANs that the plan blocks keep their live state.
   * Existing findings that the records `atBase` lack are new.
   */
  addPlanned(
    site: DesiredSite,
    live: LiveSite,
    { wlanPlans }: Pick<PlannedSite, 'wlanPlans'>,
    matches: ReadonlyMap<DesiredWlan, Match>,
    atBase: ReadonlyMap<LiveWlan, ValueObject> = new Map()
  ): void {
    const blocked = new Set(
      wlanPlans.flatMap(({ status, address }) => (status === 'blocked' ? address : []))
    )
    const declared = new Map(
      [...matches].flatMap(([wlan, match]) =>
        'live' in match ? [[match.live, { ...match, wlan }] as const] : []
      )
    )
    const wlans = live.wlans.map((wlan): LintWlan => {
      const { wlan: by, pair } = declared.get(wlan) ?? {}
      const before = atBase.get(wlan)
      const state = { live: wlan.record, atBase: before, pair }
      if (by === undefined) return { name: undeclaredName(wlan.ssid, site), ...state }
      const isPlanned = !by.excluded && !blocked.has(by.address)
      if (isPlanned && !isInherited(wlan.record)) return { ...this.#declared(site, by), ...state }
      return { name: by.key, ...state, pair: undefined }
    })
    const { scope = 'all', judgesUnmanaged } = this.#judging
    const showsSecrets = secretsShownAt(live)
    const isChanged = wlanPlans.some(({ status }) => status === 'changed')
    if (scope === 'all' || this.#policy.strict || isChanged || atBase.size > 0) {
      const unmanaged = live.wlans.flatMap((wlan, index) =>
        declared.has(wlan) || isInherited(wlan.record) ? [] : (wlans[index]?.name ?? [])
      )
      this.#add(site, wlans, new Set(judgesUnmanaged ? unmanaged : []), showsSecrets)
    } else {
      this.#sites.set(site.name, site)
      this.#unlinted.push(site)
      this.#linter.addSite({ id: site.id, name: site.name, wlans, showsSecrets })
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

  /** The findings of files or of a service alone, with those about relations. Call it once, after the last site. */
  result(): LintResult {
    this.addRelations()
    return this.resultOf(this.#findings.result())
  }

  resultOf({ ofLinter, secret }: ReturnType<RuleFindings['result']>): LintResult {
    return { findings: ofLinter, secretFindings: secret, lintLevel: this.#policy.level }
  }

  #declared(site: Site, { key, fields, isLayered }: DesiredWlan): LintWlan {
    if (!isLayered) return { name: key, declared: fields }
    const layersOf: LayersOf = pointers => this.#layersOf?.(site, key, pointers) ?? {}
    return { name: key, declared: fields, layersOf }
  }

  /**
   * Adds the findings about relations across the sites, unless the run covers a shard of the fleet: other shards would
   * find others. `placeOf`: default: where the files declare a field. Call it once, after the last site.
   */
  addRelations(placeOf?: ChangePlaces): void {
    if (!this.#isWhole) return
    const place: PlaceOf =
      placeOf === undefined
        ? this.#placeOf
        : (fields, { site, wlan }) => placeOf({ site: site.name, wlan: wlan.key }, fields)
    for (const { group, other: others, found } of this.#linter.relations()) {
      const first = others?.members.filter(({ site }) => site === others.firstSite) ?? []
      const [other] = sortBy(first, ({ wlan }) => wlan)
      const ofOther = other && this.#declaredAs(other)
      for (const member of group.members) {
        const site = this.#sites.get(member.site)
        const own = this.#declaredAs(member)
        if (site === undefined) continue
        this.#findings.add({
          ...{ found, site, name: member.wlan, wlan: own?.wlan },
          declared: own === undefined || found.existing ? [] : [own, ofOther ?? []].flat(),
          placeOf: place
        })
      }
    }
  }

  #declaredAs({ site: name, wlan: key }: FleetMember): DeclaredWlan | undefined {
    const site = this.#sites.get(name)
    return site && declaredIn(site, key)
  }

  readonly #placeOf: PlaceOf = (fields, declared) => {
    const own = fields.filter(pointer => valueAt(declared.wlan.fields, pointer) !== undefined)
    return this.#findings.placeOf(own, declared)
  }

  /** `strict`: the WLANs whose existing errors stay errors. */
  #add(
    site: SubjectSite,
    wlans: readonly LintWlan[],
    strict?: ReadonlySet<string>,
    showsSecrets?: () => boolean
  ): void {
    this.#sites.set(site.name, site)
    const { id, name } = site
    const { isTolerated, isDrift } = this.#judging
    const linted = { id, name, wlans, ...compact({ showsSecrets }) }
    this.#linter.lintSite(linted, (found, wlan, others = []) => {
      const own = wlan === undefined ? undefined : declaredIn(site, wlan)
      const isUnmanaged = wlan !== undefined && strict?.has(wlan) === true
      const isOpen = ruleDangers[found.rule] === 'open'
      // `UNMANAGED_OPEN` says it.
      if (isOpen && isUnmanaged) return
      const isDeclaredOpen = isOpen && isDrift === true && own !== undefined
      this.#findings.add({
        ...{ found, site, name: wlan, wlan: own?.wlan },
        declared: [own ?? [], others.flatMap(other => declaredIn(site, other) ?? [])].flat(),
        placeOf: this.#placeOf,
        isTolerated: isTolerated?.(found, site, own?.wlan) === true,
        isStrict: isUnmanaged || isDeclaredOpen,
        ...(isDeclaredOpen && { danger: 'open' })
      })
    })
  }
}

function declaredIn(site: SubjectSite, key: string): DeclaredWlan | undefined {
  const wlan = site.wlans.find(each => each.key === key)
  return wlan && { site, wlan }
}

interface ImportedWlan extends Pick<DesiredWlan, 'key' | 'fields'> {
  readonly id: string
}

/** Its SSID, marked as not declared if a declared WLAN has that SSID as its key. */
function undeclaredName(ssid: string, { wlans }: SubjectSite): string {
  return wlans.some(({ key }) => key === ssid) ? `${ssid} (not declared)` : ssid
}

/**
 * Lints the files without reading the service. With a base, an error refuses only if it is new since; without
 * one, none does, because a network may have been live like this for long.
 */
export function lintDeclared(desired: Desired, policy: LintPolicy): LintResult {
  const sinceBase = new Map(desired.sites.map(site => [site.name, site.sinceBase]))
  const isTolerated: IsTolerated = (found, { name }, wlan) => {
    const since = sinceBase.get(name)
    const isNew = since !== undefined && isNewSince(since, found.fields, wlan?.key)
    return !policy.strict && !isNew
  }
  const waivers = new Waivers(desired.waivers, desired.waiversAtBase)
  const findings = new RuleFindings(desired, policy, waivers)
  const linter = new RunLinter(desired, policy, { findings, isTolerated })
  for (const site of desired.sites) linter.addDeclared(site)
  return linter.result()
}

/** True if one of these fields was changed since the base: of the WLAN, or of any WLAN of the site. */
function isNewSince(
  { wlans }: SiteSinceBase,
  fields: readonly Pointer[],
  key: string | undefined
): boolean {
  const compared = key === undefined ? [...wlans.values()] : [wlans.get(key)]
  const changed = compared.flatMap(wlan => wlan?.changed ?? [])
  return fields.some(field => changed.some(at => overlap(at, field)))
}
