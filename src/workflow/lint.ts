import { Waivers } from '../config/waivers.ts'
import { Linter, type LintFinding } from '../lint/lint.ts'
import { isLintRefusal } from '../lint/policy.ts'
import type { LintWlan } from '../lint/site-views.ts'
import { compact, groupBy, sortBy } from '../model/collections.ts'
import type {
  Desired,
  DesiredSite,
  DesiredWlan,
  LintPolicy,
  Site,
  ValuePlaces
} from '../model/desired.ts'
import {
  aboutAddresses,
  asWaived,
  byPlace,
  type Finding,
  type FindingLevel,
  type FindingWaiver,
  finding,
  type Location
} from '../model/finding.ts'
import { isInherited, type LiveSite } from '../model/live.ts'
import { MOST_PLACED } from '../model/plan.ts'
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

/** Findings of the linter that are equal except for the WLAN and the place. */
interface Group {
  readonly found: LintFinding
  readonly message: string
  readonly owner: string | undefined
  readonly waived: FindingWaiver | undefined
  readonly subjects: Subject[]
}

/** What a finding is about. */
interface Subject {
  readonly address: string
  readonly site: Site
  /** Absent for a site, and for a WLAN that no file declares. */
  readonly wlan: DesiredWlan | undefined
}

/**
 * Lints the sites of a run, one after the other, and gives the findings as those of a plan. An error is an
 * error only where it refuses the run: where a change brings it in, or the policy is strict.
 */
export class RunLinter {
  readonly #policy: LintPolicy
  readonly #places: FieldPlaces
  readonly #linter: Linter
  /** By name, for findings about the fleet. */
  readonly #sites = new Map<string, SubjectSite>()
  readonly #groups = new Map<string, Group>()
  readonly #isWhole: boolean
  readonly #waivers: Waivers

  constructor(
    { placesOf, part = {} }: Pick<Desired, 'placesOf' | 'part'>,
    policy: LintPolicy,
    waivers = new Waivers()
  ) {
    this.#waivers = waivers
    this.#isWhole = part.shard === undefined && part.continues === undefined
    this.#policy = policy
    this.#places = new FieldPlaces(placesOf)
    // Reports decide what they list: JSON and HTML show all levels.
    this.#linter = new Linter({ ...policy, level: 'info' })
  }

  /** Lints the declared WLANs of a site alone: a rule holds only where all of its values are declared. */
  addDeclared(site: DesiredSite): void {
    const managed = site.wlans.filter(wlan => wlan.managed === undefined)
    const wlans = managed.map(({ key, fields }) => ({ name: key, declared: fields }))
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

  /**
   * All findings, with those about relations across the sites unless the run covers a part of the fleet: other
   * parts would find others. Call it once, after the last site.
   */
  result(): LintResult {
    for (const found of this.#isWhole ? this.#linter.lintFleet() : []) {
      const subject = this.#sites.get(found.site)
      if (subject !== undefined) this.#push(found, subject)
    }
    const groups = sortBy([...this.#groups], ([key]) => key).map(([, group]) => group)
    const all = levels.flatMap(level =>
      groups.filter(({ found }) => found.level === level).map(group => this.#findingsOf(group))
    )
    const findings = (isSecret: boolean) =>
      all.flatMap(each => (each.isSecret === isSecret ? each.findings : [])).sort(byPlace)
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
    const owner = wlan?.owner
    const { rule, level, existing, advice, fields } = found
    // The fields of a new finding decide on its place; an existing one has none.
    const ofPlace = existing ? [] : fields
    const waived = this.#waivers.covering(rule, () => ({ site, wlan: found.wlan }))
    const key = JSON.stringify([rule, level, existing, message, advice, owner, ofPlace, waived])
    const subject = { address, site, wlan }
    const group = this.#groups.get(key)
    if (group !== undefined) group.subjects.push(subject)
    else this.#groups.set(key, { found, message, owner, waived, subjects: [subject] })
  }

  /** A finding for each place. */
  #findingsOf(group: Group): { readonly isSecret: boolean; readonly findings: Finding[] } {
    const { found, subjects } = group
    const placed = sortBy(subjects, ({ address }) => address).map(({ address, site, wlan }) => ({
      address,
      place: wlan && this.#places.placeFor(found, wlan, site)
    }))
    const findings = [...groupBy(placed, ({ place }) => JSON.stringify(place) ?? '').values()].map(
      same =>
        findingOf(
          group,
          same[0]?.place,
          same.map(({ address }) => address),
          this.#policy
        )
    )
    return { isSecret: found.fromSecret === true, findings }
  }
}

/** Worst first: the places of errors matter most. */
const levels: readonly FindingLevel[] = ['error', 'warning', 'info']

/** The places of findings; those of fields for the first 2,000, of the WLANs for others. */
class FieldPlaces {
  readonly #placesOf: ValuePlaces | undefined
  #left = MOST_PLACED

  constructor(placesOf: ValuePlaces | undefined) {
    this.#placesOf = placesOf
  }

  /** The first declared field of a new finding, else the WLAN. An existing one has no place: no file brings it in. */
  placeFor(found: LintFinding, wlan: DesiredWlan, site: Site): Location | undefined {
    if (found.existing) return undefined
    const field = found.fields.find(pointer => valueAt(wlan.fields, pointer) !== undefined)
    if (field === undefined || found.level === 'info' || this.#left === 0) return wlan.place
    this.#left -= 1
    return this.#placesOf?.(site, wlan.key, [field], 'cwd')[field] ?? wlan.place
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
  { found, message, owner, waived }: Group,
  place: Location | undefined,
  addresses: readonly string[],
  policy: LintPolicy
): Finding {
  const { rule, existing, advice } = found
  const about = aboutAddresses(addresses)
  const level = levelOf(found, policy)
  const made = finding(
    'LINT',
    {
      ...compact({ place, owner }),
      ...about,
      rule,
      ...(existing && { existing: true })
    },
    { level, message, advice, existing }
  )
  return waived === undefined ? made : asWaived(made, waived)
}

/** An error that the live state has already does not fail the run, unless the policy is strict. */
function levelOf(found: LintFinding, policy: LintPolicy): FindingLevel {
  return found.level === 'error' && !isLintRefusal(policy, found) ? 'warning' : found.level
}

/** Lints the files alone. */
export function lintDeclared(desired: Desired, policy: LintPolicy): LintResult {
  const linter = new RunLinter(desired, policy, new Waivers(desired.waivers))
  for (const site of desired.sites) linter.addDeclared(site)
  return linter.result()
}
