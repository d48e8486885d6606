import type { DesiredSite } from '../../core/model/desired.ts'
import type { Finding } from '../../core/model/finding.ts'
import { plural, quote } from '../../core/values/text.ts'
import type { DeclaredPolicy } from '../policy/policy.ts'
import type { FleetSite } from '../sites.ts'
import type { BaseRevision } from './base.ts'
import { siteKey } from './changed.ts'
import { type BaseDeclarations, mayIdentifySame, pairManaged } from './compare.ts'
import { weakenedPolicy } from './weakened-policy.ts'
import { aboutAll, findingOf, type SitePair, type Weakening } from './weakening.ts'

/** The guards of a fleet. */
interface Guards {
  readonly policy: DeclaredPolicy
  readonly sites: readonly FleetSite[]
}

/**
 * The guards of the whole fleet that the files removed, weakened or changed since the base, each as a finding, whatever the
 * run selects. Freezes that ended before `now` guard nothing.
 */
export async function weakenedSince(
  base: BaseRevision,
  { policy, sites }: Guards,
  now: Date
): Promise<Finding[]> {
  const { calendar } = base.policy
  const times = calendar && (await import('./weakened-times.ts'))
  const earlier = new Map(base.sites.map(site => [siteKey(site), site]))
  const pairs = sites.flatMap(is => {
    const was = earlier.get(siteKey(is))
    return was === undefined ? [] : [{ is, was }]
  })
  const usual = { is: policy.timezone, was: base.policy.timezone }
  const weakened = [
    ...(await weakenedPolicy(base.policy, policy, sites)),
    ...(calendar && times ? times.weakenedTimes(calendar, policy.calendar, now) : []),
    ...lowerClients(pairs),
    ...lostOwners(pairs),
    ...(times?.changedTimezones(pairs, usual) ?? [])
  ]
  return weakened.map(each => findingOf(each, base.name))
}

/**
 * As `weakenedSince`, for the protection and the owners of the compared WLANs. A protected WLAN that is no longer declared
 * has lost its protection, too: another declaration may identify it by its id, and declare it again without.
 */
export function weakenedWlans(
  sites: readonly DesiredSite[],
  { base, before }: BaseDeclarations
): Finding[] {
  const pairs = sites.flatMap(site => {
    const candidates = before.get(siteKey(site))
    if (candidates === undefined) return []
    const hasOwner = site.owner !== undefined || candidates.owner === undefined
    const { declared, removed } = pairManaged(site.wlans, candidates.wlans, () => false)
    return [
      ...[...declared].flatMap(([is, was]) => (was === undefined ? [] : [{ is, was, hasOwner }])),
      ...removed.map(was => ({ is: undefined, was, hasOwner }))
    ]
  })
  const unprotected = pairs.filter(
    ({ is, was }) => was.protect && !(is?.protect && mayIdentifySame(is, was))
  )
  const ownerless = pairs.filter(
    ({ is, was, hasOwner }) => hasOwner && was.owner && is !== undefined && !is.owner
  )
  const removed = (guard: string, those: typeof pairs) =>
    aboutAll(`${guard} of ${plural(those.length, 'WLAN')} removed`, those, ({ is, was }) => ({
      text: (is ?? was).address,
      now: is && { place: is.place },
      before: { place: was.place }
    }))
  return [...removed('`$protect`', unprotected), ...removed('the owner', ownerless)].map(each =>
    findingOf(each, base.name)
  )
}

function lowerClients(pairs: readonly SitePair[]): Weakening[] {
  const lower = pairs.filter(({ is, was }) => (is.clients ?? -1) < (was.clients ?? -1))
  return aboutAll(
    `\`clients\` of ${plural(lower.length, 'site')} lowered`,
    lower,
    ({ is, was }) => ({
      text: `${quote(is.name)} ${was.clients} → ${is.clients ?? 'none'}`,
      now: is.declaredAt('clients')
    })
  )
}

function lostOwners(pairs: readonly SitePair[]): Weakening[] {
  const lost = pairs.filter(({ is, was }) => was.owner !== undefined && is.owner === undefined)
  return aboutAll(`the owner of ${plural(lost.length, 'site')} removed`, lost, ({ is, was }) => ({
    text: `${quote(is.name)} ${quote(was.owner ?? '')}`,
    now: is.declaredAt()
  }))
}
