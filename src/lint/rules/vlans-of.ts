import { isObject } from '../../model/value.ts'
import type { WlanView } from '../view.ts'
import { holdsVariable } from '../written.ts'

/** The known VLANs that clients of a WLAN may be in, as texts; none for an untagged WLAN. */
export function vlansOf(wlan: WlanView): string[] {
  if (!wlan.on('/vlan_enabled')) return []
  const fixed = wlan.number('/vlan_id')
  const dynamic = wlan.value('/dynamic_vlan/vlans')
  const lists = wlan.on('/vlan_pooling') ? ['/vlan_ids'] : []
  const isDynamic = wlan.on('/dynamic_vlan/enabled')
  if (isDynamic) lists.push('/dynamic_vlan/default_vlan_ids', '/dynamic_vlan/local_vlan_ids')
  return [
    ...(fixed === undefined ? [] : [String(fixed)]),
    ...lists.flatMap(list => wlan.entries(list) ?? []),
    ...(isDynamic && isObject(dynamic) ? Object.keys(dynamic) : [])
  ].filter(vlan => !holdsVariable(vlan))
}
