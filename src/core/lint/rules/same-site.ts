import { vlansOf } from '../../schema/vlans.ts'
import { groupBy } from '../../values/collections.ts'
import { fieldNames, type Pointer } from '../../values/pointer.ts'
import { plural, quote } from '../../values/text.ts'
import { type Value, valueText } from '../../values/value.ts'
import { holdsVariable } from '../formats.ts'
import type { SiteCheck, SiteViolation, SiteWlan } from '../rule.ts'
import type { WlanView } from '../view.ts'
import { isOnBand, parseWhen, rateBands } from '../when.ts'

/** Above this number of SSIDs on a band, beacons take a large part of the airtime. */
const MANY_SSIDS = 4
const MAX_SSIDS = 15

const isOpen = parseWhen('on-air-without-login').test
const hasScope = parseWhen(
  '(!apply_to or apply_to=site or apply_to=aps and ap_ids or apply_to=wxtags and wxtag_ids)'
).test
const hasLogin = parseWhen('(!open or portal.enabled or auth.enable_mac_auth or cwa)').test

/** The fields in which networks of the same SSID should not differ. */
const securityFields = [
  '/auth/type',
  '/auth/pairwise',
  '/auth/owe',
  '/portal/enabled',
  '/vlan_enabled',
  '/vlan_id'
] as const

/** The list of a site lacks the WLANs of templates, so these rules see a part of the site. */
export const siteChecks: Readonly<Record<string, SiteCheck>> = {
  'duplicate-ssid': duplicateSsids,
  'guest-in-staff-vlan': guestsInStaffVlans,
  'open-without-login': openNetworks,
  // A lower bound: tags decide at run time which access points broadcast a network, and templates add
  // networks that no list of a site contains.
  'too-many-ssids': wlans => {
    const active = wlans.filter(({ view }) => view.on('/enabled'))
    return active.length > MANY_SSIDS ? rateBands.flatMap(band => crowding(active, band)) : []
  }
}

/** The networks that anybody can join; `open-goes-on-the-air` reports those that a change opens. */
function openNetworks(wlans: readonly SiteWlan[]): SiteViolation[] {
  const open = wlans.filter(
    ({ view, before = view }) => isOpen(view) && hasScope(view) && isOpen(before)
  )
  if (open.length === 0) return []
  const others = firstByVlan(wlans, hasLogin)
  return open.map(wlan => {
    const message = `anybody can join ${quote(wlan.view.name('/ssid') || wlan.name)}`
    const shared = sharedVlan(wlan, others)
    if (shared === undefined) return { wlan, message }
    const { vlan, other } = shared
    const text = `${message}, which shares VLAN ${vlan} with ${quote(other.name)}`
    return { wlan, others: [other], message: text }
  })
}

function guestsInStaffVlans(wlans: readonly SiteWlan[]): SiteViolation[] {
  const staff = firstByVlan(wlans, view => view.meets('staff'))
  if (staff.size === 0) return []
  return wlans.flatMap(wlan => {
    const { view } = wlan
    const shared = view.meets('guests') && view.lacks('staff') ? sharedVlan(wlan, staff) : undefined
    if (shared === undefined) return []
    const { vlan, other } = shared
    const message = `guests and staff share VLAN ${vlan}, which ${quote(other.name)} uses`
    return [{ wlan, others: [other], message, subject: vlan }]
  })
}

function firstByVlan(
  wlans: readonly SiteWlan[],
  isOne: (view: WlanView) => boolean
): ReadonlyMap<string, SiteWlan> {
  const found = new Map<string, SiteWlan>()
  for (const wlan of wlans) {
    if (!isOne(wlan.view) || !wlan.view.meets('bridged')) continue
    for (const vlan of knownVlans(wlan.view)) if (!found.has(vlan)) found.set(vlan, wlan)
  }
  return found
}

/** The first VLAN of a locally bridged WLAN that another one uses. */
function sharedVlan({ view }: SiteWlan, others: ReadonlyMap<string, SiteWlan>) {
  if (!view.meets('bridged')) return undefined
  for (const vlan of knownVlans(view)) {
    const other = others.get(vlan)
    if (other !== undefined) return { vlan, other }
  }
  return undefined
}

/** The access point with the most SSIDs: the networks of the whole site, and those assigned to the access point. */
function crowding(wlans: readonly SiteWlan[], band: string): SiteViolation[] {
  const isOnThis = isOnBand(band)
  const others = wlans.filter(({ view }) => view.hasEntry('/bands', isOnThis))
  if (others.length <= MANY_SSIDS) return []
  const perAp = new Map<string, number>()
  let ofSite = 0
  for (const { view } of others) {
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
  return [{ level, others, message, subject: band, extent: count }]
}

interface Namesake {
  readonly wlan: SiteWlan
  /** The values of `securityFields` as strings; undefined for an unknown one, and for one that is not in use. */
  readonly security: readonly (string | undefined)[]
}

interface Earlier {
  readonly first: Namesake
  other?: Namesake
}

/**
 * The WLANs that share SSID, access point and band with another WLAN of the site. The time is linear in
 * the number of WLANs and access points, because each place stores at most two WLANs.
 */
function duplicateSsids(wlans: readonly SiteWlan[]): SiteViolation[] {
  const named = wlans.filter(({ view }) => view.on('/enabled') && view.text('/ssid') !== undefined)
  const groups = groupBy(named, ({ view }) => view.name('/ssid'))
  return [...groups.values()].flatMap(group => (group.length < 2 ? [] : duplicatesIn(group)))
}

function duplicatesIn(group: readonly SiteWlan[]): SiteViolation[] {
  const places = new Map<string, Earlier>()
  const found = new Map<SiteWlan, SiteViolation>()
  for (const wlan of group) {
    const namesake = { wlan, security: securityOf(wlan.view) }
    const { meets, fills } = placesOf(wlan.view)
    const earlier = meets.flatMap(place => places.get(place) ?? [])
    for (const place of fills) remember(places, place, namesake)
    const all = earlier.flatMap(({ first, other }) =>
      other === undefined ? [first] : [first, other]
    )
    const other = all.find(each => differences(namesake, each).length > 0) ?? all[0]
    if (other === undefined) continue
    found.set(wlan, violationOf(namesake, other))
    const ofOther = violationOf(other, namesake)
    if (found.get(other.wlan)?.level === undefined) found.set(other.wlan, ofOther)
  }
  return [...found.values()]
}

function violationOf(namesake: Namesake, other: Namesake): SiteViolation {
  const { wlan } = namesake
  const others = [other.wlan]
  const message = `${quote(wlan.view.name('/ssid'))} is also the SSID of ${quote(other.wlan.name)} on the same access points`
  const subject = String(other.wlan.index)
  const differing = differences(namesake, other)
  const fields = ['/ssid', ...differing]
  if (differing.length === 0) return { wlan, others, message, fields, subject }
  const names = fieldNames(differing)
  const text = `${message}, with different ${names}`
  return { wlan, others, level: 'error', message: text, fields, subject }
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
  else if (earlier.other === undefined && differences(earlier.first, namesake).length > 0) {
    earlier.other = namesake
  }
}

function differences(a: Namesake, b: Namesake): Pointer[] {
  return securityFields.filter((_, place) => {
    const [one, other] = [a.security[place], b.security[place]]
    return one !== undefined && other !== undefined && one !== other
  })
}

function securityOf(view: WlanView): readonly (string | undefined)[] {
  return [
    view.text('/auth/type'),
    view.meets('wpa') ? [...(view.entries('/auth/pairwise') ?? [])].sort().join(' ') : undefined,
    view.meets('open') ? view.text('/auth/owe') : undefined,
    textOf(view.value('/portal/enabled')),
    textOf(view.value('/vlan_enabled')),
    view.on('/vlan_enabled') ? textOf(view.value('/vlan_id')) : undefined
  ]
}

function textOf(value: Value | undefined): string | undefined {
  return value === undefined ? undefined : valueText(value)
}

function knownVlans(view: WlanView): string[] {
  return vlansOf(({ pointer }) => view.value(pointer)).filter(vlan => !holdsVariable(vlan))
}
