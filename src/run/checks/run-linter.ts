import type { Match } from '../../core/diff/match.ts'
import { lintRules } from '../../core/lint/catalogue.ts'
import { Linter } from '../../core/lint/lint.ts'
import type { LayersOf, LintWlan } from '../../core/lint/view.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  LintPolicy,
  Site,
  SiteSinceBase,
  Waiver
} from '../../core/model/desired.ts'
import { byPlace, type Finding, type FindingLevel } from '../../core/model/finding.ts'
import { isInherited, type LiveSite } from '../../core/model/live.ts'
import type { ChangePlaces } from '../../core/plan/change-places.ts'
import type { PlannedSite } from '../../core/plan/plan.ts'
import { compact, sortBy } from '../../core/values/collections.ts'
import { overlap, type Pointer } from '../../core/values/pointer.ts'
import type { ValueObject } from '../../core/values/value.ts'
import { Waivers, waivesSite } from '../../fleet/policy/waivers.ts'
import { BaseLinter, type IsNew } from './base-problems.ts'
import { type IsTolerated, LintFindings, type SubjectSite } from './lint-findings.ts'
import { relationFindings } from './relation-findings.ts'

/** The findings of the linter in a run. */
export interface LintResult {
  /** Equal findings of several WLANs are one finding. */
  readonly findings: readonly Finding[]
  /** They depend on the value of a secret: for text output only, never for saved plans, records or JSON. */
  readonly secretFindings: readonly Finding[]
  /** The lowest level that text reports list. */
  readonly lintLevel: FindingLevel
}

/**
 * `all`: every site that was read. `changed`: the sites that the plan changes, and relations across all
 * sites; other sites have only existing findings. With a strict policy every site is linted.
 */
export type LintScope = 'all' | 'changed'

const MAX_LAYERED = 1000

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
  readonly #judgesUnmanaged: boolean
  readonly #base: BaseLinter
  readonly #layersOf: Desired['layersOf']
  /**
   * Cache of layers, for which the file of a site is parsed again. Key: the declared fields, which sites share where
   * their files declare the same, and the pointers. Bound: the first `MAX_LAYERED` declarations.
   */
  readonly #layers = new Map<ValueObject, Map<string, ReturnType<LayersOf>>>()

  /** `isTolerated`: default: no error is. `judgesUnmanaged`: existing errors of unmanaged WLANs stay errors. */
  constructor(
    desired: Pick<Desired, 'placesOf' | 'layersOf' | 'part'>,
    policy: LintPolicy,
    scope: LintScope = 'all',
    waivers = new Waivers(),
    isTolerated: IsTolerated = () => false,
    judgesUnmanaged = false
  ) {
    const { part = {} } = desired
    this.#layersOf = desired.layersOf
    this.#scope = policy.strict ? 'all' : scope
    this.#waivers = waivers
    this.#judgesUnmanaged = judgesUnmanaged
    this.#isWhole = part.shard === undefined
    this.#policy = policy
    this.#findings = new LintFindings(desired, policy, waivers, isTolerated)
    // All levels: each report decides which levels it lists, and JSON and HTML list all.
    this.#linter = new Linter({ ...policy, level: 'info' })
    this.#base = new BaseLinter(policy)
  }

  /** True if every site that the waiver covers was linted, so that it is unused if it covered no finding. */
  hasLinted(waiver: Waiver): boolean {
    return !this.#unlinted.some(site => waivesSite(waiver, site))
  }

  /** Without live records: a rule applies only if all of its values are declared. */
  addDeclared(site: DesiredSite): void {
    const managed = site.wlans.filter(wlan => wlan.managed === undefined)
    const wlans = managed.map(wlan => this.#declared(site, wlan))
    this.#add(site, wlans)
  }

  /**
   * Lints a site as its planned changes leave it. WLANs that the plan blocks keep their live state. `matches`: those
   * of `matchSite`. Existing findings that the site `atBase` lacks are new.
   */
  addPlanned(
    site: DesiredSite,
    live: LiveSite,
    { wlanPlans }: Pick<PlannedSite, 'wlanPlans'>,
    matches: ReadonlyMap<DesiredWlan, Match>,
    atBase?: LiveSite
  ): void {
    const isPlanned = new Set(
      wlanPlans.flatMap(({ status, address }) =>
        status === 'changed' || status === 'unchanged' ? address : []
      )
    )
    const declared = new Map(
      [...matches].flatMap(([wlan, match]) =>
        'live' in match ? [[match.live, wlan] as const] : []
      )
    )
    const wlans = live.wlans.map((wlan): LintWlan => {
      const by = declared.get(wlan)
      if (by === undefined) return { name: undeclaredName(wlan.ssid, site), live: wlan.record }
      const isChanged = isPlanned.has(by.address) && !isInherited(wlan.record)
      return isChanged
        ? { ...this.#declared(site, by), live: wlan.record }
        : { name: by.key, live: wlan.record }
    })
    const isChanged = wlanPlans.some(({ status }) => status === 'changed')
    if (this.#scope === 'all' || isChanged || atBase !== undefined) {
      const unmanaged = live.wlans.flatMap((wlan, index) =>
        declared.has(wlan) || isInherited(wlan.record) ? [] : (wlans[index]?.name ?? [])
      )
      const strict = new Set(this.#judgesUnmanaged ? unmanaged : [])
      const isNew = atBase && this.#base.newSince(site, live, wlans, atBase)
      this.#add(site, wlans, { strict, ...compact({ isNew }) })
    } else {
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
   * All findings, with those about relations across the sites unless the run covers a shard of the fleet: other
   * shards would find others. `placeOf`: default: where the files declare a field. Call it once, after the last site.
   */
  result(placeOf: ChangePlaces = this.#declaredPlace): LintResult {
    const related = this.#isWhole ? this.#relationFindings(placeOf) : noRelated
    const { findings, secret } = this.#findings.result()
    return {
      findings: [...findings, ...related.findings].sort(byPlace),
      secretFindings: [...secret, ...related.secret].sort(byPlace),
      lintLevel: this.#policy.level
    }
  }

  #declared(site: Site, { key, fields, isLayered }: DesiredWlan): LintWlan {
    if (!isLayered) return { name: key, declared: fields }
    const layersOf: LayersOf = pointers => {
      const known = this.#layers.get(fields) ?? new Map<string, ReturnType<LayersOf>>()
      if (this.#layers.size < MAX_LAYERED) this.#layers.set(fields, known)
      const about = pointers.join(' ')
      const layers = known.get(about) ?? this.#layersOf?.(site, key, pointers) ?? {}
      known.set(about, layers)
      return layers
    }
    return { name: key, declared: fields, layersOf }
  }

  #relationFindings(placeOf: ChangePlaces): typeof noRelated {
    const found = this.#linter.relations().map(({ group, other: others, found }) => {
      const first = others?.members.filter(({ site }) => site === others.firstSite) ?? []
      const [other] = sortBy(first, ({ wlan }) => wlan)
      return { found, members: group.members, other }
    })
    const of = (isSecret: boolean) =>
      relationFindings(
        found.filter(each => (each.found.fromSecret === true) === isSecret),
        this.#policy,
        { sites: this.#sites, waivers: this.#waivers, placeOf }
      )
    return { findings: of(false), secret: of(true) }
  }

  /** The place of a field that files alone declare. */
  readonly #declaredPlace: ChangePlaces = ({ site: name, wlan: key }, fields) => {
    const site = this.#sites.get(name)
    const wlan = site?.wlans.find(each => each.key === key)
    if (site === undefined || wlan === undefined) return undefined
    return this.#findings.placeOf(fields, wlan, site)
  }

  #add(site: SubjectSite, wlans: readonly LintWlan[], { strict, isNew }: AddOptions = {}): void {
    this.#sites.set(site.name, site)
    const { id, name } = site
    this.#linter.lintSite({ id, name, wlans }, (found, wlan, others) => {
      const isStrict = wlan !== undefined && strict?.has(wlan) === true
      const isCaused = found.existing && isNew?.(found, wlan) === true
      const shown = isCaused ? { ...found, existing: false } : found
      this.#findings.add(shown, { wlan, others }, site, isStrict)
    })
  }
}

interface AddOptions {
  /** The WLANs whose existing errors stay errors. */
  readonly strict?: ReadonlySet<string>
  readonly isNew?: IsNew
}

const noRelated: { readonly findings: readonly Finding[]; readonly secret: readonly Finding[] } = {
  findings: [],
  secret: []
}

/** A live WLAN as an imported file declares it. */
interface ImportedWlan extends Pick<DesiredWlan, 'key' | 'fields'> {
  readonly id: string
}

/** Its SSID, marked as not declared if a declared WLAN has that SSID as its key. */
function undeclaredName(ssid: string, { wlans }: SubjectSite): string {
  return wlans.some(({ key }) => key === ssid) ? `${ssid} (not declared)` : ssid
}

/**
 * Lints the files without reading the service. With a base, an error refuses only if it is new since; without
 * one, only if single values break the rule, because a network may have been live like this for long.
 */
export function lintDeclared(desired: Desired, policy: LintPolicy): LintResult {
  const sinceBase = new Map(desired.sites.map(site => [site.name, site.sinceBase]))
  const isTolerated: IsTolerated = (found, { name }, wlan) => {
    const since = sinceBase.get(name)
    const isNew =
      since === undefined
        ? singleValueRules.has(found.rule)
        : isNewSince(since, found.fields, wlan?.key)
    return !policy.strict && !isNew
  }
  const waivers = new Waivers(desired.waivers, desired.waiversAtBase)
  const linter = new RunLinter(desired, policy, 'all', waivers, isTolerated)
  for (const site of desired.sites) linter.addDeclared(site)
  return linter.result()
}

/** The rules that a single value breaks, whatever the others are. */
const singleValueRules = new Set(lintRules.filter(({ view }) => view === 'D').map(({ id }) => id))

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
