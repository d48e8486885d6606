import type { Match } from '../../diff/match.ts'
import { overlayWlan } from '../../diff/overlay.ts'
import type { DesiredSite, DesiredWlan } from '../../model/desired.ts'
import type { LiveSite, LiveWlan } from '../../model/live.ts'
import { patchedPointers } from '../../model/plan.ts'
import { isMet } from '../../schema/condition.ts'
import { readFrom } from '../../schema/in-use.ts'
import { vlansOf } from '../../schema/vlans.ts'
import { isPublicAddress } from '../../values/address.ts'
import { overlap, type Pointer } from '../../values/pointer.ts'
import {
  isList,
  member,
  type Value,
  type ValueObject,
  valueAt,
  valueText
} from '../../values/value.ts'
import { isActive, memberOf, type Transition } from './transition.ts'

/** The VLANs of a network: those of its guests, or of the users of its 802.1X or key. */
interface Vlans {
  readonly guests: readonly string[]
  readonly staff: readonly string[]
}

export interface Surroundings {
  /** The VLANs of the other networks of the site, live and as declared. */
  readonly others: () => readonly Vlans[]
  readonly atBase: readonly ValueObject[]
}

export function surroundingsIn(
  { wlans, sinceBase }: DesiredSite,
  { wlans: liveWlans }: LiveSite,
  matches: ReadonlyMap<DesiredWlan, Match>
): (own: DesiredWlan, live: LiveWlan) => Surroundings {
  let found: { readonly owner: LiveWlan | DesiredWlan; readonly vlans: Vlans }[] | undefined
  const all = () =>
    (found ??= [
      ...liveWlans.map(owner => ({ owner, vlans: vlansOfRecord(owner.record) })),
      ...[...matches].map(([owner, match]) => {
        const record = 'live' in match ? match.live.record : {}
        return { owner, vlans: vlansOfRecord(overlayWlan(record, owner.fields)) }
      })
    ])
  const atBase = wlans.flatMap(({ key, fields }): ValueObject[] => {
    const since = sinceBase?.wlans.get(key)
    if (sinceBase === undefined) return []
    if (since === undefined) return [fields]
    return since.fieldsAtBase === undefined ? [] : [since.fieldsAtBase]
  })
  return (own, live) => ({
    others: () =>
      all().flatMap(({ owner, vlans }) => (owner === own || owner === live ? [] : vlans)),
    atBase
  })
}

/** Those of a network in a state of its site, without a declaration. */
export function surroundingsAt({ wlans }: LiveSite, own: LiveWlan): Surroundings {
  const others = wlans.filter(wlan => wlan !== own)
  return { others: () => others.map(({ record }) => vlansOfRecord(record)), atBase: [] }
}

/** The fields that decide who is in which VLAN, the first cause first. */
const VLAN_FIELDS: readonly Pointer[] = [
  '/vlan_id',
  '/vlan_ids',
  '/vlan_enabled',
  '/vlan_pooling',
  '/dynamic_vlan',
  '/interface',
  '/auth/type',
  '/portal/enabled',
  '/enabled'
]

/** The servers that see how users log in. Accounting and CoA at another place are notices. */
export const SERVER_LISTS: readonly Pointer[] = ['/auth_servers', '/radsec/servers']

/** VLAN 1, the usual one of switches and access points, counts as one of staff. */
const FIRST_VLAN = '1'

/**
 * The changed fields that put guests into VLAN 1 or a VLAN of a network with 802.1X or a key, or such a network into a
 * VLAN of guests; and those that send RADIUS to a public address that neither the live network nor the base has.
 */
export function exposuresOf(
  transition: Transition,
  { others, atBase }: Surroundings = { others: () => [], atBase: [] }
): readonly Pointer[] {
  const paths = patchedPointers(transition.patch)
  const causes = (pointer: Pointer) => paths.filter(path => overlap(path, pointer))
  const [moves] = VLAN_FIELDS.flatMap(causes)
  const toServers = SERVER_LISTS.flatMap(list => {
    const at = causes(list)
    if (!at.some(path => isActive(path, transition))) return []
    const added = publicHosts(transition.after, list)
    const known = [transition.before, ...(added.length > 0 ? atBase : [])].flatMap(record =>
      SERVER_LISTS.flatMap(other => publicHosts(record, other))
    )
    return added.some(host => !known.includes(host)) ? at.slice(0, 1) : []
  })
  return [...(moves !== undefined && sharesVlan(transition, others) ? [moves] : []), ...toServers]
}

function sharesVlan({ before, after }: Transition, others: Surroundings['others']): boolean {
  const [were, are] = [onAir(before), onAir(after)]
  const gained = (side: keyof Vlans) => are[side].filter(vlan => !were[side].includes(vlan))
  const [guests, staff] = [new Set(gained('guests')), new Set(gained('staff'))]
  if (guests.has(FIRST_VLAN)) return true
  if (guests.size + staff.size === 0) return false
  return others().some(
    other =>
      other.staff.some(vlan => guests.has(vlan)) || other.guests.some(vlan => staff.has(vlan))
  )
}

function onAir(record: ValueObject): Vlans {
  return member(record, 'enabled') === false ? { guests: [], staff: [] } : vlansOfRecord(record)
}

function vlansOfRecord(record: ValueObject): Vlans {
  const read = readFrom(record)
  if (!isMet('bridged', read, false)) return { guests: [], staff: [] }
  const isStaff = isMet('staff', read, false)
  const vlans = vlansOf(read).map(vlan => vlan.replace(/\s/g, ''))
  return {
    guests: !isStaff && isMet('guests', read, false) ? vlans : [],
    staff: isStaff ? vlans : []
  }
}

function publicHosts(record: ValueObject, list: Pointer): string[] {
  const servers: Value | undefined = valueAt(record, list)
  if (!isList(servers)) return []
  const hosts = servers.map(server => valueText(memberOf(server, 'host')))
  return hosts.filter(isPublicAddress).map(host => host.toLowerCase())
}
