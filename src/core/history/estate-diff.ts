import type { BrokenRule } from '../model/audit.ts'
import type { Site } from '../model/desired.ts'
import type { LiveSite, UnreadSite } from '../model/live.ts'
import { byCodeUnit, sortBy } from '../values/collections.ts'
import { type StateChange, sitesById, stateChanges } from './state-changes.ts'

/** The live WLANs of sites at a time. */
export interface EstateState {
  /** As the user named it. */
  readonly name: string
  /** When the service was read, UTC. */
  readonly created: string
  readonly sites: readonly LiveSite[]
  readonly unread: readonly UnreadSite[]
  /** False for a part of a fleet: a site that it lacks may exist. */
  readonly isWhole: boolean
}

/** What differs between two states, the later one second. */
export interface EstateDiff {
  readonly states: readonly [EstateState, EstateState]
  /** By address. */
  readonly changes: readonly StateChange[]
  /** The number of sites that both states have. */
  readonly compared: number
  /** By name, as the lists that follow. */
  readonly appeared: readonly Site[]
  readonly disappeared: readonly Site[]
  /** The sites whose names differ. */
  readonly renamed: readonly { readonly before: string; readonly after: string }[]
  /** The sites that a state could not read. */
  readonly unread: readonly UnreadSite[]
  /** The rules of the linter, with the sites and WLANs that break them in the later state only. */
  readonly rules: readonly BrokenRule[]
}

/** Compares two states; `equal` is the number of sites that they lack since they are equal. */
export function diffOf(
  before: EstateState,
  after: EstateState,
  equal: number
): Omit<EstateDiff, 'rules'> {
  const [earlier, later] = [sitesById(before.sites), sitesById(after.sites)]
  const unread = sortBy([...before.unread, ...after.unread], ({ site }) => site.name)
  const skipped = new Set(unread.map(({ site }) => site.id.toLowerCase()))
  const isIn = (own: ReadonlyMap<string, LiveSite>, isWhole: boolean, { site }: LiveSite) =>
    own.has(site.id.toLowerCase()) || (isWhole && !skipped.has(site.id.toLowerCase()))
  const was = before.sites.filter(live => isIn(later, after.isWhole, live))
  const is = after.sites.filter(live => isIn(earlier, before.isWhole, live))
  const only = (sites: readonly LiveSite[], others: ReadonlyMap<string, LiveSite>) =>
    sites
      .flatMap(({ site }) => (others.has(site.id.toLowerCase()) ? [] : site))
      .sort((a, b) => byCodeUnit(a.name, b.name))
  const disappeared = only(was, later)
  const renamed = was.flatMap(({ site }) => {
    const name = later.get(site.id.toLowerCase())?.site.name ?? site.name
    return name === site.name ? [] : [{ before: site.name, after: name }]
  })
  return {
    states: [before, after],
    changes: sortBy(stateChanges(was, is), ({ address }) => address),
    compared: equal + was.length - disappeared.length,
    appeared: only(is, earlier),
    disappeared,
    renamed: sortBy(renamed, ({ before: name }) => name),
    unread
  }
}
