import { wrongInput } from '../model/failure.ts'
import { type Finding, finding, type Location } from '../model/finding.ts'
import type { PatchOperation, Plan } from '../model/plan.ts'
import { MAX_RELATED, type RelatedWlans, type Relations } from '../model/relations.ts'
import { byCodeUnit, compact, groupBy, sortBy } from '../values/collections.ts'
import { overlap, type Pointer } from '../values/pointer.ts'

/** WLANs of a kind. */
export interface RelatedKind {
  readonly kind: Omit<RelatedWlans, 'sites' | 'count'>
  /** The names of their sites, in any order. */
  readonly sites: readonly string[]
  /** The number of WLANs. */
  readonly count: number
}

/** Describes WLANs by their kinds and merges equal kinds. The same WLANs always produce the same bytes. */
export function relationsOf(
  { levels, strict }: Pick<Relations, 'levels' | 'strict'>,
  kinds: readonly RelatedKind[]
): Relations {
  const policy = { levels, ...compact({ strict }) }
  const byKind = groupBy(kinds, ({ kind }) => JSON.stringify(kind))
  if (byKind.size > MAX_RELATED) return { ...policy, sites: [] }
  const sites = [...new Set(kinds.flatMap(each => each.sites))].sort(byCodeUnit)
  const positions = new Map(sites.map((site, at) => [site, at]))
  const wlans = sortBy(byKind, ([key]) => key).map(([, same]) => {
    const [first] = same
    const at = new Set(same.flatMap(each => each.sites.map(site => positions.get(site) ?? 0)))
    const count = same.reduce((sum, each) => sum + each.count, 0)
    const several = count === at.size ? {} : { count }
    return { ...first.kind, ...several, sites: formatPositions([...at]) }
  })
  return { ...policy, sites, wlans }
}

/**
 * The kinds of WLANs in the relations of a file; undefined if they are not listed. Throws a `Failure` (exit 3) if a
 * position has no site. `name` is the name of the file, for messages.
 */
export function kindsIn({ sites, wlans }: Relations, name: string): RelatedKind[] | undefined {
  return wlans?.map(({ sites: text, count, ...kind }) => {
    const positions = parsePositions(text, sites.length)
    if (positions === undefined || (count ?? positions.length) < positions.length) {
      throw wrongInput(
        `${name}: invalid sites in /relations`,
        'the file was damaged or edited: plan again'
      )
    }
    const names = positions.map(at => sites[at] ?? '')
    return { kind, sites: names, count: count ?? names.length }
  })
}

/** Numbers as ascending ranges: `0-3,7`. */
function formatPositions(positions: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const at of [...positions].sort((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range !== undefined && range[1] + 1 === at) range[1] = at
    else ranges.push([at, at])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** Parses ascending ranges; undefined if a number is not below the limit, or not above the previous ones. */
function parsePositions(text: string, limit: number): number[] | undefined {
  const positions: number[] = []
  let next = 0
  for (const range of text.split(',')) {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    if (!(first >= next && last >= first && last < limit)) return undefined
    for (let at = first; at <= last; at += 1) positions.push(at)
    next = last + 1
  }
  return positions
}

/** Returns the place of the change that causes a new finding on a declared WLAN; undefined if its change does not. */
export type RelationPlaces = (
  declared: { readonly site: string; readonly wlan: string },
  fields: readonly Pointer[]
) => Location | undefined

/** The path of the patch operation that changes the first of the fields, or `enabled`. */
export function changedField(
  patch: readonly PatchOperation[],
  fields: readonly Pointer[]
): Pointer | undefined {
  const paths = patch.flatMap(({ op, path }) => (op === 'test' ? [] : path))
  for (const field of [...fields, '/enabled']) {
    const path = paths.find(each => overlap(each, field))
    if (path !== undefined) return path
  }
  return undefined
}

/** The rules that compare sites and refuse a run. */
export function refusingRules({ levels }: Pick<Relations, 'levels'>): string[] {
  return Object.keys(levels).filter(rule => levels[rule] === 'error')
}

/**
 * The warning that `apply` refuses the changes of a shard because rules of level error compare all sites; none
 * without such a rule.
 */
export function uncheckedRelations({
  shard,
  relations,
  changes
}: Pick<Plan, 'shard' | 'relations' | 'changes'>): Finding[] {
  if (shard === undefined || relations === undefined || changes.length === 0) return []
  const rules = refusingRules(relations)
  return rules.length === 0 ? [] : [finding('RELATIONS_NOT_CHECKED', {}, rules, { shard })]
}

/** The finding about rules that cannot be evaluated over merged parts; an error if one of them can refuse a run. */
export function uncheckedParts(relations: Relations): Finding[] {
  const { levels } = relations
  const rules = Object.keys(levels).filter(rule => levels[rule] !== 'off')
  const level = refusingRules(relations).length > 0 ? 'error' : 'warning'
  return rules.length === 0
    ? []
    : [finding('RELATIONS_TOO_MANY', {}, { rules, limit: MAX_RELATED, level })]
}
