import { vlanRange } from '../../schema/vlans.ts'
import type { Pointer } from '../../values/pointer.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isEmpty, isObject } from '../../values/value.ts'
import { holdsVariable } from '../formats.ts'
import { aboutEach, type Violation, type WlanCheck } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

/** The lists of VLAN IDs, and whether they accept a range such as 10-20. */
const vlanLists: readonly (readonly [list: Pointer, isRangeAllowed: boolean])[] = [
  ['/vlan_ids', false],
  ['/bonjour/additional_vlan_ids', false],
  ['/dynamic_vlan/local_vlan_ids', true],
  ['/dynamic_vlan/default_vlan_ids', true],
  ['/dynamic_vlan/vlans', false],
  ['/dynamic_psk/default_vlan_id', false],
  ['/dynamic_psk/local_vlan_ids', true]
]

/** VLANs. */
export const vlanChecks: Readonly<Record<string, WlanCheck>> = {
  'vlan-out-of-range': wlan => [
    ...vlanLists.map(list => outOfRange(wlan, ...list)),
    twiceInPool(wlan)
  ],
  'vlan-one': wlan => {
    const isOne = (entry: string) => entry === '1' || vlanRange(entry)?.[0] === 1
    const isInOne =
      wlan.number('/vlan_id') === 1 ||
      (wlan.on('/vlan_pooling') && wlan.hasEntry('/vlan_ids', isOne)) ||
      (wlan.on('/dynamic_vlan/enabled') && wlan.hasEntry('/dynamic_vlan/default_vlan_ids', isOne))
    return [isInOne && {}]
  }
}

function outOfRange(wlan: WlanView, list: Pointer, isRangeAllowed: boolean): Violation | undefined {
  const value = wlan.written(list)
  if (value === undefined || isEmpty(value)) return undefined
  const entries = isObject(value) ? Object.keys(value) : (wlan.entries(list) ?? [])
  const unfit = entries.filter(entry => !holdsVariable(entry) && !isVlan(entry, isRangeAllowed))
  const quoted = unfit.map(text => quote(text, 20))
  return aboutEach(quoted, texts => ({
    message: `expected VLAN IDs from 1 to 4094 in \`${describedName(list)}\`, got ${listFirst(texts, 3)}`,
    fields: [list],
    subject: list
  }))
}

function isVlan(entry: string, isRangeAllowed: boolean): boolean {
  const range = vlanRange(entry)
  if (range === undefined) return /^\d{1,5}$/.test(entry) && isVlanId(Number(entry))
  const [first, last] = range
  return isRangeAllowed && isVlanId(first) && isVlanId(last) && first <= last
}

function isVlanId(id: number): boolean {
  return id >= 1 && id <= 4094
}

function twiceInPool(wlan: WlanView): Violation | undefined {
  const field = '/vlan_ids'
  if (wlan.empty(field)) return undefined
  const entries = (wlan.entries(field) ?? []).filter(entry => !holdsVariable(entry))
  if (new Set(entries).size === entries.length) return undefined
  const message = 'a VLAN occurs twice in `vlan_ids`'
  return { level: 'warning', message, fields: [field], subject: 'twice' }
}
