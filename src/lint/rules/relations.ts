import { groupBy } from '../../model/collections.ts'
import { plural, quote } from '../../model/text.ts'
import { isObject } from '../../model/value.ts'
import { isBridgedLocally, isForGuests, isOnBand, rateBands } from '../conditions.ts'
import { foldCase, skeletonOf } from '../confusables.ts'
import { vlanRange } from '../formats.ts'
import type {
  FleetRule,
  FleetViolation,
  FleetWlans,
  SiteRule,
  SiteViolation,
  SiteWlan
} from '../rule.ts'
import { holdsVariable } from '../service-variables.ts'
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

/** Further ranges of a WLAN are not looked at: each may hold all VLANs. */
const MOST_RANGES = 100

/** The entries, and each VLAN of those that are ranges. */
function withRanges(entries: readonly string[]): readonly string[] {
  const ranges = entries.flatMap(entry => {
    const range = vlanRange(entry)
    return range === undefined ? [] : [range]
  })
  if (ranges.length === 0) return entries
  const vlans = new Set(entries)
  for (const [first, last] of ranges.slice(0, MOST_RANGES)) {
    for (let id = first; id <= Math.min(last, 4094); id++) vlans.add(String(id))
  }
  return [...vlans]
}

/** Rules that compare all WLANs of a fleet. */
export const fleetRules: readonly FleetRule[] = [
  {
    // Only the files contain references of keys, so a different reference counts as existing.
    id: 'same-ssid-other-security',
    severity: 'warning',
    view: 'F',
    fields: ['/ssid', '/auth/type', '/auth/pairwise', '/auth/owe', '/auth/psk'],
    message: 'this SSID has other security than at most places',
    why: 'devices keep one profile for an SSID, and fail or fall back where it differs',
    condition:
      'an SSID has more than one combination of `auth.type`, `pairwise` and `owe` across the fleet, and this WLAN is in the minority; or more than half of its WLANs share the reference of their key, and this one has another. The keys themselves are not compared: they are secrets, which no plan may hold for `merge`',
    advice:
      'make the security the same, or use another SSID; during a migration waive it with an end date',
    source: 'knowledge; AUDIT, drift (others)',
    falseAlarms: 'medium during a migration',
    check: wlans =>
      [...groupBy(wlans, ({ facts }) => facts.ssid)].flatMap(([ssid, group]) =>
        group.length < 2 ? [] : [...securityMinority(ssid, group), ...keyMinority(ssid, group)]
      )
  },
  {
    id: 'ssid-lookalike',
    severity: 'warning',
    view: 'F',
    fields: ['/ssid'],
    message: 'the SSID looks like another one',
    why: 'devices compare bytes: people pick the wrong network, and devices do not roam',
    condition:
      'two SSIDs differ only in case, in blanks, or in letters that look alike, and this one is rarer; or an SSID begins or ends with a blank',
    advice: 'use one spelling of the SSID',
    source: 'knowledge',
    falseAlarms: 'low',
    check: wlans => [...lookalikes(wlans), ...wlans.flatMap(outerBlank)]
  }
]

/** The WLANs outside of the largest group; of several largest groups, the first one counts. */
function securityMinority(ssid: string, group: readonly FleetWlans[]): FleetViolation[] {
  const known = group.filter(({ facts }) => facts.security !== undefined)
  const groups = [...groupBy(known, ({ facts }) => facts.security ?? '')]
  if (groups.length < 2) return []
  const [common, majority] = largest(groups)
  const at = plural(countOf(majority), 'other place')
  return groups
    .filter(([security]) => security !== common)
    .flatMap(([security, minority]) =>
      minority.map(wlans => ({
        wlans,
        message: `${quote(ssid)} is ${security} (${wlans.facts.securityOrigin}), and ${common} at ${at}`,
        subject: 'security'
      }))
    )
}

function keyMinority(ssid: string, group: readonly FleetWlans[]): FleetViolation[] {
  const known = group.filter(({ keyReference }) => keyReference !== undefined)
  const groups = [...groupBy(known, ({ keyReference }) => keyReference ?? '')]
  if (groups.length < 2) return []
  const [common, majority] = largest(groups)
  const count = countOf(majority)
  if (count * 2 <= countOf(known)) return []
  return known
    .filter(({ keyReference }) => keyReference !== common)
    .map(wlans => ({
      wlans,
      message: `${quote(ssid)} takes its key from another reference (declared) than ${plural(count, 'other place')}`,
      subject: 'key'
    }))
}

type Groups = readonly (readonly [string, readonly FleetWlans[]])[]

/** The first of the largest groups. */
function largest(groups: Groups): Groups[number] {
  const counts = groups.map(([, wlans]) => countOf(wlans))
  const most = counts.reduce((a, b) => Math.max(a, b), 0)
  return groups[counts.indexOf(most)] ?? ['', []]
}

function countOf(wlans: readonly FleetWlans[]): number {
  return wlans.reduce((sum, { count }) => sum + count, 0)
}

/**
 * The WLANs with a rarer spelling of an SSID: SSIDs are compared without case and spaces, and by the glyphs
 * of their letters.
 */
function lookalikes(wlans: readonly FleetWlans[]): FleetViolation[] {
  const bySsid = [...groupBy(wlans, each => each.facts.ssid)]
  const found = new Map<string, string>()
  for (const form of [foldCase, skeletonOf]) {
    for (const spellings of groupBy(bySsid, ([ssid]) => form(ssid)).values()) {
      if (spellings.length < 2) continue
      const [usual] = largest(spellings)
      for (const [ssid] of spellings) if (ssid !== usual) found.set(ssid, usual)
    }
  }
  return bySsid.flatMap(([ssid, group]) => {
    const usual = found.get(ssid)
    if (usual === undefined) return []
    return group.map(each => {
      const message = `the SSID ${quote(ssid)} (${each.facts.ssidOrigin}) looks like ${quote(usual)}`
      return { wlans: each, message, subject: usual }
    })
  })
}

function outerBlank(wlans: FleetWlans): readonly FleetViolation[] {
  const { ssid, ssidOrigin } = wlans.facts
  if (ssid.trim() === ssid) return []
  const message = `the SSID ${quote(ssid)} (${ssidOrigin}) begins or ends with a blank`
  return [{ wlans, message, subject: 'blank' }]
}
