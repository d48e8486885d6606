import type { Waivers } from '../config/waivers.ts'
import {
  type FleetGroup,
  type FleetMember,
  lintRelations,
  type MemberGroup,
  relationLevels
} from '../lint/relations.ts'
import type { FleetFacts } from '../lint/rule.ts'
import type { RuleFinding } from '../lint/rule-finding.ts'
import { byCodeUnit, compact, groupBy } from '../model/collections.ts'
import type { DesiredWlan, LintPolicy, Site } from '../model/desired.ts'
import type { Finding, Location } from '../model/finding.ts'
import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { RelatedState, Relations } from '../model/relations.ts'
import { changedField, type RelatedKind, relationsOf } from '../plan/relations.ts'
import { lintFinding, undeclaredMessage } from './lint-finding.ts'

/** The place of a new finding: where a change of the declared WLAN brings it in; undefined where its change does not. */
export type RelationPlaces = (
  declared: FleetMember,
  fields: readonly Pointer[]
) => Location | undefined

/** A finding of a rule about WLANs of a kind. */
interface FoundRelation extends RelatedKind {
  readonly found: RuleFinding
}

/** The findings of rules about relations across sites: one for all WLANs that have the same message and place. */
export function relationFindings(
  relations: readonly FoundRelation[],
  { strict }: Pick<LintPolicy, 'strict'>,
  placeOf: RelationPlaces
): Finding[] {
  const placed = relations.flatMap(({ found, kind, sites }) => {
    if (kind.excluded) return []
    const waived = kind.waived?.[found.rule]
    const { owner } = kind
    const message = kind.undeclared ? undeclaredMessage(found, kind.wlan) : found.message
    return sites.map(site => {
      const address = kind.undeclared ? site : `${site}/${kind.wlan}`
      const isPlaced = !found.existing && !kind.undeclared
      const place = isPlaced ? placeOf({ site, wlan: kind.wlan }, found.fields) : undefined
      return { address, found, message, owner, waived, place }
    })
  })
  const groups = groupBy(placed, ({ found, message, owner, waived, place }) =>
    JSON.stringify([found.rule, found.existing, message, owner, waived, place])
  )
  return [...groups.values()].flatMap(same => {
    const [first] = same
    if (first === undefined) return []
    const addresses = same.map(({ address }) => address)
    return lintFinding(first, first.place, addresses, { strict })
  })
}

/** Checks the rules about relations across sites over the WLANs of all parts of a fleet. */
export function checkRelations(
  { levels, strict }: Pick<Relations, 'levels' | 'strict'>,
  kinds: readonly RelatedKind[],
  changes: readonly Change[]
): Finding[] {
  const byAddress = new Map(changes.map(change => [change.address, change]))
  const groups = kinds.map(each => ({ ...groupOf(each), ...each }))
  const policy: LintPolicy = { level: 'info', rules: levels, strict: strict === true }
  const found = lintRelations(groups, policy).map(({ group, found }) => ({ ...group, found }))
  return relationFindings(found, policy, ({ site, wlan }, fields) => {
    const change = byAddress.get(`${site}/${wlan}`)
    const path = change && changedField(change.patch, fields)
    return path === undefined ? undefined : (change?.places?.[path] ?? change?.origin)
  })
}

function groupOf({ kind, sites, count }: RelatedKind): FleetGroup {
  const { state, after = state, before = state, key_reference: keyReference } = kind
  const [firstSite = ''] = [...sites].sort(byCodeUnit)
  return {
    after: after && factsFrom(after),
    before: before && factsFrom(before),
    keyReference,
    count,
    firstSite
  }
}

function factsFrom({ ssid, ssid_origin, security, security_origin }: RelatedState): FleetFacts {
  return { ssid, ssidOrigin: ssid_origin, security, securityOrigin: security_origin }
}

/** What findings about WLANs depend on, apart from their facts. */
interface RelationSubjects {
  readonly sites: ReadonlyMap<string, RelatedSite>
  readonly waivers: Waivers
}

interface RelatedSite extends Site {
  readonly wlans: readonly Pick<DesiredWlan, 'key' | 'owner' | 'excluded'>[]
}

/** The WLANs of a group by what findings of these rules about them say. */
export function kindsOf(
  group: MemberGroup,
  rules: readonly string[],
  subjects: RelationSubjects
): RelatedKind[] {
  const states = statesOf(group)
  const kinds = groupBy(group.members, each => JSON.stringify(subjectOf(each, rules, subjects)))
  return [...kinds].map(([text, members]) => ({
    kind: { ...states, ...JSON.parse(text) },
    sites: [...new Set(members.map(({ site }) => site))],
    count: members.length
  }))
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
    ...compact({ excluded: wlan?.excluded, owner: wlan?.owner }),
    ...(waived.length > 0 && { waived: Object.fromEntries(waived) })
  }
}

/** The members of a kind that come from the facts about its WLANs. */
function statesOf({
  after,
  before,
  keyReference
}: FleetGroup): Pick<RelatedKind['kind'], 'state' | 'before' | 'after' | 'key_reference'> {
  const key = compact({ key_reference: keyReference })
  if (after === before) return { ...compact({ state: after && stateFrom(after) }), ...key }
  return {
    ...compact({ before: before && stateFrom(before), after: after && stateFrom(after) }),
    ...key
  }
}

function stateFrom({ ssid, ssidOrigin, security, securityOrigin }: FleetFacts): RelatedState {
  return {
    ssid,
    ssid_origin: ssidOrigin,
    ...compact({ security }),
    security_origin: securityOrigin
  }
}

/** What the plan of a part says about its WLANs, for `merge`. */
export function relationsByPolicy(policy: LintPolicy, kinds: readonly RelatedKind[]): Relations {
  const strict = policy.strict ? ({ strict: true } as const) : {}
  return relationsOf({ levels: relationLevels(policy), ...strict }, kinds)
}
