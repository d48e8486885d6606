import { entriesOf, isObject } from '../values/value.ts'
import type { ReadField } from './condition.ts'

/** The VLANs that clients of a WLAN may be in, as texts; empty for an untagged WLAN. */
export function vlansOf(read: ReadField): string[] {
  const at = (...path: string[]) => read({ pointer: `/${path.join('/')}`, path })
  if (at('vlan_enabled') !== true) return []
  const isDynamic = at('dynamic_vlan', 'enabled') === true
  const lists = [
    at('vlan_id'),
    ...(at('vlan_pooling') === true ? [at('vlan_ids')] : []),
    ...(isDynamic
      ? ['default_vlan_id', 'default_vlan_ids', 'local_vlan_ids'].map(name =>
          at('dynamic_vlan', name)
        )
      : [])
  ]
  const dynamic = isDynamic ? at('dynamic_vlan', 'vlans') : undefined
  return [
    ...withRanges(lists.flatMap(list => entriesOf(list) ?? [])),
    ...(isObject(dynamic) ? Object.keys(dynamic) : [])
  ]
}

/** Ranges that are expanded for a WLAN; each of them may contain all VLANs. */
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

/** The first and the last VLAN of a range such as 10-20, in their order; undefined for any other text. */
export function vlanRange(entry: string): readonly [first: number, last: number] | undefined {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(entry) ?? []
  return first === undefined ? undefined : [Number(first), Number(last)]
}
