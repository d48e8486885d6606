import { byCodeUnit } from '../model/collections.ts'
import { type Field, wlanField } from '../schema/field.ts'

/**
 * The order in which a person would write the fields of a WLAN: what it is called, who gets in, where
 * the traffic goes, then a topic a line. A field that is not here comes after them, by name.
 */
const topics: readonly (readonly string[])[] = [
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

/** The names of the table; a test holds them against the schema. */
export const orderedFields: readonly string[] = topics.flat()

const ranks = new WeakMap<Field, ReadonlyMap<string, number>>()

/** Members of an object in the order in which a person would write them. */
export function orderFields<Member extends readonly [name: string, ...rest: unknown[]]>(
  field: Field,
  members: readonly Member[]
): Member[] {
  const rank = ranksOf(field)
  const place = (name: string) => rank.get(name) ?? rank.size
  return [...members].sort(([a], [b]) => place(a) - place(b) || byCodeUnit(a, b))
}

/** Below the top the schema has its members in a telling order, but for this one. */
const portalField = wlanField.member('portal')

function ranksOf(field: Field): ReadonlyMap<string, number> {
  const known = ranks.get(field)
  if (known !== undefined) return known
  const names = field === wlanField ? orderedFields : field.memberNames()
  const firsts = field === portalField ? ['enabled', 'auth'] : []
  const made = new Map([...new Set([...firsts, ...names])].map((name, place) => [name, place]))
  ranks.set(field, made)
  return made
}
