import { isLintRefusal, type RuleFinding } from '../../core/lint/rule-finding.ts'
import type { Desired, DesiredWlan, LintPolicy, Site } from '../../core/model/desired.ts'
import {
  aboutAddresses,
  asWaived,
  byPlace,
  type Finding,
  type FindingWaiver,
  finding,
  findingLevels,
  type Location,
  MAX_RELATED_LINES
} from '../../core/model/finding.ts'
import { append, byCodeUnit, compact, groupsBy, sortBy } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { secretIdentity } from '../../core/values/secret.ts'
import { plural, quote } from '../../core/values/text.ts'
import { valueAt } from '../../core/values/value.ts'
import type { Waivers } from '../../fleet/policy/waivers.ts'
import { FieldPlaces } from './field-places.ts'

/** A violation with the message and waiver that the run adds. */
interface FoundByRule {
  readonly found: RuleFinding
  readonly message: string
  readonly waived: FindingWaiver | undefined
  /** An error does not refuse the run: it is a warning. */
  readonly isTolerated?: boolean
  /** An error stays an error, although it exists. */
  readonly isStrict?: boolean | undefined
}

interface FoundLines {
  readonly place: Location | undefined
  readonly related?: readonly Location[]
}

/** An existing error of the live state is a warning, unless the policy is strict. */
export function lintFinding(
  { found, message, waived, isTolerated, isStrict }: FoundByRule,
  { place, related = [] }: FoundLines,
  addresses: readonly string[],
  policy: Pick<LintPolicy, 'strict'>
): Finding {
  const { rule, existing, advice } = found
  const about = aboutAddresses(addresses)
  const isRefusal = isStrict || (isLintRefusal(policy, found) && !isTolerated)
  const level = found.level === 'error' && !isRefusal ? 'warning' : found.level
  const made = finding(
    'LINT',
    {
      ...compact({ place }),
      ...(related.length > 0 && { related }),
      ...about,
      rule,
      ...(existing && { existing: true })
    },
    { level, message, advice, existing }
  )
  return waived === undefined ? made : asWaived(made, waived)
}

/** The message about an undeclared WLAN, which starts with its name. */
export function undeclaredMessage({ message }: RuleFinding, name: string): string {
  return `${quote(name)}: ${message}`
}

/** The WLAN of a finding. An imported one has no place yet. */
type SubjectWlan = Pick<DesiredWlan, 'address' | 'key' | 'fields' | 'excluded'> &
  Partial<Pick<DesiredWlan, 'place' | 'isLayered'>>

export interface SubjectSite extends Site {
  readonly wlans: readonly SubjectWlan[]
}

/** Findings of the linter that are equal except for the WLAN and the place. */
interface Group extends FoundByRule {
  readonly subjects: Subject[]
  /** Of an existing finding, the first of the WLANs that declare it. */
  first?: DeclaredWlan
}

interface DeclaredWlan {
  readonly site: Site
  readonly wlan: SubjectWlan
}

/** It refers to its site only if it needs the place of a field, because sites are large. */
interface Subject {
  readonly address: string
  readonly site?: SubjectSite
  /** The names of the WLANs that break the rule together: the place is that of the first one that is declared. */
  readonly names: readonly string[]
  /** Of a finding about a secret, whose message differs from WLAN to WLAN. */
  readonly message?: string
}

interface FoundNames {
  /** Absent for a finding about the whole site. */
  readonly wlan: string | undefined
  readonly others?: readonly string[] | undefined
}

/** True for an error about a WLAN, or about the site, that does not refuse the run. */
export type IsTolerated = (
  found: RuleFinding,
  site: SubjectSite,
  wlan: SubjectWlan | undefined
) => boolean

/** The findings of the rules about single sites and their WLANs; equal findings of several WLANs are one. */
export class LintFindings {
  readonly #policy: LintPolicy
  readonly #waivers: Waivers
  readonly #isTolerated: IsTolerated
  readonly #places: FieldPlaces
  readonly #groups = new Map<string, Group>()

  constructor(
    desired: Pick<Desired, 'placesOf' | 'layersOf'>,
    policy: LintPolicy,
    waivers: Waivers,
    isTolerated: IsTolerated
  ) {
    this.#policy = policy
    this.#waivers = waivers
    this.#isTolerated = isTolerated
    this.#places = new FieldPlaces(desired)
  }

  /** Adds a violation. `isStrict`: an error stays one, although it exists. */
  add(
    found: RuleFinding,
    { wlan: name, others = [] }: FoundNames,
    site: SubjectSite,
    isStrict = false
  ): void {
    const wlan = site.wlans.find(({ key }) => key === name)
    if (wlan?.excluded) return
    const waived = this.#waivers.covering(found.rule, () => ({ site, wlan: name }))
    const about = { waived, isStrict: isStrict && found.level === 'error' }
    const group = this.#group(found, name, site, wlan, about)
    const address = wlan?.address ?? site.name
    const names = name === undefined ? others : [name, ...others]
    const message = found.secret && messageAbout(found, name, wlan)
    if (!found.existing) group.subjects.push({ address, site, names, ...compact({ message }) })
    else {
      group.subjects.push({
        address,
        names: message === undefined ? [] : names,
        ...compact({ message })
      })
      const [declared] = declaredBy({ address, site, names })
      if (declared && isBefore(declared, group.first)) group.first = declared
    }
  }

  /** Sorted by place. `secret`: those that depend on the value of a secret. Call it once, after the last site. */
  result(): { readonly findings: readonly Finding[]; readonly secret: readonly Finding[] } {
    const groups = sortBy([...this.#groups], ([key]) => key).map(([, group]) => group)
    // In order of severity, because errors take precedence for the limited number of places.
    const all = findingLevels.flatMap(level => {
      const ofLevel = groups.filter(({ found }) => found.level === level)
      const places = this.#placesIn(ofLevel)
      return ofLevel.map(group => ({ group, findings: this.#findingsOf(group, places) }))
    })
    const of = (isSecret: boolean) =>
      all
        .flatMap(({ group, findings }) =>
          (group.found.fromSecret === true) === isSecret ? findings : []
        )
        .sort(byPlace)
    return { findings: of(false), secret: of(true) }
  }

  /** The place of these fields, as far as the WLAN declares them. */
  placeOf(fields: readonly Pointer[], wlan: SubjectWlan, site: Site): Location | undefined {
    const declared = fields.filter(pointer => valueAt(wlan.fields, pointer) !== undefined)
    return this.#places.placeOf(declared, wlan, site)
  }

  #group(
    found: RuleFinding,
    name: string | undefined,
    site: SubjectSite,
    wlan: SubjectWlan | undefined,
    { waived, isStrict }: Pick<FoundByRule, 'waived' | 'isStrict'>
  ): Group {
    const isTolerated = this.#isTolerated(found, site, wlan)
    const message = messageAbout(found, name, wlan)
    const { rule, level, existing, advice, fields, secret } = found
    // The fields of a finding that a file causes determine its place; another one has none.
    const ofPlace = existing ? [] : fields
    const treated = { waived, isTolerated, isStrict }
    const about =
      secret === undefined
        ? [rule, level, existing, message, advice, ofPlace]
        : [rule, level, existing, secretIdentity(secret)]
    const key = JSON.stringify([...about, ...Object.values(treated)])
    const group = this.#groups.get(key) ?? { found, message, ...treated, subjects: [] }
    this.#groups.set(key, group)
    return group
  }

  /** The places of all subjects, site by site: to find one, the file of its site is parsed again. */
  #placesIn(groups: readonly Group[]): ReadonlyMap<Subject, Location | undefined> {
    const all = groups.flatMap(({ found, subjects }) =>
      subjects.map(subject => ({ subject, fields: found.fields }))
    )
    return new Map(
      sortBy(all, ({ subject }) => subject.address).map(({ subject, fields }) => {
        const [declared] = declaredBy(subject)
        return [subject, declared && this.placeOf(fields, declared.wlan, declared.site)]
      })
    )
  }

  /** One finding for each place; one about a secret stands at the first WLAN that uses it. */
  #findingsOf(group: Group, places: ReadonlyMap<Subject, Location | undefined>): Finding[] {
    const { found, subjects, first } = group
    const placeOf = ({ wlan, site }: DeclaredWlan) => this.placeOf(found.fields, wlan, site)
    const placed = sortBy(subjects, ({ address }) => address).map(subject => ({
      subject,
      place: places.get(subject)
    }))
    const ofFirst = first === undefined ? [] : (placeOf(first) ?? [])
    if (found.secret !== undefined) {
      return placed.slice(0, 1).map(({ subject: { address, message = group.message }, place }) => {
        const lines = { place, related: distinct([ofFirst].flat(), place) }
        const about = { ...group, message: `${message}${alsoUsed(subjects)}` }
        return lintFinding(about, lines, [address], this.#policy)
      })
    }
    return groupsBy(placed, ({ place }) => placeKey(place)).map(same => {
      const place = same[0]?.place
      const others = othersOf(same.map(({ subject }) => subject))
      const related = [ofFirst, others.flatMap(other => placeOf(other) ?? [])].flat()
      const addresses = same.map(({ subject }) => subject.address)
      const lines = { place, related: distinct(related, place) }
      return lintFinding(group, lines, addresses, this.#policy)
    })
  }
}

function messageAbout(
  found: RuleFinding,
  name: string | undefined,
  wlan: SubjectWlan | undefined
): string {
  return wlan === undefined && name !== undefined ? undeclaredMessage(found, name) : found.message
}

/** `; 3 more WLANs use this secret`: empty for a secret of one WLAN. */
function alsoUsed(subjects: readonly Subject[]): string {
  const wlans = subjects.map(({ address, names: [name] }) => JSON.stringify([address, name]))
  const more = new Set(wlans).size - 1
  if (more === 0) return ''
  return `; ${plural(more, 'more WLAN')} ${more === 1 ? 'uses' : 'use'} this secret`
}

function* declaredBy({ site, names }: Subject): Generator<DeclaredWlan> {
  for (const name of names) {
    const wlan = site?.wlans.find(({ key }) => key === name)
    if (site !== undefined && wlan !== undefined) yield { site, wlan }
  }
}

/** The first of the WLANs that break a rule together with those at whose places a finding is. */
function othersOf(subjects: readonly Subject[]): DeclaredWlan[] {
  const others: DeclaredWlan[] = []
  for (const subject of subjects) {
    if (others.length >= MAX_RELATED_LINES) break
    append(others, [...declaredBy(subject)].slice(1))
  }
  return others.slice(0, MAX_RELATED_LINES)
}

function isBefore({ wlan }: DeclaredWlan, other: DeclaredWlan | undefined): boolean {
  return other === undefined || byCodeUnit(wlan.address, other.wlan.address) < 0
}

function distinct(places: readonly Location[], known: Location | undefined): Location[] {
  if (places.length === 0) return []
  const byKey = new Map(places.map(place => [placeKey(place), place]))
  byKey.delete(placeKey(known))
  return [...byKey.values()]
}

function placeKey(place: Location | undefined): string {
  return place === undefined ? '' : `${place.line}:${place.column}:${place.file}`
}
