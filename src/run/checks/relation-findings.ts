import {
  type FleetGroup,
  type FleetMember,
  fleetRuleLevels,
  fleetViolations,
  type MemberGroup
} from '../../core/lint/fleet.ts'
import type { RuleFinding } from '../../core/lint/rule-finding.ts'
import type { DesiredWlan, LintPolicy, Site } from '../../core/model/desired.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { Change } from '../../core/model/plan.ts'
import type { Relations } from '../../core/model/relations.ts'
import {
  changedField,
  type RelatedKind,
  type RelationPlaces,
  refusingRules,
  relationsOf
} from '../../core/plan/related-wlans.ts'
import { byCodeUnit, compact, groupBy, sortBy } from '../../core/values/collections.ts'
import type { Waivers } from '../../fleet/policy/waivers.ts'
import { lintFinding, undeclaredMessage } from './lint-findings.ts'

interface FoundRelation extends RelatedKind {
  readonly found: RuleFinding
  /** One of the other WLANs of the relation. */
  readonly other?: FleetMember | undefined
}

/** The findings of the rules that compare sites, one for all WLANs with the same message and place. */
export function relationFindings(
  relations: readonly FoundRelation[],
  { strict }: Pick<LintPolicy, 'strict'>,
  placeOf: RelationPlaces
): Finding[] {
  const placed = relations.flatMap(({ found, kind, sites, other }) => {
    if (kind.excluded) return []
    const waived = kind.waived?.[found.rule]
    const message = kind.undeclared ? undeclaredMessage(found, kind.wlan) : found.message
    return sites.map(site => {
      const address = kind.undeclared ? site : `${site}/${kind.wlan}`
      const isPlaced = !found.existing && !kind.undeclared
      const place = isPlaced ? placeOf({ site, wlan: kind.wlan }, found.fields) : undefined
      return { address, found, message, waived, place, other }
    })
  })
  const groups = groupBy(placed, ({ found, message, waived, place }) =>
    JSON.stringify([found.rule, found.existing, message, waived, place])
  )
  return [...groups.values()].map(same => {
    const [first] = same
    const addresses = same.map(({ address }) => address)
    const { found, place, other } = first
    const ofOther = place && other && placeOf(other, found.fields)
    const lines = { place, related: ofOther === undefined ? [] : [ofOther] }
    return lintFinding(first, lines, addresses, { strict })
  })
}

/** Evaluates the rules that compare sites over the WLANs of all parts of a fleet. */
export function checkRelations(
  { levels, strict }: Pick<Relations, 'levels' | 'strict'>,
  kinds: readonly RelatedKind[],
  changes: readonly Change[]
): Finding[] {
  const byAddress = new Map(changes.map(change => [change.address, change]))
  // WLANs with equal facts in the order that they have in one run.
  const groups = sortBy(kinds, ({ kind }) => kind.wlan).map(each => ({ ...groupOf(each), ...each }))
  const policy: LintPolicy = { level: 'info', rules: levels, strict: strict === true }
  const found = fleetViolations(groups, policy)
    .filter(({ found }) => !found.fromSecret)
    .map(({ group, other, found }) => ({ ...group, found, other: other && memberOf(other) }))
  return relationFindings(found, policy, ({ site, wlan }, fields) => {
    const change = byAddress.get(`${site}/${wlan}`)
    const path = change && changedField(change.patch, fields)
    return path === undefined ? undefined : (change?.places?.[path] ?? change?.origin)
  })
}

function memberOf({ kind: { wlan }, firstSite: site }: RelatedKind & FleetGroup): FleetMember {
  return { site, wlan }
}

function groupOf({ kind, sites, count }: RelatedKind): FleetGroup {
  const { state, after = state, before = state, key_reference: keyReference } = kind
  const [firstSite = ''] = [...sites].sort(byCodeUnit)
  return {
    after,
    before,
    keyReference,
    count,
    firstSite
  }
}

/** The declarations and waivers that findings depend on, apart from the facts about WLANs. */
interface RelationSubjects {
  readonly sites: ReadonlyMap<string, RelatedSite>
  readonly waivers: Waivers
}

interface RelatedSite extends Site {
  readonly wlans: readonly Pick<DesiredWlan, 'key' | 'excluded'>[]
}

/** Divides the WLANs of a group into kinds: the findings of these rules about a kind differ only in the site. */
export function kindsOf(
  group: MemberGroup,
  rules: readonly string[],
  subjects: RelationSubjects
): RelatedKind[] {
  const states = statesOf(group)
  const members = group.members.map(member => ({
    site: member.site,
    subject: subjectOf(member, rules, subjects)
  }))
  const kinds = groupBy(members, ({ subject }) => JSON.stringify(subject)).values()
  return [...kinds].map(same => {
    const [first] = same
    const sites = [...new Set(same.map(({ site }) => site))]
    return { kind: { ...states, ...first.subject }, sites, count: same.length }
  })
}

function subjectOf(
  { site: siteName, wlan: name }: FleetMember,
  rules: readonly string[],
  { sites, waivers }: RelationSubjects
): Omit<RelatedKind['kind'], keyof ReturnType<typeof statesOf>> {
  const site = sites.get(siteName)
  const wlan = site?.wlans.find(({ key }) => key === name)
  const waived = rules.flatMap(rule => {
    const waiver = site && waivers.covering(rule, () => ({ site, wlan: name }))
    return waiver === undefined ? [] : [[rule, waiver] as const]
  })
  return {
    wlan: name,
    ...(wlan === undefined && { undeclared: true }),
    ...compact({ excluded: wlan?.excluded }),
    ...(waived.length > 0 && { waived: Object.fromEntries(waived) })
  }
}

/** The facts about the WLANs of a kind, in the format of a saved plan. */
function statesOf({
  after,
  before,
  keyReference
}: FleetGroup): Pick<RelatedKind['kind'], 'state' | 'before' | 'after' | 'key_reference'> {
  const key = compact({ key_reference: keyReference })
  return { ...compact(after === before ? { state: after } : { before, after }), ...key }
}

/** Describes the WLANs of a part of a fleet, for merging plans. */
export function relationsByPolicy(policy: LintPolicy, kinds: readonly RelatedKind[]): Relations {
  const strict = policy.strict ? ({ strict: true } as const) : {}
  return relationsOf({ levels: fleetRuleLevels(policy), ...strict }, kinds)
}

/** The options that leave sites of the fleet out of a run, apart from those that divide it into parts. */
interface NarrowingOptions {
  readonly site: readonly string[]
  readonly excludeSite?: readonly string[]
  readonly changedSince?: string
}

/** A warning where a rule of level error compares all sites, and the options leave some of them out. */
export function uncheckedSites(
  policy: LintPolicy,
  { site, excludeSite = [], changedSince }: NarrowingOptions
): Finding[] {
  const narrowedBy = [
    ...(site.length > 0 ? ['--site'] : []),
    ...(excludeSite.length > 0 ? ['--exclude-site'] : []),
    ...(changedSince === undefined ? [] : ['--changed-since'])
  ]
  const rules = refusingRules({ levels: fleetRuleLevels(policy) })
  if (rules.length === 0 || narrowedBy.length === 0) return []
  return [finding('RELATIONS_NOT_CHECKED', {}, rules, { narrowedBy })]
}
