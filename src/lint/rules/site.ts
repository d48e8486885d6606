import { plural, quote } from '../../model/text.ts'
import { isBridgedLocally, isForGuests, rateBands } from '../conditions.ts'
import type { SiteRule, SiteViolation, SiteWlan } from '../rule.ts'
import type { WlanView } from '../view.ts'
import { duplicateSsids } from './duplicate-ssids.ts'
import { vlansOf } from './vlans-of.ts'

/** Above this number of networks on a band, beacons take much of the air time. */
const MANY_SSIDS = 4
/** The most networks that a radio of other vendors sends. */
const MOST_SSIDS = 15

/** Rules about the WLANs of a site. A list of WLANs lacks those of templates: they see a part of the site. */
export const siteRules: readonly SiteRule[] = [
  {
    id: 'duplicate-ssid',
    severity: 'warning',
    view: 'S',
    fields: ['/ssid', '/auth/type', '/auth/pairwise', '/vlan_id', '/apply_to'],
    message: 'two networks have the same SSID on the same access points',
    why: 'devices take the one or the other; where security differs, by chance with or without protection',
    condition:
      'two enabled WLANs of a site have the same SSID, certainly share an access point and a band; an error where `auth.type`, `pairwise`, `owe`, the portal or the VLAN differs',
    advice: 'rename one of them, or separate their access points or bands',
    source: 'TWIN `wireless.wlan.duplicate_ssid`, provable overlap only (code)',
    falseAlarms: 'low; WLANs of templates are not in the list of a site',
    check: duplicateSsids
  },
  {
    id: 'guest-shares-vlan',
    severity: 'warning',
    view: 'S',
    fields: ['/auth/type', '/portal/enabled', '/vlan_id', '/vlan_ids'],
    message: 'guests and staff share a VLAN',
    why: 'guests reach what staff reach, unless a firewall separates them',
    condition:
      'a VLAN of a WLAN that is open or has a portal is also one of a WLAN with 802.1X on the site, and both are bridged locally',
    advice: 'give guests a VLAN of their own',
    source: 'MULTI: tag a separate VLAN (others)',
    falseAlarms: 'medium: a firewall may separate roles within a VLAN',
    check: sharedVlans
  },
  {
    // Tags decide at run time which access points send a network, and templates add networks that are in no
    // list of a site: the count is a lower bound.
    id: 'too-many-ssids',
    severity: 'warning',
    view: 'S',
    fields: ['/enabled', '/apply_to', '/bands', '/ap_ids'],
    message: 'too many networks on a band',
    why: 'each network sends beacons at the slowest rate, whether clients use it or not',
    condition:
      'an access point sends more than 4 enabled WLANs on a band; an error above 15; WLANs with tags are not counted',
    advice: 'merge networks, or take some of them off the band',
    source: 'MULTI: no more than 3 SSIDs on an access point; HPE: up to 14, 16 extended (others)',
    falseAlarms: 'medium; networks of templates are not in the list, so the count is a lower bound',
    check: wlans => rateBands.flatMap(band => crowding(wlans, band))
  }
]

function sharedVlans(wlans: readonly SiteWlan[]): SiteViolation[] {
  const staff = new Map<string, SiteWlan>()
  const bridged = wlans.filter(({ view }) => isBridgedLocally(view))
  for (const wlan of bridged) {
    if (!wlan.view.is('/auth/type', 'eap', 'eap192')) continue
    for (const vlan of vlansOf(wlan.view)) if (!staff.has(vlan)) staff.set(vlan, wlan)
  }
  return bridged.flatMap(wlan => {
    if (wlan.view.is('/auth/type', 'eap', 'eap192') || !isForGuests(wlan.view)) return []
    const vlan = vlansOf(wlan.view).find(id => staff.has(id))
    if (vlan === undefined) return []
    const other = staff.get(vlan)?.name ?? ''
    return [{ wlan, message: `guests share VLAN ${vlan} with ${quote(other)}`, subject: vlan }]
  })
}

/** The most crowded access point: networks of the whole site, and those that name the access point. */
function crowding(wlans: readonly SiteWlan[], band: string): SiteViolation[] {
  const perAp = new Map<string, number>()
  let ofSite = 0
  for (const { view } of wlans) {
    if (!view.on('/enabled') || !isSentOn(view, band)) continue
    if (view.is('/apply_to', 'site')) ofSite += 1
    else if (view.is('/apply_to', 'aps')) {
      for (const ap of new Set(view.entries('/ap_ids'))) perAp.set(ap, (perAp.get(ap) ?? 0) + 1)
    }
  }
  let more = 0
  for (const count of perAp.values()) more = Math.max(more, count)
  const count = ofSite + more
  if (count <= MANY_SSIDS) return []
  const where = band === '24' ? '2.4 GHz' : `${band} GHz`
  const message = `${plural(count, 'network')} on ${where}: their beacons take much of the air time`
  const level = count > MOST_SSIDS ? 'error' : 'warning'
  return [{ level, message, subject: band, extent: count }]
}

function isSentOn(view: WlanView, band: string): boolean {
  return view.hasEntry('/bands', entry => entry === band || entry.startsWith(`${band}-`))
}
