import { countUnwatched, type Plan } from '../../core/model/plan.ts'
import { groupsBy } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { formatField } from '../fields/format-value.ts'

export type UnwatchedPart = Pick<Plan, 'unwatched' | 'unwatched_total'>

const MAX_FIELDS = 3

/**
 * The unwatched fields in one line, by field, with the next step: `Not watched: max_num_clients on 3 WLANs, not at
 * the default; isolation on 212 WLANs, at the default: wlanctl adopt --undeclared; vlan_ids on 1
 * WLAN, which adopt does not declare`; undefined if there are none. `adopt`: the command of the fleet that declares them.
 */
export function unwatchedNote(plan: UnwatchedPart, adopt: string): string | undefined {
  const { unwatched = [] } = plan
  if (unwatched.length === 0) return undefined
  const stuck = unwatched.flatMap(({ not_adoptable = [] }) => not_adoptable)
  const moved = unwatched.flatMap(({ not_default = [], not_adoptable = [] }) =>
    not_default.filter(pointer => !not_adoptable.includes(pointer))
  )
  const usual = unwatched.flatMap(({ pointers, not_default = [] }) =>
    pointers.filter(pointer => !not_default.includes(pointer))
  )
  const more = countUnwatched(plan).wlans - unwatched.length
  const parts = [
    ...byField(moved, 'not at the default'),
    ...byField(usual, 'at the default'),
    ...(more === 0 ? [] : [`fields of ${plural(more, 'other WLAN')}`])
  ]
  const adopted = parts.length === 0 ? [] : [`${parts.join('; ')}: \`${adopt}\``]
  return `Not watched: ${[...adopted, ...byField(stuck, 'which `adopt` does not declare')].join('; ')}`
}

/**
 * The guard fields that no file declares in one line, as in `unwatchedNote`; undefined without them. What the service
 * has is unknown.
 */
export function undeclaredNote(part: UnwatchedPart | undefined, adopt: string): string | undefined {
  const { unwatched = [] } = part ?? {}
  if (unwatched.length === 0) return undefined
  const [named = ''] = byField(unwatched.flatMap(({ pointers }) => pointers))
  const more = countUnwatched(part ?? {}).wlans - unwatched.length
  const others = more === 0 ? '' : `; fields of ${plural(more, 'other WLAN')}`
  return `Not watched: ${named}${others}: \`${adopt}\`, or set \`policy.unwatched\``
}

/** The fields on the most WLANs come first. */
function byField(pointers: readonly Pointer[], state?: string): string[] {
  if (pointers.length === 0) return []
  const all = groupsBy(pointers, pointer => pointer).sort((a, b) => b.length - a.length)
  const named = all.map(same => `\`${formatField(same[0])}\` on ${plural(same.length, 'WLAN')}`)
  return [[listFirst(named, MAX_FIELDS), ...(state === undefined ? [] : [state])].join(', ')]
}
