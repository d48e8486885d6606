import { byCodeUnit, getOrInsert } from '../values/collections.ts'
import { type Field, wlanField } from './field.ts'

/**
 * The order of the fields of a WLAN in a file: name, authentication, network, then one topic per line. Other
 * fields follow by name.
 */
const fieldTopics: readonly (readonly string[])[] = [
  ['ssid'],
  ['auth', 'dynamic_psk', 'mist_nac'],
  ['vlan_enabled', 'vlan_id', 'vlan_pooling', 'vlan_ids', 'dynamic_vlan'],
  ['interface', 'mxtunnel_ids', 'mxtunnel_name', 'wxtunnel_id', 'wxtunnel_remote_id'],
  ['enabled', 'hide_ssid', 'apply_to', 'ap_ids', 'wxtag_ids', 'schedule'],
  ['bands', 'band_steer', 'band_steer_force_band5', 'rateset', 'dtim', 'max_num_clients'],
  ['roam_mode', 'enable_local_keycaching', 'max_idletime'],
  ['auth_servers', 'auth_server_selection', 'auth_servers_timeout', 'auth_servers_retries'],
  ['auth_servers_nas_id', 'auth_servers_nas_ip', 'fast_dot1x_timers', 'use_eapol_v1'],
  ['acct_servers', 'acct_interim_interval', 'acct_immediate_update', 'coa_servers', 'radsec'],
  ['isolation', 'l2_isolation', 'block_blacklist_clients', 'no_static_ip', 'no_static_dns'],
  ['limit_bcast', 'allow_mdns', 'allow_ssdp', 'allow_ipv6_ndp', 'bonjour', 'arp_filter'],
  ['portal', 'portal_allowed_hostnames', 'portal_allowed_subnets', 'portal_denied_hostnames'],
  ['portal_api_secret'],
  ['qos', 'app_qos', 'app_limit'],
  ['wlan_limit_up_enabled', 'wlan_limit_up', 'wlan_limit_down_enabled', 'wlan_limit_down'],
  ['client_limit_up_enabled', 'client_limit_up', 'client_limit_down_enabled', 'client_limit_down']
]

/** The names of the table; a test compares them with the schema. */
export const orderedFields: readonly string[] = fieldTopics.flat()

const ranks = new WeakMap<Field, ReadonlyMap<string, number>>()

/** Sorts the members of an object in the order of a file. */
export function sortFields<Named extends readonly [name: string, ...rest: unknown[]]>(
  field: Field,
  members: readonly Named[]
): Named[] {
  const known = ranksOf(field)
  const ranked = members.map(member => ({ member, rank: known.get(member[0]) ?? known.size }))
  ranked.sort((a, b) => a.rank - b.rank || byCodeUnit(a.member[0], b.member[0]))
  return ranked.map(({ member }) => member)
}

/** The only nested object whose schema order is unsuitable. */
const portalField = wlanField.member('portal')

function ranksOf(field: Field): ReadonlyMap<string, number> {
  return getOrInsert(ranks, field, () => {
    const names = field === wlanField ? orderedFields : field.memberNames()
    const firsts = field === portalField ? ['enabled', 'auth'] : []
    return new Map([...new Set([...firsts, ...names])].map((name, place) => [name, place]))
  })
}
