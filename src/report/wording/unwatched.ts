import { countUnwatched, type Plan } from '../../core/model/plan.ts'
import { groupsBy, present } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { formatField } from '../fields/format-value.ts'

export type UnwatchedPart = Pick<Plan, 'unwatched' | 'unwatched_total'>

const MAX_FIELDS = 3

/**
 * The unwatched fields in one line, by field, with the next step: `Not watched: max_num_clients on 3 WLANs, not at
 * the default; isolation on 212 WLANs, at the default: wlanctl adopt --undeclared; vlan_ids on 1
 * WLAN, which adopt does not declare`; empty if there are none. `adopt`: the command of the fleet that declares them.
 * Of files alone, it is unknown what the service has.
 */
export function unwatchedNote(part: UnwatchedPart, adopt: string, of: 'live' | 'files'): string {
  const { unwatched = [] } = part
  if (unwatched.length === 0) return ''
  const stuck = unwatched.flatMap(({ not_adoptable = [] }) => not_adoptable)
  const moved = unwatched.flatMap(({ not_default = [], not_adoptable = [] }) =>
    not_default.filter(pointer => !not_adoptable.includes(pointer))
  )
  const usual = unwatched.flatMap(({ pointers, not_default = [] }) =>
    pointers.filter(pointer => !not_default.includes(pointer))
  )
  const adopted = present(
    byField(moved, ', not at the default'),
    byField(usual, of === 'live' ? ', at the default' : ''),
    otherWlans(part)
  ).join('; ')
  const policy = of === 'files' ? ', or set `policy.unwatched`' : ''
  const parts = present(
    adopted && `${adopted}: \`${adopt}\`${policy}`,
    byField(stuck, ', which `adopt` does not declare')
  )
  return `Not watched: ${parts.join('; ')}`
}

function otherWlans(part: UnwatchedPart): string {
  const more = countUnwatched(part).wlans - (part.unwatched ?? []).length
  return more === 0 ? '' : `fields of ${plural(more, 'other WLAN')}`
}

/** The fields on the most WLANs come first; empty without any. */
function byField(pointers: readonly Pointer[], state: string): string {
  const all = groupsBy(pointers, pointer => pointer).sort((a, b) => b.length - a.length)
  const named = all.map(same => `\`${formatField(same[0])}\` on ${plural(same.length, 'WLAN')}`)
  return named.length === 0 ? '' : listFirst(named, MAX_FIELDS) + state
}
