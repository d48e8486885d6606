import { groupBy } from '../../model/collections.ts'
import { quote } from '../../model/text.ts'
import { rateBands } from '../conditions.ts'
import type { SiteViolation, SiteWlan } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** A WLAN of a group with the same SSID. */
interface Namesake {
  readonly wlan: SiteWlan
  /** The known parts of its security; undefined where one is unknown. */
  readonly security: readonly (string | undefined)[]
}

/** Two earlier WLANs at a place: the first, and the first whose security certainly differs from its. */
interface Earlier {
  readonly first: Namesake
  other?: Namesake
}

/**
 * The WLANs that share their SSID, an access point and a band with an earlier one of the site. Linear in
 * the number of WLANs and access points: each place remembers two WLANs at most.
 */
export function duplicateSsids(wlans: readonly SiteWlan[]): SiteViolation[] {
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
 * The places where a WLAN certainly meets an earlier one, and those that it fills. A place is a band of the
 * whole site (`5 site`), of any access point of a list (`5 any`), or of one access point.
 */
function placesOf(view: WlanView): { meets: readonly string[]; fills: readonly string[] } {
  const bands = rateBands.filter(band =>
    view.hasEntry('/bands', entry => entry === band || entry.startsWith(`${band}-`))
  )
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

/** A part that is known of both is different. */
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
