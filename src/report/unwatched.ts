import { countUnwatched, type Plan } from '../core/model/plan.ts'
import { groupBy } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { listFirst, plural } from '../core/values/text.ts'
import { escapeText } from './escape.ts'
import { formatField } from './format-value.ts'
import { type GroupedFindings, groupMany, splitAddress } from './group-findings.ts'
import { formatTable, type Style } from './layout.ts'

/** The unwatched fields of a plan. */
export type UnwatchedPart = Pick<Plan, 'unwatched' | 'unwatched_total'>

/** The note names at most this many fields of each kind. */
const MAX_FIELDS = 3

/**
 * The unwatched fields in one line, by field, with the next step: `Not watched: max_num_clients on 3 WLANs, not at
 * the default; isolation on 212 WLANs, at the default: wlanctl adopt --undeclared`; undefined if there are none. `show` formats the name of a field.
 */
export function unwatchedNote(
  plan: UnwatchedPart,
  show: (field: string) => string = String
): string | undefined {
  const { unwatched = [] } = plan
  if (unwatched.length === 0) return undefined
  const moved = unwatched.flatMap(({ not_default = [] }) => not_default)
  const usual = unwatched.flatMap(({ pointers, not_default = [] }) =>
    pointers.filter(pointer => !not_default.includes(pointer))
  )
  const more = countUnwatched(plan).wlans - unwatched.length
  const parts = [
    ...byField(moved, 'not at the default', show),
    ...byField(usual, 'at the default', show),
    ...(more === 0 ? [] : [`fields of ${plural(more, 'other WLAN')}`])
  ]
  return `Not watched: ${parts.join('; ')}: \`wlanctl adopt --undeclared\``
}

/**
 * The guard fields that no file declares in one line, as in `unwatchedNote`; undefined without them. What the service
 * has is unknown.
 */
export function undeclaredNote(
  part: UnwatchedPart | undefined,
  show: (field: string) => string = String
): string | undefined {
  const { unwatched = [] } = part ?? {}
  if (unwatched.length === 0) return undefined
  const [named = ''] = byField(
    unwatched.flatMap(({ pointers }) => pointers),
    undefined,
    show
  )
  const more = countUnwatched(part ?? {}).wlans - unwatched.length
  const others = more === 0 ? '' : `; fields of ${plural(more, 'other WLAN')}`
  return `Not watched: ${named}${others}: \`wlanctl adopt --undeclared\`, or set \`policy.unwatched\``
}

/** The fields on the most WLANs come first. */
function byField(
  pointers: readonly Pointer[],
  state: string | undefined,
  show: (field: string) => string
): string[] {
  if (pointers.length === 0) return []
  const all = [...groupBy(pointers, pointer => pointer).values()].sort(
    (a, b) => b.length - a.length
  )
  const named = all.map(
    same => `${show(formatField(same[0] ?? ''))} on ${plural(same.length, 'WLAN')}`
  )
  return [[listFirst(named, MAX_FIELDS), ...(state === undefined ? [] : [state])].join(', ')]
}

type Entries = NonNullable<Plan['unwatched']>

/** Groups WLANs with the same key and the same fields. */
function groupsOf(unwatched: Entries): GroupedFindings<Entries[number]>[] {
  return groupMany(unwatched, ({ address, pointers }) =>
    JSON.stringify([splitAddress(address).key, pointers])
  )
}

/** The unwatched fields of each WLAN as text; empty if there are none. */
export function unwatchedText(plan: UnwatchedPart, style: Style): string {
  const rows = unwatchedRows(plan)
  if (rows.length === 0) return ''
  return [
    style.warn('Not watched: fields that can change unnoticed'),
    ...formatTable(
      rows.map(([where]) => escapeText(where)),
      rows.map(([, fields]) => fields)
    )
  ].join('\n')
}

/** The WLANs and their unwatched fields, both for display; the WLANs are not escaped. */
export function unwatchedRows(plan: UnwatchedPart): (readonly [where: string, fields: string])[] {
  const { unwatched = [] } = plan
  const more = countUnwatched(plan).wlans - unwatched.length
  const rows = groupsOf(unwatched).map(([{ address, pointers }, ...others]) => {
    const sites = plural(others.length + 1, 'site')
    const where = others.length === 0 ? address : `${splitAddress(address).key} on ${sites}`
    return [where, pointers.map(formatField).join(', ')] as const
  })
  return more === 0 ? rows : [...rows, [`and ${plural(more, 'other WLAN')}`, '']]
}
