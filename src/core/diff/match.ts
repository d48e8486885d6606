import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../model/live.ts'
import type { Pair } from '../model/pairs.ts'
import { nearestRename } from '../schema/nearest.ts'
import { byCodeUnit, groupBy } from '../values/collections.ts'
import { sameId } from '../values/uuid.ts'
import { member } from '../values/value.ts'

export type Match =
  | {
      readonly live: LiveWlan
      /** That of the declared fields and the live record. */
      readonly pair?: Pair | undefined
    }
  | {
      readonly finding: Finding
      readonly contested?: LiveWlan
    }

/**
 * Finds the live WLAN of each declaration of a site.
 *
 * | declared                  | the live WLAN                                         |
 * |---------------------------|-------------------------------------------------------|
 * | `id`                      | has that id                                           |
 * | `$match: { ssid: Old }`   | has the SSID `Old`; if there is none, as below        |
 * | `ssid`                    | has that SSID, e.g. after a rename was applied        |
 *
 * If several declarations match the same live WLAN, all of them are refused: none takes precedence.
 */
export function matchSite(site: DesiredSite, { wlans }: LiveSite): Map<DesiredWlan, Match> {
  const found = site.wlans.map(wlan => ({ wlan, match: matchWlan(wlan, wlans) }))
  const claimed = groupBy(found, ({ match }) => (match && 'live' in match ? match.live : undefined))
  let candidates: readonly string[] | undefined
  const matchOf = (wlan: DesiredWlan, match: Match | undefined): Match => {
    if (match === undefined) {
      candidates ??= renameCandidates(claimed, wlans)
      return notFound(wlan, wlans, candidates)
    }
    if (!('live' in match)) return match
    const { live } = match
    const others = (claimed.get(live) ?? []).flatMap(each =>
      each.wlan === wlan ? [] : each.wlan.address
    )
    if (others.length === 0) return match
    const where = aboutWlan(wlan)
    const twice = finding('WLAN_CLAIMED_TWICE', where, live.id, others.sort(byCodeUnit))
    return { finding: twice, contested: live }
  }
  return new Map(found.map(({ wlan, match }) => [wlan, matchOf(wlan, match)]))
}

/** The live WLANs that no declaration of the site matches; contested ones count as matched. */
export function undeclaredWlans(
  matches: ReadonlyMap<DesiredWlan, Match>,
  { wlans }: LiveSite
): LiveWlan[] {
  const claimed = new Set(
    [...matches.values()].map(match => ('live' in match ? match.live : match.contested))
  )
  return wlans.filter(wlan => !claimed.has(wlan))
}

function matchWlan(wlan: DesiredWlan, live: readonly LiveWlan[]): Match | undefined {
  const { id } = wlan
  if (id !== undefined) {
    const found = live.find(candidate => sameId(candidate.id, id))
    return found && { live: found }
  }
  for (const text of soughtSsids(wlan)) {
    const found = live.filter(candidate => candidate.ssid === text)
    if (found.length > 1) return ambiguous(wlan, text, found)
    if (found[0] !== undefined) return { live: found[0] }
  }
  return undefined
}

/** The SSIDs of undeclared live WLANs of the site, without those that occur more than once. */
function renameCandidates(
  claimed: ReadonlyMap<LiveWlan | undefined, unknown>,
  live: readonly LiveWlan[]
): string[] {
  const bySsid = groupBy(live, ({ ssid }) => ssid)
  return live
    .filter(wlan => !claimed.has(wlan) && !isInherited(wlan.record))
    .map(({ ssid }) => ssid)
    .filter(ssid => ssid !== '' && bySsid.get(ssid)?.length === 1)
    .sort(byCodeUnit)
}

/** The finding for a missing WLAN. It suggests the closest candidate, unless the id of the WLAN is declared. */
function notFound(
  wlan: DesiredWlan,
  live: readonly LiveWlan[],
  candidates: readonly string[]
): Match {
  const isEmptyList = live.length === 0
  const { id, fields } = wlan
  const { ssid } = fields
  const where = { ...aboutWlan(wlan), ...(typeof ssid === 'string' && { ssid }) }
  if (id !== undefined)
    return { finding: finding('WLAN_NOT_FOUND', where, 'id', [id], { isEmptyList }) }
  const names = soughtSsids(wlan)
  const near = nearestRename(names[0] ?? '', candidates)
  const about = near?.isLikely ? { ...where, near: near.name } : where
  return { finding: finding('WLAN_NOT_FOUND', about, 'SSID', names, { isEmptyList, near }) }
}

/** The SSIDs that identify the live WLAN, starting with that of `$match`. */
export function soughtSsids({ matchSsid, fields }: DesiredWlan): string[] {
  return [matchSsid, member(fields, 'ssid')].filter(text => typeof text === 'string')
}

function ambiguous(wlan: DesiredWlan, ssid: string, found: readonly LiveWlan[]): Match {
  const ids = found.map(candidate => candidate.id).sort(byCodeUnit)
  return { finding: finding('WLAN_AMBIGUOUS', aboutWlan(wlan), ssid, ids) }
}
