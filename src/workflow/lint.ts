import { Waivers, waivesSite } from '../config/waivers.ts'
import { Linter } from '../lint/lint.ts'
import { lintRelations, type MemberGroup, relationLevels } from '../lint/relations.ts'
import type { RuleFinding } from '../lint/rule-finding.ts'
import type { LintWlan } from '../lint/view.ts'
import { compact, groupBy, sortBy } from '../model/collections.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  LintPolicy,
  Site,
  Waiver
} from '../model/desired.ts'
import {
  byPlace,
  type Finding,
  type FindingLevel,
  type FindingWaiver,
  findingLevels,
  type Location
} from '../model/finding.ts'
import { isInherited, type LiveSite } from '../model/live.ts'
import type { Pointer } from '../model/pointer.ts'
import type { Relations } from '../model/relations.ts'
import { valueAt } from '../model/value.ts'
import { matchSite } from '../plan/match.ts'
import type { PlannedSite } from '../plan/plan.ts'
import type { RelatedKind } from '../plan/relations.ts'
import { FieldPlaces } from './field-places.ts'
import { type FoundByRule, lintFinding, undeclaredMessage } from './lint-finding.ts'
import { kindsOf, type RelationPlaces, relationFindings, relationsByPolicy } from './relations.ts'

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

/** Findings of the linter that are equal except for the WLAN and the place. */
interface Group extends FoundByRule {
  readonly subjects: Subject[]
}

/**
 * The subject of a finding. It refers to a WLAN only if it needs the place of a field, because WLANs are
 * large.
 */
interface Subject {
  readonly address: string
  readonly place?: Location | undefined
  readonly declared?: { readonly site: Site; readonly wlan: SubjectWlan }
}

/**
 * Lints the sites of a run, one after the other, and converts the results to findings of a plan. An error
 * refuses the run only if a change causes it or the policy is strict; otherwise it becomes a warning.
 */
export class RunLinter {
  readonly #policy: LintPolicy
  readonly #places: FieldPlaces
  readonly #linter: Linter
  /** The sites by name, for findings about the fleet. */
  readonly #sites = new Map<string, SubjectSite>()
  readonly #groups = new Map<string, Group>()
  /**
   * The group of each finding about declared WLANs. The linter returns the same object for equal findings.
   */
  readonly #groupOf = new WeakMap<RuleFinding, Group>()
  /** The sites that only count for relations across sites. */
  readonly #unlinted: Site[] = []
  readonly #isWhole: boolean
  readonly #scope: LintScope
  readonly #waivers: Waivers
  readonly #mayWeaken: (address: string) => boolean

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
    this.#mayWeaken = mayWeaken
    this.#isWhole = part.shard === undefined && part.continues === undefined
    this.#policy = policy
    this.#places = new FieldPlaces(desired)
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

  /** Lints a site as its planned changes leave it. WLANs that the plan blocks keep their live state. */
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
    const isChanged = planned.wlanPlans.some(({ status }) => status === 'changed')
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
    const groups = sortBy([...this.#groups], ([key]) => key).map(([, group]) => group)
    // In order of severity, because errors take precedence for the limited number of places.
    const all = findingLevels.flatMap(level =>
      groups.filter(({ found }) => found.level === level).map(group => this.#findingsOf(group))
    )
    const of = (isSecret: boolean) =>
      all.flatMap(each => (each.isSecret === isSecret ? each.findings : []))
    return {
      findings: [...of(false), ...related].sort(byPlace),
      secretFindings: of(true).sort(byPlace),
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
    return this.#places.placeOf(declaredField(fields, wlan), wlan, site)
  }

  #add(site: SubjectSite, wlans: readonly LintWlan[]): void {
    this.#sites.set(site.name, site)
    const { id, name } = site
    this.#linter.lintSite({ id, name, wlans }, (found, wlan) => this.#push(found, wlan, site))
  }

  #push(found: RuleFinding, name: string | undefined, site: SubjectSite): void {
    const wlan = site.wlans.find(({ key }) => key === name)
    if (wlan?.excluded) return
    const waived = this.#waivers.covering(found.rule, () => ({ site, wlan: name }))
    this.#group(found, name, wlan, waived).subjects.push(subjectOf(found, site, wlan))
  }

  #group(
    found: RuleFinding,
    name: string | undefined,
    wlan: SubjectWlan | undefined,
    waived: FindingWaiver | undefined
  ): Group {
    const isAllowed =
      found.isDowngrade === true && wlan !== undefined && this.#mayWeaken(wlan.address)
    const isShared = waived === undefined && wlan !== undefined && !found.isDowngrade
    const known = isShared ? this.#groupOf.get(found) : undefined
    const owner = wlan?.owner
    if (known !== undefined && known.owner === owner) return known
    const isNamed = wlan === undefined && name !== undefined
    const message = isNamed ? undeclaredMessage(found, name) : found.message
    const { rule, level, existing, advice, fields } = found
    // The fields of a new finding determine its place; an existing finding has none.
    const ofPlace = existing ? [] : fields
    const about = [rule, level, existing, message, advice, owner, ofPlace, waived, isAllowed]
    const key = JSON.stringify(about)
    const group = this.#groups.get(key) ?? {
      found,
      message,
      owner,
      waived,
      isAllowed,
      subjects: []
    }
    this.#groups.set(key, group)
    if (isShared) this.#groupOf.set(found, group)
    return group
  }

  /** One finding for each place. */
  #findingsOf(group: Group): { readonly isSecret: boolean; readonly findings: Finding[] } {
    const { found, subjects } = group
    const placed = sortBy(subjects, ({ address }) => address).map(
      ({ address, place, declared }) => {
        if (declared === undefined) return { address, place }
        const { wlan, site } = declared
        return {
          address,
          place: this.#places.placeOf(declaredField(found.fields, wlan), wlan, site)
        }
      }
    )
    const findings = [...groupBy(placed, ({ place }) => JSON.stringify(place) ?? '').values()].map(
      same =>
        lintFinding(
          group,
          same[0]?.place,
          same.map(({ address }) => address),
          this.#policy
        )
    )
    return { isSecret: found.fromSecret === true, findings }
  }
}

/** The first of the fields that a WLAN declares. */
function declaredField(fields: readonly Pointer[], wlan: SubjectWlan): Pointer | undefined {
  return fields.find(pointer => valueAt(wlan.fields, pointer) !== undefined)
}

/** A live WLAN as an imported file declares it. */
interface ImportedWlan extends Pick<DesiredWlan, 'key' | 'fields'> {
  readonly id: string
}

/** The WLAN of a finding. An imported one has no place yet. */
type SubjectWlan = Pick<DesiredWlan, 'address' | 'key' | 'fields' | 'owner' | 'excluded'> &
  Partial<Pick<DesiredWlan, 'place'>>

/** A site with its declared WLANs. */
interface SubjectSite extends Site {
  readonly wlans: readonly SubjectWlan[]
}

/**
 * The name of an undeclared WLAN: its SSID, marked as not declared if a declared WLAN has that SSID as its
 * key.
 */
function undeclaredName(ssid: string, { wlans }: SubjectSite): string {
  return wlans.some(({ key }) => key === ssid) ? `${ssid} (not declared)` : ssid
}

/**
 * The declared WLAN of a finding, or the site. An existing finding has no place, because no file causes it.
 * Only errors and warnings get the place of a field.
 */
function subjectOf(
  { existing, level }: RuleFinding,
  site: Site,
  wlan: SubjectWlan | undefined
): Subject {
  const address = wlan?.address ?? site.name
  if (wlan === undefined || existing) return { address }
  return level === 'info' ? { address, place: wlan.place } : { address, declared: { site, wlan } }
}

/** Lints the files without reading the service. */
export function lintDeclared(desired: Desired, policy: LintPolicy): LintResult {
  const linter = new RunLinter(desired, policy, 'all', new Waivers(desired.waivers))
  for (const site of desired.sites) linter.addDeclared(site)
  return linter.result()
}
