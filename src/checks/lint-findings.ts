import type { Waivers } from '../config/waivers.ts'
import { isLintRefusal, type RuleFinding } from '../lint/rule-finding.ts'
import { compact, groupBy, sortBy } from '../model/collections.ts'
import type { Desired, DesiredWlan, LintPolicy, Site } from '../model/desired.ts'
import {
  aboutAddresses,
  asWaived,
  byPlace,
  type Finding,
  type FindingWaiver,
  finding,
  findingLevels,
  type Location
} from '../model/finding.ts'
import type { Pointer } from '../model/pointer.ts'
import { quote } from '../model/text.ts'
import { valueAt } from '../model/value.ts'
import { FieldPlaces } from './field-places.ts'

/** A violation with the message, owner and waiver that the run adds. */
interface FoundByRule {
  readonly found: RuleFinding
  readonly message: string
  readonly owner: string | undefined
  readonly waived: FindingWaiver | undefined
  /** An error does not refuse the run: it is a warning. */
  readonly isTolerated?: boolean
  /** An error stays an error, although it exists. */
  readonly isStrict?: boolean | undefined
}

/**
 * The finding of a plan about these addresses. An existing error of the live state is a warning, unless the
 * policy is strict.
 */
export function lintFinding(
  { found, message, owner, waived, isTolerated, isStrict }: FoundByRule,
  place: Location | undefined,
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
      ...compact({ place, owner }),
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
type SubjectWlan = Pick<DesiredWlan, 'address' | 'key' | 'fields' | 'owner' | 'excluded'> &
  Partial<Pick<DesiredWlan, 'place'>>

/** A site with its declared WLANs. */
export interface SubjectSite extends Site {
  readonly wlans: readonly SubjectWlan[]
}

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
  /**
   * The group of each finding about declared WLANs. The linter returns the same object for equal findings.
   */
  readonly #groupOf = new WeakMap<RuleFinding, Group>()

  constructor(
    desired: Pick<Desired, 'placesOf'>,
    policy: LintPolicy,
    waivers: Waivers,
    isTolerated: IsTolerated
  ) {
    this.#policy = policy
    this.#waivers = waivers
    this.#isTolerated = isTolerated
    this.#places = new FieldPlaces(desired)
  }

  /**
   * Adds a violation of the WLAN with this name; without a name, of the site. `isStrict`: an error stays one,
   * although it exists.
   */
  add(found: RuleFinding, name: string | undefined, site: SubjectSite, isStrict = false): void {
    const wlan = site.wlans.find(({ key }) => key === name)
    if (wlan?.excluded) return
    const waived = this.#waivers.covering(found.rule, () => ({ site, wlan: name }))
    const about = { site, wlan, waived, isStrict: isStrict && found.level === 'error' }
    this.#group(found, name, about).subjects.push(subjectOf(found, site, wlan))
  }

  /**
   * All findings, sorted by place. `secret`: those that depend on the value of a secret. Call it once, after the
   * last site.
   */
  result(): { readonly findings: readonly Finding[]; readonly secret: readonly Finding[] } {
    const groups = sortBy([...this.#groups], ([key]) => key).map(([, group]) => group)
    // In order of severity, because errors take precedence for the limited number of places.
    const all = findingLevels.flatMap(level =>
      groups
        .filter(({ found }) => found.level === level)
        .map(group => ({ group, findings: this.#findingsOf(group) }))
    )
    const of = (isSecret: boolean) =>
      all
        .flatMap(({ group, findings }) =>
          (group.found.fromSecret === true) === isSecret ? findings : []
        )
        .sort(byPlace)
    return { findings: of(false), secret: of(true) }
  }

  /** The place of the first of these fields that the WLAN declares. */
  placeOf(fields: readonly Pointer[], wlan: SubjectWlan, site: Site): Location | undefined {
    const declared = fields.find(pointer => valueAt(wlan.fields, pointer) !== undefined)
    return this.#places.placeOf(declared, wlan, site)
  }

  #group(
    found: RuleFinding,
    name: string | undefined,
    {
      site,
      wlan,
      waived,
      isStrict
    }: Pick<FoundByRule, 'waived' | 'isStrict'> & {
      readonly site: SubjectSite
      readonly wlan: SubjectWlan | undefined
    }
  ): Group {
    const isTolerated = this.#isTolerated(found, site, wlan)
    const isShared = waived === undefined && wlan !== undefined
    const known = isShared ? this.#groupOf.get(found) : undefined
    const owner = wlan?.owner
    if (known !== undefined && known.owner === owner && known.isTolerated === isTolerated) {
      return known
    }
    const isNamed = wlan === undefined && name !== undefined
    const message = isNamed ? undeclaredMessage(found, name) : found.message
    const { rule, level, existing, advice, fields } = found
    // The fields of a new finding determine its place; an existing finding has none.
    const ofPlace = existing ? [] : fields
    const about = [
      rule,
      level,
      existing,
      message,
      advice,
      owner,
      ofPlace,
      waived,
      isTolerated,
      isStrict
    ]
    const key = JSON.stringify(about)
    const group = this.#groups.get(key) ?? {
      found,
      message,
      owner,
      waived,
      isTolerated,
      isStrict,
      subjects: []
    }
    this.#groups.set(key, group)
    if (isShared) this.#groupOf.set(found, group)
    return group
  }

  /** One finding for each place. */
  #findingsOf(group: Group): Finding[] {
    const { found, subjects } = group
    const placed = sortBy(subjects, ({ address }) => address).map(
      ({ address, place, declared }) => {
        if (declared === undefined) return { address, place }
        const { wlan, site } = declared
        return { address, place: this.placeOf(found.fields, wlan, site) }
      }
    )
    return [...groupBy(placed, ({ place }) => JSON.stringify(place) ?? '').values()].map(same =>
      lintFinding(
        group,
        same[0]?.place,
        same.map(({ address }) => address),
        this.#policy
      )
    )
  }
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
