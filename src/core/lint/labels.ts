import { isEmpty, isList, valueText } from '../values/value.ts'
import { holdsVariable } from './formats.ts'
import type { WlanView } from './view.ts'

/** The security in words; undefined if it is unknown: `eap (wpa2-ccmp, wpa3)`, `open`, `open with OWE required`. */
export function securityOf(view: WlanView): string | undefined {
  const type = view.text('/auth/type')
  if (type === undefined || type === 'wep') return type
  if (type === 'open') {
    const owe = view.text('/auth/owe')
    return owe === undefined || owe === 'disabled' ? owe && type : `${type} with OWE ${owe}`
  }
  const pairwise = view.entries('/auth/pairwise')
  if (pairwise === undefined || pairwise.some(holdsVariable)) return undefined
  return `${type} (${[...new Set(pairwise)].sort().join(', ')})`
}

/** The VLAN as a string: `20`, `10, 20`, `untagged`, or `dynamic` if RADIUS assigns it. */
export function vlanOf(view: WlanView): string {
  if (view.on('/dynamic_vlan/enabled')) return 'dynamic'
  if (view.off('/vlan_enabled')) return 'untagged'
  const ids = [view.written('/vlan_id'), view.written('/vlan_ids')]
  const known = ids.filter(id => id !== undefined && !isEmpty(id))
  return known.length === 0
    ? 'unknown'
    : known.map(id => (isList(id) ? id.map(valueText).join(', ') : valueText(id))).join(', ')
}
