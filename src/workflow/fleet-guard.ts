import type { Undo } from '../apply/record/undo.ts'
import { byCodeUnit } from '../model/collections.ts'
import type { DesiredSite, Policy } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import type { Finding } from '../model/finding.ts'
import type { LiveSite } from '../model/live.ts'
import type { WlanPlan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { matchSite } from '../plan/match.ts'
import type { PlannedSite } from '../plan/plan.ts'
import type { Fleet } from './load-desired.ts'
import { newlyBroken } from './rules.ts'

/** A message lists at most this many sites, and counts the others. */
const MAX_NAMES = 5

/** Throws (exit 4) if the record names sites that the fleet does not declare. */
export function refuseUndeclaredSites(
  undos: readonly Undo[],
  { desired }: Fleet,
  file: string
): void {
  const declared = new Set(desired.sites.map(({ id }) => id.toLowerCase()))
  const undeclared = undos.filter(({ site }) => !declared.has(site.id.toLowerCase()))
  const names = [...new Set(undeclared.map(({ site }) => `${site.name} (${site.id})`))]
  if (names.length === 0) return
  const shown = names.sort(byCodeUnit).slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  throw new Failure(
    exit.refused,
    `refused: ${file} names ${plural(names.length, 'site')} that the fleet does not declare: ${shown}${more}; nothing was sent`,
    'name the fleet that declares them, narrow the run with --site, or give --without-fleet'
  )
}

/**
 * The policy of the fleet, restricted to a run that covers only the WLANs of a record, and of these only the
 * fields that it restores.
 */
export function policyOfRevert({ desired }: Fleet): Policy {
  return { ...desired.policy, unmanaged: 'ignore', unwatched: 'ignore' }
}

/**
 * Applies the policy of the fleet to the plan of a site: marks the protected WLANs, and adds a finding for
 * each rule that a change newly breaks.
 */
export function guardSite(
  planned: PlannedSite,
  live: LiveSite,
  { desired }: Fleet,
  findings: Finding[]
): PlannedSite {
  const id = live.site.id.toLowerCase()
  const site = desired.sites.find(each => each.id.toLowerCase() === id)
  const protectedIds = site === undefined ? new Set<string>() : protectedIn(site, live)
  const guard = (wlan: WlanPlan): WlanPlan => {
    if (wlan.status !== 'changed') return wlan
    const { rules } = desired
    if (rules !== undefined) findings.push(...newlyBroken(wlan, rules, site ?? live.site))
    if (!protectedIds.has(wlan.live.id.toLowerCase())) return wlan
    return { ...wlan, desired: { ...wlan.desired, protect: true } }
  }
  return { ...planned, wlanPlans: planned.wlanPlans.map(guard) }
}

/** The live WLANs that the fleet protects, by id in lower case. */
function protectedIn(site: DesiredSite, live: LiveSite): Set<string> {
  const matches = [...matchSite(site, live)].filter(([{ protect }]) => protect)
  return new Set(
    matches.flatMap(([, match]) => {
      const wlan = 'live' in match ? match.live : match.contested
      return wlan === undefined ? [] : wlan.id.toLowerCase()
    })
  )
}
