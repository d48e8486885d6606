import type { RuleFinding } from '../../core/lint/rule-finding.ts'
import type { DangerKind } from '../../core/model/danger.ts'
import type { Desired, DesiredWlan, LintPolicy, Site } from '../../core/model/desired.ts'
import {
  aboutAddresses,
  asWaived,
  byPlace,
  type Finding,
  type FindingLevel,
  type FindingWaiver,
  finding,
  findingLevels,
  type Location,
  MAX_RELATED_LINES,
  type Where
} from '../../core/model/finding.ts'
import type { PolicyRule } from '../../core/model/fleet-rules.ts'
import { MAX_PLACED } from '../../core/model/plan.ts'
import { append, byCodeUnit, compact, groupsBy, sortBy } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { secretIdentity } from '../../core/values/secret.ts'
import { plural, quote } from '../../core/values/text.ts'
import { limits } from '../../fleet/limits.ts'
import type { Waivers } from '../../fleet/policy/waivers.ts'

/** A WLAN that the files declare; an imported one has no place yet. */
type SubjectWlan = Pick<DesiredWlan, 'address' | 'key' | 'fields' | 'excluded'> &
  Partial<Pick<DesiredWlan, 'place' | 'isLayered'>>

export interface SubjectSite extends Site {
  readonly wlans: readonly SubjectWlan[]
}

export interface DeclaredWlan {
  readonly site: Site
  readonly wlan: SubjectWlan
}

export type PlaceOf = (fields: readonly Pointer[], wlan: DeclaredWlan) => Location | undefined

interface Violation {
  readonly found: RuleFinding
  readonly rule?: PolicyRule
  readonly site: Site
  /** The key or the SSID of the WLAN; undefined for a violation by the whole site. */
  readonly name: string | undefined
  readonly wlan: SubjectWlan | undefined
  /** Only the first has the place of the finding; existing violations have none. */
  readonly declared: readonly DeclaredWlan[]
  readonly placeOf: PlaceOf
  /** An error does not refuse the run: it is a warning. */
  readonly isTolerated?: boolean
  /** An error stays an error, although it exists. */
  readonly isStrict?: boolean
  /** What the live WLAN exposes people to, for a drift report. */
  readonly danger?: DangerKind | undefined
}

/** Violations that are equal except for the WLAN and the place. */
interface Group extends Pick<Violation, 'found' | 'rule' | 'danger'> {
  /** An existing error of the live state is a warning, unless the policy is strict. */
  readonly level: FindingLevel
  readonly message: string
  readonly undeclared: string | undefined
  readonly waived: FindingWaiver | undefined
  readonly subjects: Subject[]
  /** Of an existing violation, the first of the WLANs that declare it. */
  first?: DeclaredWlan
}

interface Subject {
  readonly address: string
  readonly facts: SubjectFacts
}

interface SubjectFacts extends Pick<Violation, 'name' | 'declared' | 'placeOf'> {
  readonly fields: readonly Pointer[]
  /** It differs from WLAN to WLAN where it is about a secret. */
  readonly message: string
}

interface FoundByRules {
  readonly ofPolicy: readonly Finding[]
  readonly ofLinter: readonly Finding[]
  readonly secret: readonly Finding[]
}

/** The findings of a run about the rules of the linter and of the policy; equal ones of several WLANs are one. */
export class RuleFindings {
  readonly #desired: Pick<Desired, 'placesOf' | 'layersOf'>
  readonly #policy: Pick<LintPolicy, 'strict'>
  readonly #waivers: Waivers
  readonly #groups = new Map<string, Group>()
  /** The number of findings that may still have the place of a field; the others have that of the WLAN. */
  #placesLeft = MAX_PLACED
  /** The places listed for each rule of the policy, and of WLANs at places that are not listed. */
  readonly #listed = new Map<PolicyRule, number>()
  readonly #more = new Map<PolicyRule, number>()

  constructor(
    desired: Pick<Desired, 'placesOf' | 'layersOf'>,
    policy: Pick<LintPolicy, 'strict'>,
    waivers: Waivers
  ) {
    this.#desired = desired
    this.#policy = policy
    this.#waivers = waivers
  }

  add(violation: Violation): void {
    const { found, rule, site, name, wlan, declared, placeOf, isTolerated, isStrict, danger } =
      violation
    if (wlan?.excluded) return
    const { existing, advice, secret } = found
    const waived = this.#waivers.covering(found.rule, () => ({ site, wlan: name }))
    const undeclared = wlan === undefined ? name : undefined
    const message = undeclared === undefined ? found.message : named(undeclared, found.message)
    const isRefusal = isStrict || ((this.#policy.strict || !existing) && !isTolerated)
    const level = found.level === 'error' && !isRefusal ? 'warning' : found.level
    const about = rule ? [undeclared] : secret ? [secretIdentity(secret)] : [message, advice]
    const kind = rule === undefined ? 'LINT' : 'RULE'
    const key = JSON.stringify([kind, found.rule, found.level, existing, about, waived, level])
    const known = this.#groups.get(key)
    const group: Group = known ?? {
      ...{ found, level, message, undeclared, waived, subjects: [] },
      ...compact({ rule, danger })
    }
    this.#groups.set(key, group)
    // It refers to its site only if it needs the place of a field, because sites are large.
    const own = { name, fields: found.fields, placeOf, message, declared: existing ? [] : declared }
    const facts = existing && secret === undefined ? (group.subjects[0]?.facts ?? own) : own
    group.subjects.push({ address: wlan?.address ?? site.name, facts })
    const [first] = declared
    if (existing && first && isBefore(first, group.first)) group.first = first
  }

  /**
   * The place of the first of these fields, or of the WLAN if there is none. What overrides others comes first: of an
   * isolation that one site turns off, and a type that a profile declares, the isolation.
   */
  readonly placeOf: PlaceOf = ([first, ...others], { site, wlan }) => {
    const { key, place, isLayered } = wlan
    if (first === undefined || this.#placesLeft === 0) return place
    this.#placesLeft -= 1
    const { placesOf, layersOf } = this.#desired
    const layers =
      isLayered && others.length > 0 ? layersOf?.(site, key, [first, ...others]) : undefined
    const layerOf = (field: Pointer) => layers?.[field] ?? 0
    const field = others.reduce((a, b) => (layerOf(b) > layerOf(a) ? b : a), first)
    return placesOf?.(site, key, [field], 'cwd')[field] ?? place
  }

  /** Sorted by place; `secret` depend on the value of a secret. Call it once, after the last site. */
  result(): FoundByRules {
    const groups = sortBy([...this.#groups], ([key]) => key).map(([, group]) => group)
    const [ofPolicy, ofLinter, secret]: [Finding[], Finding[], Finding[]] = [[], [], []]
    // In order of severity, because errors take precedence for the limited number of places.
    for (const level of findingLevels) {
      const ofLevel = groups.filter(({ found }) => found.level === level)
      const places = placesIn(ofLevel)
      for (const group of ofLevel) {
        const { rule, found } = group
        const kind = rule ? ofPolicy : found.fromSecret ? secret : ofLinter
        append(kind, this.#findingsOf(group, places))
      }
    }
    for (const [{ name, level, place }, count] of this.#more)
      ofPolicy.push(finding('RULE_BROKEN_OFTEN', { place, rule: name }, name, count, level))
    for (const found of [ofPolicy, ofLinter, secret]) found.sort(byPlace)
    return { ofPolicy, ofLinter, secret }
  }

  /** One finding for each place; one about a secret stands at the first WLAN that uses it. */
  #findingsOf(group: Group, places: ReadonlyMap<Subject, Location | undefined>): Finding[] {
    const { found, first, subjects } = group
    const ofFirst = first && subjects[0]?.facts.placeOf(found.fields, first)
    const sorted = sortBy(subjects, ({ address }) => address)
    const atPlaces = groupsBy(sorted, subject => placeKey(places.get(subject)))
    const listed = found.secret === undefined ? atPlaces : [sorted.slice(0, 1)]
    return listed.flatMap(same => {
      if (!this.#isListed(group, same.length)) return []
      const [subject] = same
      const place = subject && places.get(subject)
      const others = place === undefined ? [] : placesOfOthers(same)
      return this.#finding(group, same, place, distinct([ofFirst, ...others], place))
    })
  }

  /** False for one more place of a rule of the policy than it lists, which `#more` counts. */
  #isListed({ rule, waived, found: { existing } }: Group, wlans: number): boolean {
    if (rule === undefined || existing) return true
    const listed = this.#listed.get(rule) ?? 0
    const isListed = listed < limits.broken || waived !== undefined
    if (isListed) this.#listed.set(rule, listed + 1)
    else this.#more.set(rule, (this.#more.get(rule) ?? 0) + wlans)
    return isListed
  }

  #finding(
    group: Group,
    subjects: readonly Subject[],
    place: Location | undefined,
    related: readonly Location[]
  ): Finding {
    const { rule, level, waived, undeclared, danger, first } = group
    const ssid = first?.wlan.fields['ssid']
    const { rule: id, existing, advice, secret } = group.found
    const addresses = subjects.map(({ address }) => address)
    const where: Where = {
      ...compact({ place }),
      ...(related.length > 0 && { related }),
      ...aboutAddresses(addresses),
      rule: id,
      ...(existing && { existing: true }),
      ...(danger && { danger, ...(typeof ssid === 'string' && { ssid }) })
    }
    const message = secret
      ? `${subjects[0]?.facts.message}${alsoUsed(group.subjects)}`
      : group.message
    const made = rule
      ? brokenRule(rule, where, level, undeclared)
      : finding('LINT', where, { level, message, advice, existing })
    return waived === undefined ? made : asWaived(made, waived)
  }
}

/** The finding about a rule of the policy. `undeclared`: the SSID of a WLAN that no file declares. */
export function brokenRule(
  { name, message }: PolicyRule,
  where: Where,
  level: FindingLevel,
  undeclared?: string
): Finding {
  const found = finding('RULE', where, name, message, level, undefined, where.existing)
  return undeclared === undefined ? found : { ...found, message: named(undeclared, found.message) }
}

function named(undeclared: string, message: string): string {
  return `${quote(undeclared)}: ${message}`
}

/** `; 3 more WLANs use this secret`: empty for a secret of one WLAN. */
function alsoUsed(subjects: readonly Subject[]): string {
  const wlans = subjects.map(({ address, facts }) => JSON.stringify([address, facts.name]))
  const more = new Set(wlans).size - 1
  if (more === 0) return ''
  return `; ${plural(more, 'more WLAN')} ${more === 1 ? 'uses' : 'use'} this secret`
}

function placesIn(groups: readonly Group[]): ReadonlyMap<Subject, Location | undefined> {
  const subjects = sortBy(
    groups.flatMap(group => group.subjects),
    ({ address }) => address
  )
  return new Map(
    subjects.map(subject => {
      const { declared, fields, placeOf } = subject.facts
      const [first] = declared
      return [subject, first && placeOf(fields, first)]
    })
  )
}

/** The places of the first of the WLANs that break a rule together with those at whose place a finding is. */
function placesOfOthers(subjects: readonly Subject[]): (Location | undefined)[] {
  const places: (Location | undefined)[] = []
  for (const { facts } of subjects) {
    const { declared, fields, placeOf } = facts
    const others = declared.slice(1, 1 + MAX_RELATED_LINES - places.length)
    append(
      places,
      others.map(wlan => placeOf(fields, wlan))
    )
    if (places.length === MAX_RELATED_LINES) break
  }
  return places
}

function isBefore({ wlan }: DeclaredWlan, other: DeclaredWlan | undefined): boolean {
  return other === undefined || byCodeUnit(wlan.address, other.wlan.address) < 0
}

function distinct(
  places: readonly (Location | undefined)[],
  known: Location | undefined
): Location[] {
  const byKey = new Map(places.flatMap(place => (place ? [[placeKey(place), place]] : [])))
  byKey.delete(placeKey(known))
  return [...byKey.values()]
}

function placeKey(place: Location | undefined): string {
  return place === undefined ? '' : `${place.line}:${place.column}:${place.file}`
}
