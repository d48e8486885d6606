import type { DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import type { Finding } from '../../core/model/finding.ts'
import { quote } from '../../core/values/text.ts'
import type { DeclaredPolicy } from '../policy/policy.ts'
import type { FleetSite } from '../sites.ts'
import { givenPath } from '../tests/given.ts'
import { memberNode, type Node, sameNode, textOf } from '../yaml/tree.ts'
import type { Base } from './base.ts'
import { mayIdentifySame, pairWlans } from './pairs.ts'
import { siteKey } from './same.ts'
import { weakenedPolicy } from './weakened-policy.ts'
import { findingOf, type SharedGuard, type Weakening, weakenedAmong } from './weakening.ts'

interface Guards {
  readonly policy: DeclaredPolicy
  /** The `tests` of each file that has some. */
  readonly tests: readonly Node[]
  /** All sites of the files. */
  readonly declared: readonly FleetSite[]
  /** The sites that were compared with the base, with their WLANs. */
  readonly compared: readonly DesiredSite[]
}

/**
 * The guards that the files removed, weakened or changed since the base, each as a finding: those of the whole fleet,
 * whatever the run selects, and those of the compared WLANs. Freezes that ended before `now` guard nothing.
 */
export async function weakenedSince(
  base: Base,
  { policy, tests, declared, compared }: Guards,
  now: Date
): Promise<Finding[]> {
  const { calendar, timezone } = base.policy
  const times = calendar && (await import('./weakened-times.ts'))
  const earlier = new Map(base.sites.map(site => [siteKey(site), site]))
  const sites = declared.flatMap(is => {
    const was = earlier.get(siteKey(is))
    return was === undefined ? [] : [{ is, was }]
  })
  const wlans = wlanPairs(compared, base)
  const weakened = [
    ...(await weakenedPolicy(base.policy, policy, declared)),
    ...(calendar && times ? times.weakenedTimes(calendar, policy.calendar, now) : []),
    ...weakenedTests(base, tests),
    ...(times?.changedTimezones(sites, { is: policy.timezone, was: timezone }) ?? []),
    ...wlanGuards.flatMap(guard => weakenedAmong('WLAN', wlans, guard))
  ]
  return weakened.map(each => findingOf(each, base.name))
}

/** The keys of a test that say what it is about; the others are expectations. */
const SCOPE = ['sites', 'wlans', 'except', 'given', 'at', 'against']

/** By name, as rules: of a changed key it is unknown whether it is weaker. More expectations and fewer exceptions are not. */
function weakenedTests({ tests, changedGiven }: Base, is: readonly Node[]): Weakening[] {
  const [earlier = [], now = []] = [tests, is].map(lists =>
    lists.flatMap(list => (list.kind === 'list' ? list.items : []))
  )
  const nameOf = (node: Node) => textOf(memberNode(node, 'name'))
  const byName = new Map(now.map(node => [nameOf(node), node]))
  return earlier.flatMap((before): Weakening[] => {
    const test = `the test ${quote(nameOf(before) ?? '')}`
    const after = byName.get(nameOf(before))
    if (after === undefined) return [{ what: `${test} removed`, now: after, before }]
    const keys = new Set([...(before.kind === 'map' ? before.entries.keys() : []), ...SCOPE])
    const changed = [...keys].filter(key => {
      const value = memberNode(after, key)
      const isStricter = key === 'except' && value === undefined
      return !isStricter && !sameNode(memberNode(before, key), value)
    })
    const given = memberNode(before, 'given')
    const path = given && givenPath(given)
    if (path !== undefined && changedGiven.has(path)) changed.push(path)
    const parts = changed.map(each => `\`${each}\` changed`).join(', ')
    return changed.length === 0 ? [] : [{ what: `${test}: ${parts}`, now: after, before }]
  })
}

/**
 * A WLAN at the base, and its declaration now. A protected WLAN that is no longer declared has lost its protection, too:
 * another declaration may identify it by its id, and declare it again without.
 */
interface WlanPair {
  readonly is: DesiredWlan | undefined
  readonly was: DesiredWlan
}

function wlanPairs(sites: readonly DesiredSite[], { before }: Base): WlanPair[] {
  return sites.flatMap(site => {
    const earlier = before?.get(siteKey(site))
    if (earlier === undefined) return []
    const { declared, removed } = pairWlans(site.wlans, earlier.wlans)
    return [
      ...[...declared].flatMap(([is, was]) => (was === undefined ? [] : [{ is, was }])),
      ...removed.map(was => ({ is: undefined, was }))
    ]
  })
}

const ofPair = {
  text: ({ is, was }: WlanPair) => (is ?? was).address,
  now: ({ is }: WlanPair) => is && { place: is.place },
  before: ({ was }: WlanPair) => ({ place: was.place })
}

const wlanGuards: readonly SharedGuard<WlanPair>[] = [
  {
    ...ofPair,
    title: wlans => `\`$protect\` of ${wlans} removed`,
    isWeaker: ({ is, was }) => was.protect === true && !(is?.protect && mayIdentifySame(is, was))
  }
]
