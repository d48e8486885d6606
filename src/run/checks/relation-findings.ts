import { type FleetMember, refusingFleetRules } from '../../core/lint/fleet.ts'
import type { RuleFinding } from '../../core/lint/rule-finding.ts'
import type { LintPolicy } from '../../core/model/desired.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { ChangePlaces } from '../../core/plan/change-places.ts'
import { groupBy } from '../../core/values/collections.ts'
import type { Waivers } from '../../fleet/policy/waivers.ts'
import { lintFinding, type SubjectSite, undeclaredMessage } from './lint-findings.ts'

interface FoundRelation {
  readonly found: RuleFinding
  /** The WLANs that it is about. */
  readonly members: readonly FleetMember[]
  /** One of the other WLANs of the relation. */
  readonly other: FleetMember | undefined
}

/** The declarations and waivers that findings depend on, apart from the facts about WLANs. */
interface RelationSubjects {
  readonly sites: ReadonlyMap<string, SubjectSite>
  readonly waivers: Waivers
  readonly placeOf: ChangePlaces
}

/** The findings of the rules that compare sites, one for all WLANs with the same message and place. */
export function relationFindings(
  relations: readonly FoundRelation[],
  { strict }: Pick<LintPolicy, 'strict'>,
  { sites, waivers, placeOf }: RelationSubjects
): Finding[] {
  const placed = relations.flatMap(({ found, members, other }) =>
    members.flatMap(member => {
      const { site: name, wlan: key } = member
      const site = sites.get(name)
      const declared = site?.wlans.find(wlan => wlan.key === key)
      if (declared?.excluded) return []
      const waived = site && waivers.covering(found.rule, () => ({ site, wlan: key }))
      const message = declared === undefined ? undeclaredMessage(found, key) : found.message
      const address = declared === undefined ? name : `${name}/${key}`
      const isPlaced = !found.existing && declared !== undefined
      const place = isPlaced ? placeOf(member, found.fields) : undefined
      return [{ address, found, message, waived, place, other }]
    })
  )
  const groups = groupBy(placed, ({ found, message, waived, place }) =>
    JSON.stringify([found.rule, found.existing, message, waived, place])
  )
  return [...groups.values()].map(same => {
    const [first] = same
    const addresses = [...new Set(same.map(({ address }) => address))]
    const { found, place, other } = first
    const ofOther = place && other && placeOf(other, found.fields)
    const lines = { place, related: ofOther === undefined ? [] : [ofOther] }
    return lintFinding(first, lines, addresses, { strict })
  })
}

/** The options that leave sites of the fleet out of a run. */
interface NarrowingOptions {
  readonly site: readonly string[]
  readonly excludeSite?: readonly string[]
  readonly changedSince?: unknown
  readonly shard?: unknown
}

/** A warning where a rule of level error compares all sites, and the options leave some of them out. */
export function uncheckedSites(
  policy: LintPolicy,
  { site, excludeSite = [], changedSince, shard }: NarrowingOptions
): Finding[] {
  const narrowedBy = [
    ...(site.length > 0 ? ['--site'] : []),
    ...(excludeSite.length > 0 ? ['--exclude-site'] : []),
    ...(changedSince === undefined ? [] : ['--changed-since']),
    ...(shard === undefined ? [] : ['--shard'])
  ]
  const rules = refusingFleetRules(policy)
  if (rules.length === 0 || narrowedBy.length === 0) return []
  return [finding('RELATIONS_NOT_CHECKED', {}, rules, narrowedBy)]
}
