import { groupBy } from '../../model/collections.ts'
import { plural, quote } from '../../model/text.ts'
import { isObject } from '../../model/value.ts'
import { isBridgedLocally, isForGuests, isOnBand, rateBands } from '../conditions.ts'
import { holdsVariable, vlanRange } from '../formats.ts'
import type { SiteRule, SiteViolation, SiteWlan } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Above this number of SSIDs on a band, beacons take a large part of the airtime. */
const MANY_SSIDS = 4
/** The maximum number of SSIDs per radio, according to other vendors. */
const MAX_SSIDS = 15

/**
 * Rules about the WLANs of a site. The list of a site lacks the WLANs of templates, so these rules see a
 * part of the site.
 */
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
    // A lower bound: tags decide at run time which access points broadcast a network, and templates add
    // networks that no list of a site contains.
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

/**
 * The access point with the most SSIDs: the networks of the whole site, and those assigned to the access
 * point.
 */
function crowding(wlans: readonly SiteWlan[], band: string): SiteViolation[] {
  const perAp = new Map<string, number>()
  let ofSite = 0
  for (const { view } of wlans) {
    if (!view.on('/enabled') || !view.hasEntry('/bands', isOnBand(band))) continue
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
  const level = count > MAX_SSIDS ? 'error' : 'warning'
  return [{ level, message, subject: band, extent: count }]
}

/** One of several WLANs with the same SSID. */
interface Namesake {
  readonly wlan: SiteWlan
  /** The known parts of the security settings; undefined for an unknown part. */
  readonly security: readonly (string | undefined)[]
}

/** Two earlier WLANs in one place: the first, and the first whose security is known to differ from it. */
interface Earlier {
  readonly first: Namesake
  other?: Namesake
}

/**
 * The WLANs that share SSID, access point and band with an earlier WLAN of the site. The time is linear in
 * the number of WLANs and access points, because each place stores at most two WLANs.
 */
function duplicateSsids(wlans: readonly SiteWlan[]): SiteViolation[] {
  const named = wlans.filter(({ view }) => view.on('/enabled') && view.text('/ssid') !== undefined)
  const groups = groupBy(named, ({ view }) => view.text('/ssid') ?? '')
  return [...groups.values()].flatMap(group => (group.length < 2 ? [] : duplicatesIn(group)))
}

function duplicatesIn(group: readonly SiteWlan[]): SiteViolation[] {
  const places = new Map<string, Earlier>()
  return group.flatMap(wlan => {
    const namesake = { wlan, security: securityOf(wlan.view) }
    const { meets, fills } = placesOf(wlan.view)
    const earlier = meets.flatMap(place => places.get(place) ?? [])
    for (const place of fills) remember(places, place, namesake)
    const all = earlier.flatMap(({ first, other }) =>
      other === undefined ? [first] : [first, other]
    )
    const differing = all.find(other => differs(namesake, other))
    const found = differing ?? all[0]
    return found === undefined ? [] : [violationOf(namesake, found, differing !== undefined)]
  })
}

function violationOf({ wlan }: Namesake, other: Namesake, differ: boolean): SiteViolation {
  const message = `${quote(wlan.view.text('/ssid') ?? '')} is also the SSID of ${quote(other.wlan.name)} on the same access points`
  const subject = String(other.wlan.index)
  if (!differ) return { wlan, message, subject }
  return { wlan, level: 'error', message: `${message}, with different security or VLAN`, subject }
}

/**
 * The places in which a WLAN is known to overlap with earlier ones, and those that it occupies. A place is
 * a band of the whole site (`5 site`), of any access point in a list (`5 any`), or of one access point.
 */
function placesOf(view: WlanView): { meets: readonly string[]; fills: readonly string[] } {
  const bands = rateBands.filter(band => view.hasEntry('/bands', isOnBand(band)))
  const at = (names: readonly string[]) =>
    bands.flatMap(band => names.map(name => `${band} ${name}`))
  if (view.is('/apply_to', 'site')) return { meets: at(['site', 'any']), fills: at(['site']) }
  const aps = view.is('/apply_to', 'aps') ? (view.entries('/ap_ids') ?? []) : []
  if (aps.length === 0) return { meets: [], fills: [] }
  return { meets: at(['site', ...aps]), fills: at(['any', ...aps]) }
}

function remember(places: Map<string, Earlier>, place: string, namesake: Namesake): void {
  const earlier = places.get(place)
  if (earlier === undefined) places.set(place, { first: namesake })
  else if (earlier.other === undefined && differs(earlier.first, namesake)) earlier.other = namesake
}

/** True if a part of the security settings is known of both and differs. */
function differs(a: Namesake, b: Namesake): boolean {
  return a.security.some((part, place) => {
    const other = b.security[place]
    return part !== undefined && other !== undefined && part !== other
  })
}

function securityOf(view: WlanView): readonly (string | undefined)[] {
  const isTagged = view.value('/vlan_enabled')
  return [
    view.text('/auth/type'),
    [...(view.entries('/auth/pairwise') ?? [])].sort().join(' ') || undefined,
    view.text('/auth/owe'),
    textOf(view.value('/portal/enabled')),
    isTagged === true ? textOf(view.value('/vlan_id')) : textOf(isTagged)
  ]
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** The known VLANs that clients of a WLAN may be in, as strings; empty for an untagged WLAN. */
function vlansOf(wlan: WlanView): string[] {
  if (!wlan.on('/vlan_enabled')) return []
  const fixed = wlan.number('/vlan_id')
  const dynamic = wlan.value('/dynamic_vlan/vlans')
  const lists = wlan.on('/vlan_pooling') ? ['/vlan_ids'] : []
  const isDynamic = wlan.on('/dynamic_vlan/enabled')
  if (isDynamic) lists.push('/dynamic_vlan/default_vlan_ids', '/dynamic_vlan/local_vlan_ids')
  return [
    ...(fixed === undefined ? [] : [String(fixed)]),
    ...withRanges(lists.flatMap(list => wlan.entries(list) ?? [])),
    ...(isDynamic && isObject(dynamic) ? Object.keys(dynamic) : [])
  ].filter(vlan => !holdsVariable(vlan))
}

/** The maximum number of ranges that are expanded for a WLAN, because each may contain all VLANs. */
const MAX_RANGES = 100

/** The entries, and each VLAN of those that are ranges. */
function withRanges(entries: readonly string[]): readonly string[] {
  const ranges = entries.flatMap(entry => {
    const range = vlanRange(entry)
    return range === undefined ? [] : [range]
  })
  if (ranges.length === 0) return entries
  const vlans = new Set(entries)
  for (const [first, last] of ranges.slice(0, MAX_RANGES)) {
    for (let id = first; id <= Math.min(last, 4094); id++) vlans.add(String(id))
  }
  return [...vlans]
}
