import { byCodeUnit } from '../model/collections.ts'
import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { sameId } from '../model/names.ts'
import { member } from '../model/value.ts'
import { nearest } from '../schema/nearest.ts'

/** The live WLAN a declaration means, or why there is none to speak of. */
export type Match =
  | { readonly live: LiveWlan }
  | {
      readonly finding: Finding
      /** The live WLAN that several declarations mean. */
      readonly contested?: LiveWlan
    }

/**
 * Finds the live WLAN of each declaration of a site.
 *
 * | the YAML gives            | the live WLAN is the one                              |
 * |---------------------------|-------------------------------------------------------|
 * | `id`                      | with that id                                          |
 * | `$match: { ssid: Old }`   | whose SSID is `Old`; if there is none, as below       |
 * | `ssid`                    | whose SSID it is (also after a rename was applied)    |
 *
 * Declarations that meet on one live WLAN are all refused: none of them can be meant more.
 */
export function matchSite(site: DesiredSite, live: LiveSite): Map<DesiredWlan, Match> {
  const matches = new Map(site.wlans.map(wlan => [wlan, matchWlan(wlan, live.wlans)]))
  for (const [contested, claimants] of claims(matches)) {
    if (claimants.length < 2) continue
    for (const wlan of claimants) {
      const others = claimants.filter(other => other !== wlan).map(other => other.address)
      others.sort(byCodeUnit)
      const twice = finding('WLAN_CLAIMED_TWICE', aboutWlan(wlan), contested.id, others)
      matches.set(wlan, { finding: twice, contested })
    }
  }
  return matches
}

/** The live WLANs, each with the declarations that mean it. */
function claims(matches: ReadonlyMap<DesiredWlan, Match>): Map<LiveWlan, DesiredWlan[]> {
  const claimed = new Map<LiveWlan, DesiredWlan[]>()
  for (const [wlan, match] of matches) {
    if (!('live' in match)) continue
    const claimants = claimed.get(match.live)
    if (claimants) claimants.push(wlan)
    else claimed.set(match.live, [wlan])
  }
  return claimed
}

function matchWlan(wlan: DesiredWlan, live: readonly LiveWlan[]): Match {
  const { id, matchSsid } = wlan
  if (id !== undefined) {
    const found = live.find(candidate => sameId(candidate.id, id))
    return found ? { live: found } : notFound(wlan, 'id', [id])
  }
  const ssid = member(wlan.fields, 'ssid')
  const sought = [matchSsid, ssid].filter(text => typeof text === 'string')
  for (const text of sought) {
    const found = live.filter(candidate => candidate.ssid === text)
    if (found.length > 1) return ambiguous(wlan, text, found)
    if (found[0] !== undefined) return { live: found[0] }
  }
  const present = live.map(candidate => candidate.ssid).sort(byCodeUnit)
  return notFound(wlan, 'SSID', sought, nearest(sought[0] ?? '', present))
}

function notFound(
  wlan: DesiredWlan,
  by: 'id' | 'SSID',
  names: readonly string[],
  suggestion?: string
): Match {
  return { finding: finding('WLAN_NOT_FOUND', aboutWlan(wlan), by, names, suggestion) }
}

function ambiguous(wlan: DesiredWlan, ssid: string, found: readonly LiveWlan[]): Match {
  const ids = found.map(candidate => candidate.id).sort(byCodeUnit)
  return { finding: finding('WLAN_AMBIGUOUS', aboutWlan(wlan), ssid, ids) }
}
